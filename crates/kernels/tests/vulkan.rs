//! Vulkan's kernels as data: their texts have the structs that Rust has, the committed SPIR-V fits the contracts, and what is
//! missing is an error with a name. None of this needs a device.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_kernels::act::ActFormat;
use akunu_kernels::contract::Kernel;
use akunu_kernels::machine::Version;
use akunu_kernels::vulkan::{
    BEGIN, Chip, INVOCATIONS, Matrices, PUSH_BYTES, SOURCES, STEP_END, UNITS, WIDE, control,
};
use akunu_kernels::words::{Field, Kind};
use akunu_kernels::{
    KERNELS, KernelError, Launch, Machine, Target, attention, matmul, matmul_add, matmul_glu,
};
use std::path::Path;

const MACHINE: Machine = Machine::Vulkan(Chip { subgroup: 8, matrices: Matrices::None });

fn has_version(kernel: &Kernel) -> bool {
    kernel.versions.iter().any(|v| matches!(v, Version::Vulkan(_)))
}

/// The words of a SPIR-V module after its header, instruction by instruction.
fn instructions(code: &[u8]) -> Vec<Vec<u32>> {
    let words: Vec<u32> = code.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
    assert_eq!((words[0], words[1]), (0x0723_0203, 0x0001_0500), "SPIR-V 1.5");
    let (mut rest, mut all) = (&words[5..], Vec::new());
    while let Some(first) = rest.first() {
        let (one, more) = rest.split_at((first >> 16) as usize);
        all.push(one.to_vec());
        rest = more;
    }
    all
}

/// What every module has: its entry point, so many invocations, and no names or sources.
fn check_module(name: &str, code: &[u8], invocations: u32) -> Vec<Vec<u32>> {
    let all = instructions(code);
    let op = |i: &[u32]| i[0] & 0xffff;
    let entry: Vec<_> = all.iter().filter(|i| op(i) == 15).collect();
    assert_eq!(entry.len(), 1, "{name}");
    assert_eq!(entry[0][3..5], [u32::from_le_bytes(*b"main"), 0], "{name}");
    let size = all.iter().find(|i| op(i) == 16 && i[2] == 17).unwrap();
    assert_eq!(size[3..], [invocations, 1, 1], "{name}");
    assert!(all.iter().all(|i| !matches!(op(i), 2..=8)), "{name}: names or sources are left");
    all
}

#[test]
fn the_committed_modules_fit_their_contracts() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for s in SOURCES {
        let name = s.name();
        let code = std::fs::read(src.join(s.code)).unwrap();
        let all = check_module(name, &code, s.invocations);
        // OpDecorate ... SpecId: every one is a constant of the contract.
        let ids: Vec<u32> = all.iter().filter(|i| i[0] & 0xffff == 71 && i[2] == 1).map(|i| i[3]).collect();
        assert!(
            !ids.is_empty() && ids.iter().all(|id| (*id as usize) < s.kernel.consts.len()),
            "{name}: {ids:?}"
        );
        let params = s.kernel.params.last().map_or(0, |f| f.offset + 4);
        assert!(s.kernel.bindings.len() * 8 + params <= PUSH_BYTES as usize, "{name}: push constants");
        assert_eq!(s.kernel.bindings[0].name, "step", "{name}: binding 0 is the step block");
    }
    check_module("begin", BEGIN, INVOCATIONS);
    check_module("step_end", STEP_END, INVOCATIONS);
}

#[test]
fn every_version_has_a_source_and_every_source_a_version() {
    for k in KERNELS {
        let listed = SOURCES.iter().any(|s| std::ptr::eq(s.kernel, *k));
        assert_eq!(listed, has_version(k), "{}", k.name);
    }
}

#[test]
fn a_missing_kernel_is_named() {
    for k in KERNELS.iter().filter(|k| !has_version(k)) {
        // Constants that hold together differ by kernel; where these do not, that is said instead.
        let e = k.launch(&MACHINE, &vec![1; k.consts.len()]).unwrap_err();
        match &e {
            KernelError::Unsupported { kernel, .. } | KernelError::Constants { kernel, .. } => {
                assert_eq!(*kernel, k.name)
            }
        }
    }
}

#[test]
fn every_weight_format_of_the_target_has_products_and_embeddings() {
    let target = Target::of(MACHINE);
    assert!(!target.rules.is_empty());
    for r in &target.rules {
        let (dt, layout) = (r.dtype as u32, r.layout as u32);
        // dtype, layout, act, k, n, out_stride, out_col, select, max_rows.
        let launch = akunu_kernels::matmul::KERNEL.launch(&MACHINE, &[dt, layout, 0, 256, 20, 20, 0, 0, 9]);
        let Ok(Launch::Vulkan(l)) = launch else { panic!("{}: {launch:?}", r.dtype) };
        assert_eq!(l.groups, [5, 2, 1]);
        // dtype, layout, d, vocab, max_seq, max_rows.
        akunu_kernels::embed::KERNEL.launch(&MACHINE, &[dt, layout, 256, 20, 32, 9]).unwrap();
    }
}

/// A device with matrix units has tables of many rows on them; one without refuses their inputs.
#[test]
fn many_rows_are_on_matrix_units_where_there_are_some() {
    let units = Machine::Vulkan(Chip { subgroup: 32, matrices: Matrices::F16 });
    let (with, without) = (Target::of(units), Target::of(MACHINE));
    assert_eq!(with.name, "vulkan subgroup 32 with matrix units");
    assert!(without.rules.iter().all(|r| r.staged.is_none()));
    let f16 = ActFormat::F16 as u32;
    for r in &with.rules {
        let staged = r.staged.unwrap();
        // Nothing is dequantized by a command of its own.
        assert_eq!((staged.dtype, staged.act), (r.dtype, ActFormat::F16));
        let (dt, layout) = (r.dtype as u32, r.layout as u32);
        let matmul = [dt, layout, f16, 256, 300, 300, 0, 0, 200];
        // dtype, layout, act, k, f, activation, act_out, max_rows.
        let glu = [dt, layout, f16, 256, 300, 0, f16, 200];
        for (kernel, consts, groups) in [
            (&matmul::KERNEL, &matmul[..], [2, 3, 1]),
            (&matmul_add::KERNEL, &matmul, [2, 3, 1]),
            (&matmul_glu::KERNEL, &glu, [2, 5, 1]),
        ] {
            let launch = kernel.launch(&units, consts);
            let Ok(Launch::Vulkan(l)) = launch else { panic!("{}: {launch:?}", r.dtype) };
            assert_eq!((l.groups, l.invocations), (groups, WIDE), "{}", kernel.name);
            let e = kernel.launch(&MACHINE, consts).unwrap_err().to_string();
            assert!(e.contains("activation format"), "{e}");
        }
    }
    // Few rows, wide or odd heads, and blocks of whole numbers stay where they are.
    // heads, kv_heads, head_dim, k_type, v_type, act, max_rows, window, softcap.
    let invocations = |head_dim, act, rows| {
        let consts = [8, 2, head_dim, 0, 0, act, rows, 0, 0];
        let launch = attention::KERNEL.launch(&units, &consts).unwrap();
        launch.geometry().block
    };
    assert_eq!(invocations(128, f16, 100), UNITS);
    for (head_dim, act, rows) in
        [(128, f16, 8), (256, f16, 100), (72, f16, 100), (128, ActFormat::Q16Aligned as u32, 100)]
    {
        assert_eq!(invocations(head_dim, act, rows), WIDE, "{head_dim} {act} {rows}");
    }
}

/// Shared structs, by the rules of C, which Slang's pointers follow.
#[test]
fn slang_has_the_structs_field_by_field() {
    use akunu_kernels::logits_max::Pick;
    use akunu_kernels::sampler::{Bias, LogProbs, Sampler};
    use akunu_kernels::step::{Head, Header, Row, Seq};
    let text = akunu_kernels::vulkan::shared();
    let structs = [
        ("Header", Header::FIELDS, size_of::<Header>()),
        ("Seq", Seq::FIELDS, size_of::<Seq>()),
        ("Row", Row::FIELDS, size_of::<Row>()),
        ("Head", Head::FIELDS, size_of::<Head>()),
        ("Pick", Pick::FIELDS, size_of::<Pick>()),
        ("Sampler", Sampler::FIELDS, size_of::<Sampler>()),
        ("Bias", Bias::FIELDS, size_of::<Bias>()),
        ("LogProbs", LogProbs::FIELDS, size_of::<LogProbs>()),
    ];
    for (name, fields, size) in structs {
        let from = text.find(&format!("struct {name} {{")).unwrap();
        let body = &text[from..][..text[from..].find("};").unwrap()];
        let mut at = 0;
        for (line, Field { name: field, kind, offset }) in body.lines().skip(1).zip(fields) {
            let (wanted, bytes) = match kind {
                Kind::U32 => (format!("uint {field};"), 4),
                Kind::U64 => (format!("uint64_t {field};"), 8),
                Kind::F32 => (format!("float {field};"), 4),
                Kind::Words(n) => (format!("uint {field}[{n}];"), 4 * n),
                Kind::Numbers(n) => (format!("float {field}[{n}];"), 4 * n),
                Kind::Struct(_) => panic!("no struct of Slang has another"),
            };
            assert_eq!((line.trim(), at), (wanted.as_str(), *offset), "{name}");
            at += bytes;
        }
        assert_eq!((at, body.lines().count() - 1), (size, fields.len()), "{name}");
    }
    assert_eq!(control().map(|(name, _)| name), ["begin", "step_end"]);
}
