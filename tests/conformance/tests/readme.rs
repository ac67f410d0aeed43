//! The README's tables of architectures and formats are those of the registries. `AKUNU_UPDATE_README=1` writes them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::cpu::target;
use akunu::kernels::act::ActFormat;
use akunu::kernels::cpu::Level;
use akunu::plan::arch::ARCHS;
use akunu_kernels::dtype::DTYPES;
use std::path::PathBuf;

fn tables() -> String {
    let mut t = String::from("| architecture | covers |\n|---|---|\n");
    for a in ARCHS {
        t += &format!("| `{}` | {} |\n", a.name, a.covers);
    }
    t += "\n| format | found in | elements per block | bytes per block | activations of its product on the CPU |\n\
          |---|---|---|---|---|\n";
    let target = target(Level::Avx512);
    // Affine formats of one width differ in group and scale only: one line for each width.
    let mut widths = Vec::new();
    for d in DTYPES {
        let act = match target.rule(d.dtype, 256).map(|r| r.act) {
            Some(ActFormat::Q8) => "8-bit, a scale for 16 values",
            Some(ActFormat::F32) => "f32",
            other => panic!("{}: activations {other:?}", d.name),
        };
        let (name, found, block, bytes) = match d.dtype.affine() {
            Some(a) if widths.contains(&a.bits) => continue,
            Some(a) => {
                widths.push(a.bits);
                let of = |group: u32| (4 + group * a.bits / 8).to_string();
                let name = format!("`affine{}`, groups of 32, 64, 128; scales BF16 or F16", a.bits);
                (name, "MLX", "32, 64, 128".into(), [32, 64, 128].map(of).join(", "))
            }
            None => {
                let found = if d.dtype.in_gguf() { "GGUF" } else { "MLX" };
                (format!("`{}`", d.name), found, d.block.to_string(), d.block_bytes.to_string())
            }
        };
        t += &format!("| {name} | {found} | {block} | {bytes} | {act} |\n");
    }
    t
}

#[test]
fn tables_are_those_of_the_registries() {
    const BEGIN: &str = "<!-- registries: written by tests/conformance/tests/readme.rs -->\n";
    const END: &str = "<!-- end of registries -->";
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(BEGIN).expect("the README has the first mark");
    let (there, after) = rest.split_once(END).expect("the README has the second mark");
    let wanted = tables();
    if std::env::var_os("AKUNU_UPDATE_README").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{wanted}{END}{after}")).unwrap();
        return;
    }
    assert!(there == wanted, "the README's tables are old; run this test with AKUNU_UPDATE_README=1");
}
