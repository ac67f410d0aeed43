//! Structs and enumerations that kernels share with the host: the text for CUDA says what Rust has.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_kernels::act::ActFormat;
use akunu_kernels::cuda::prelude;
use akunu_kernels::dtype::DTYPES;
use akunu_kernels::expert_group::Tile;
use akunu_kernels::grouped_matmul::GroupedMatmulConsts;
use akunu_kernels::kv::KV_FORMATS;
use akunu_kernels::logits_max::Pick;
use akunu_kernels::route::Choice;
use akunu_kernels::sampler::{Bias, FILTERS, Filter, LogProbs, Sampler};
use akunu_kernels::split_attention::SplitAttentionConsts;
use akunu_kernels::step::{Header, KV_BLOCK, MAX_EOS, Row, Seq, StopReason};
use akunu_kernels::words::{Field, Kind, from_words};
use akunu_kernels::{DType, KERNELS};
use std::path::{Path, PathBuf};

/// (name, offset, bytes) of every field of a struct in a text, and the struct's size, by the rules of C.
fn layout(text: &str, name: &str) -> (Vec<(String, usize, usize)>, usize) {
    let from = text.find(&format!("struct {name} {{")).unwrap_or_else(|| panic!("no struct {name}"));
    let body = &text[from..][..text[from..].find("};").unwrap()];
    let (mut fields, mut at, mut widest) = (Vec::new(), 0usize, 1);
    for line in body.lines().skip(1) {
        let (kind, rest) = line.trim().trim_end_matches(';').rsplit_once(' ').unwrap();
        let (field, count) = match rest.trim_end_matches(']').split_once('[') {
            Some((field, n)) => (field, n.parse().unwrap()),
            None => (rest, 1),
        };
        let size = match kind {
            "unsigned int" | "float" => 4,
            "unsigned long long" => 8,
            other => panic!("{name}.{field}: {other}"),
        };
        at = at.next_multiple_of(size);
        fields.push((field.to_owned(), at, size * count));
        at += size * count;
        widest = widest.max(size);
    }
    (fields, at.next_multiple_of(widest))
}

/// What Rust has.
fn in_rust(fields: &[Field]) -> Vec<(String, usize, usize)> {
    let bytes = |kind: &Kind| match kind {
        Kind::U32 | Kind::F32 => 4,
        Kind::U64 => 8,
        Kind::Words(n) | Kind::Numbers(n) => 4 * n,
        Kind::Struct(_) => panic!("no struct of CUDA has another"),
    };
    fields.iter().map(|f| (f.name.to_owned(), f.offset, bytes(&f.kind))).collect()
}

#[test]
fn cuda_has_the_structs_field_by_field() {
    let text = prelude(&[]);
    for (name, fields, size) in [
        ("Header", Header::FIELDS, size_of::<Header>()),
        ("Seq", Seq::FIELDS, size_of::<Seq>()),
        ("Row", Row::FIELDS, size_of::<Row>()),
        ("Pick", Pick::FIELDS, size_of::<Pick>()),
        ("Sampler", Sampler::FIELDS, size_of::<Sampler>()),
        ("Bias", Bias::FIELDS, size_of::<Bias>()),
        ("LogProbs", LogProbs::FIELDS, size_of::<LogProbs>()),
    ] {
        assert_eq!(layout(&text, name), (in_rust(fields), size), "{name}");
    }
    assert!(!text.contains("struct Params"));
    for k in KERNELS.iter().filter(|k| !k.params.is_empty()) {
        let (fields, size) = layout(&prelude(k.params), "Params");
        assert_eq!((fields, size), (in_rust(k.params), 4 * k.params.len()), "{}", k.name);
    }
}

#[test]
fn cuda_reads_choices_and_tiles_as_vectors_of_words() {
    // `uint2` and `uint4` in `route.cu`, `expert_matmul.cu`, `expert_group.cu`, `grouped_matmul.cu`.
    let names = |fields: &[Field]| fields.iter().map(|f| (f.name, f.offset)).collect::<Vec<_>>();
    assert_eq!(names(Choice::FIELDS), [("expert", 0), ("weight", 4)]);
    assert_eq!(names(Tile::FIELDS), [("expert", 0), ("first", 4), ("slots", 8), ("reserved", 12)]);
}

fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(dir).unwrap().map(|d| d.unwrap().path()) {
        match path.extension().and_then(|e| e.to_str()) {
            Some("cu" | "cuh") => out.push(path),
            _ if path.is_dir() => files(&path, out),
            _ => {}
        }
    }
}

fn cuda_files() -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    files(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut all);
    all.into_iter().map(|p| (p.clone(), std::fs::read_to_string(&p).unwrap())).collect()
}

#[test]
fn no_cuda_text_defines_a_shared_struct_itself() {
    for (path, text) in cuda_files() {
        for name in ["Params", "Header", "Seq", "Row", "Pick", "Sampler", "Bias", "LogProbs"] {
            assert!(!text.contains(&format!("struct {name} {{")), "{}: {name}", path.display());
        }
    }
}

#[test]
fn enumerations_of_cuda_have_the_values_of_rust() {
    let plain = |name: String| name.replace('_', "").to_lowercase();
    let mut want: Vec<(String, u32)> = vec![("kvblock".into(), KV_BLOCK), ("maxeos".into(), MAX_EOS as u32)];
    let mut add = |prefix: &str, name: String, value| want.push((plain(format!("{prefix}{name}")), value));
    DTYPES.iter().for_each(|d| add("dt", format!("{:?}", d.dtype), d.dtype as u32));
    (0..8).filter_map(ActFormat::from_word).for_each(|a| add("act", format!("{a:?}"), a as u32));
    KV_FORMATS.iter().for_each(|f| add("kv", format!("{f:?}"), *f as u32));
    (0..5).map(StopReason::from_word).for_each(|s| add("stop", format!("{s:?}"), s as u32));
    // All affine formats are above this one's first id.
    want.push(("dtaffine".into(), 0x1000));
    let affine = DTYPES.iter().filter(|d| d.dtype.affine().is_some());
    assert!(affine.clone().all(|d| d.dtype as u32 >= 0x1000) && DType::Mxfp8 as u32 <= 0x0fff);
    let mut seen = 0;
    for (path, text) in cuda_files() {
        for list in text.split("enum {").skip(1).map(|t| t.split_once('}').unwrap().0) {
            for entry in list.split(',').map(str::trim).filter(|e| !e.is_empty()) {
                if !["DT_", "ACT_", "KV_", "STOP_", "MAX_"].iter().any(|p| entry.starts_with(p)) {
                    continue;
                }
                let (name, value) = entry.split_once(" = ").unwrap_or_else(|| panic!("{entry}"));
                let value = match value.strip_prefix("0x") {
                    Some(hex) => u32::from_str_radix(hex, 16).unwrap(),
                    None => value.parse().unwrap(),
                };
                let found = want.iter().find(|w| w.0 == plain(name.to_owned()));
                assert_eq!(found.map(|w| w.1), Some(value), "{}: {name}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen >= 30, "only {seen} values");
}

/// `draw.cu` has the numbers of filters.
#[test]
fn cuda_has_the_filters_numbers() {
    let text = include_str!("../src/draw/draw.cu");
    let list = text.split("enum {").nth(1).unwrap().split('}').next().unwrap();
    let numbers: Vec<u32> =
        list.split(',').map(|e| e.split_once(" = ").unwrap().1.trim().parse().unwrap()).collect();
    assert_eq!(numbers, FILTERS.map(|f| f as u32));
    assert_eq!(list.split(',').next().map(str::trim), Some("TOP_N_SIGMA = 1"));
    let all = Filter::list(FILTERS);
    assert!((0..7).all(|i| Filter::at(all, i) == Some(FILTERS[i])) && Filter::at(all, 7).is_none());
    assert_eq!((Filter::at(0, 0), Filter::at(u32::MAX, 0), Filter::at(0, 100)), (None, None, None));
}

#[test]
fn names_of_a_nested_struct_stand_in_its_place() {
    let names = SplitAttentionConsts::NAMES;
    assert_eq!((names[0], names[8], names[9], names.len()), ("heads", "softcap", "spans", 10));
    let words: Vec<u32> = (0..10).collect();
    let c: SplitAttentionConsts = from_words(&words);
    assert_eq!((c.attention.heads, c.attention.softcap, c.spans), (0, 8, 9));
    assert_eq!(GroupedMatmulConsts::NAMES.last(), Some(&"tile"));
    for k in KERNELS {
        assert!(k.consts.iter().all(|n| !n.is_empty()), "{}", k.name);
    }
}
