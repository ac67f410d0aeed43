//! Metal's kernels as data: their texts fit the contracts, and what is missing is an error with a name. None of this needs a device; what the
//! texts compute, the conformance suite's tests called `metal` show.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_kernels::machine::Version;
use akunu_kernels::metal::{BEGIN, CHIPS, Chip, ENTRY, STEP_END};
use akunu_kernels::vulkan::{self, SOURCES};
use akunu_kernels::{KERNELS, Kernel, KernelError, Launch, Machine, Target};

fn machine() -> Machine {
    Machine::Metal(Chip::of(7))
}

fn text_of(kernel: &Kernel) -> Option<&'static str> {
    kernel.versions.iter().find_map(|v| if let Version::Metal(text) = v { Some(*text) } else { None })
}

/// What every text has: one entry point with one buffer, exact arithmetic, and nothing that Metal does not know.
fn check_text(name: &str, text: &str) {
    assert_eq!(text.matches("[[kernel]]").count(), 1, "{name}");
    assert!(text.contains(&format!("[[kernel]] void {ENTRY}(")), "{name}");
    assert_eq!(text.matches("[[buffer(").count(), 1, "{name}");
    assert!(text.contains("[[buffer(0)]]"), "{name}");
    for pragma in ["#pragma METAL fp math_mode(safe)", "#pragma METAL fp contract(off)"] {
        assert!(text.contains(pragma), "{name}: {pragma}");
    }
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    assert!(!words.any(|w| w == "double" || w == "precise" || w.ends_with("ULL")), "{name}");
}

#[test]
fn the_committed_texts_fit_their_contracts() {
    for kernel in KERNELS {
        let Some(text) = text_of(kernel) else { continue };
        check_text(kernel.name, text);
        let mut found = 0;
        for part in text.split("[[function_constant(").skip(1) {
            let index: usize = part.split(')').next().unwrap().parse().unwrap();
            assert!(index < kernel.consts.len(), "{}: constant {index}", kernel.name);
            found += 1;
        }
        assert!(found > 0, "{}", kernel.name);
    }
    check_text("begin", BEGIN);
    check_text("step_end", STEP_END);
}

/// The geometry of a Metal version is that of the Vulkan version, whose source is the same.
#[test]
fn every_text_has_a_vulkan_version_beside_it() {
    for k in KERNELS {
        let made = SOURCES.iter().any(|s| std::ptr::eq(s.kernel, *k) && s.metal == vulkan::Metal::Made);
        assert_eq!(made, text_of(k).is_some(), "{}", k.name);
    }
}

#[test]
fn a_missing_kernel_is_named() {
    for k in KERNELS.iter().filter(|k| text_of(k).is_none()) {
        let e = k.launch(&machine(), &vec![1; k.consts.len()]).unwrap_err();
        match &e {
            KernelError::Unsupported { kernel, .. } | KernelError::Constants { kernel, .. } => {
                assert_eq!(*kernel, k.name)
            }
        }
    }
}

#[test]
fn a_launch_has_the_text_and_the_geometry() {
    let target = Target::of(machine());
    assert_eq!(target.name, "metal apple7");
    for r in &target.rules {
        // dtype, layout, act, k, n, out_stride, out_col, select, max_rows.
        let consts = [r.dtype as u32, r.layout as u32, 0, 256, 20, 20, 0, 0, 9];
        let Ok(Launch::Metal(l)) = akunu_kernels::matmul::KERNEL.launch(&machine(), &consts) else {
            panic!("{}", r.dtype);
        };
        assert_eq!((l.groups, l.threads), ([5, 2, 1], 64));
        assert!(l.text.starts_with("// Made by tools/vulkan-kernels.sh of matmul.slang"));
    }
    let wide = akunu_kernels::draw::KERNEL.launch(&machine(), &[64, 32, 64, 1]).unwrap();
    assert_eq!(wide.geometry().block, 256);
}

#[test]
fn families_are_listed_in_order_and_new_ones_are_taken_for_the_last() {
    assert!(CHIPS.is_sorted_by_key(|c| c.family));
    for c in CHIPS {
        assert_eq!(Chip::of(c.family), *c);
    }
    let last = CHIPS.last().unwrap();
    assert_eq!(Chip::of(99), Chip { family: 99, ..*last });
    assert_eq!(Chip::of(3).chunk, CHIPS[0].chunk);
}
