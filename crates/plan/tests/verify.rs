//! Broken tables are refused with the right words, and dependencies are those of a brute-force search.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use akunu_kernels as kernels;
use akunu_kernels::contract::{Access, Kernel};
use akunu_kernels::cpu::{Call, Level};
use akunu_kernels::machine::{CpuLaunch, Launch, Machine};
use akunu_kernels::step::RowCount;
use akunu_plan::table::{Binding, Command, KernelUse, Label, RegionDecl, RegionId, RegionKind, Span, Table};
use akunu_plan::verify::{Dep, VerifiedTable, verify};
use akunu_plan::{Region, Shape};
use proptest::prelude::*;

/// A table of hand-made commands over small regions.
fn table(regions: &[(RegionKind, u64)]) -> Table {
    const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
    let decl = |(i, (kind, bytes)): (usize, &(RegionKind, u64))| RegionDecl {
        region: None,
        name: NAMES[i],
        kind: *kind,
        bytes: *bytes,
    };
    Table {
        name: "made".into(),
        machine: Machine::Cpu(Level::Reference),
        rows: RowCount(1),
        head_rows: RowCount(1),
        ending: akunu_plan::Ending::Advance,
        steps: akunu_plan::Steps::Many,
        capacity: akunu_kernels::step::Capacity::session(RowCount(1)),
        kv_blocks: None,
        window_blocks: 0,
        regions: regions.iter().enumerate().map(decl).collect(),
        kernels: Vec::new(),
        commands: Vec::new(),
        bindings: Vec::new(),
        params: Vec::new(),
        labels: Vec::new(),
    }
}

/// These tables are never run.
unsafe fn nothing(_: &Call<'_>, _: u32, _: u32) {}

/// (region, offset, length)
type Range = (u32, u64, u64);

fn push(t: &mut Table, kernel: &'static Kernel, ranges: &[Range]) {
    assert_eq!(ranges.len(), kernel.bindings.len());
    let launch = Launch::Cpu(CpuLaunch { run: nothing, units: 1 });
    t.kernels.push(KernelUse { kernel, consts: vec![1; kernel.consts.len()], launch });
    t.commands.push(Command {
        kernel: t.kernels.len() as u32 - 1,
        bindings: Span { start: t.bindings.len() as u32, len: ranges.len() as u32 },
        params: Span { start: t.params.len() as u32, len: kernel.params.len() as u32 },
    });
    t.params.extend(vec![0; kernel.params.len()]);
    t.labels.push(Label { layer: None, group: "made" });
    t.bindings.extend(ranges.iter().zip(kernel.bindings).map(|((region, offset, len), spec)| Binding {
        region: RegionId(*region),
        offset: *offset,
        len: *len,
        access: spec.access,
    }));
}

/// Reads its first range, writes its second; region 0 stands for the step block.
fn copy(t: &mut Table, from: Range, to: Range) {
    push(t, &kernels::quantize::KERNEL, &[(0, 0, 64), from, to]);
}

/// Reads and writes one range.
fn change(t: &mut Table, range: Range) {
    push(t, &kernels::advance::KERNEL, &[range, (0, 0, 64), range]);
}

use RegionKind::{Persistent, Scratch, Weights};

/// A good table of a real model, to be broken.
fn real() -> Table {
    let p = support::small().program(support::packed(), 300);
    (*p.table("decode", Shape::new(RowCount(8), RowCount(1))).unwrap()).clone()
}

/// Breaks the real table and expects these words.
#[track_caller]
fn refused(breakage: impl Fn(&mut Table), want: &str) {
    let mut t = real();
    breakage(&mut t);
    let e = verify(t).unwrap_err().to_string();
    assert!(e.contains(want), "{e}");
    assert!(e.contains("table `decode`, command 2 (layers.0.attention.norm)"), "{e}");
}

/// Binding `n` of command 2: the first norm (step, x, weight, out).
fn binding(t: &mut Table, n: usize) -> &mut Binding {
    let at = t.commands[2].bindings.start as usize + n;
    &mut t.bindings[at]
}

#[test]
fn bindings_outside_their_region_are_refused() {
    refused(|t| binding(t, 1).len += 1 << 20, "binding `x` is 0+");
    refused(|t| binding(t, 3).offset = 1 << 40, "of region `x` with");
    refused(|t| binding(t, 3).offset = !63, "binding `out` is 18446744073709551552+");
    refused(|t| binding(t, 2).len = u64::MAX, "+18446744073709551615 of region `weights`");
    let first_unknown = real().regions.len() as u32;
    let want = format!("binding `x` names region {first_unknown}");
    refused(|t| binding(t, 1).region = RegionId(first_unknown), &want);
    refused(|t| binding(t, 1).region = RegionId(u32::MAX), "names region 4294967295");
    // One byte too many, at the end of the region.
    refused(
        |t| {
            let bytes = t.regions[Region::Weights as usize].bytes;
            binding(t, 2).offset = bytes - 64;
            binding(t, 2).len = 65;
        },
        "of region `weights`",
    );
}

#[test]
fn misaligned_bindings_are_refused() {
    refused(|t| binding(t, 2).offset += 4, "binding `weight` begins at");
    refused(|t| binding(t, 2).offset += 1, "no multiple of 32");
    refused(
        |t| {
            let b = binding(t, 1);
            (b.offset, b.len) = (b.offset + 32, b.len - 32);
        },
        "no multiple of 64",
    );
}

#[test]
fn wrong_access_is_refused() {
    refused(|t| binding(t, 3).access = Access::Read, "binding `out` has the wrong access");
    refused(|t| binding(t, 1).access = Access::ReadWrite, "binding `x` has the wrong access");
    refused(|t| binding(t, 3).access = Access::ReadWrite, "binding `out` has the wrong access");
}

#[test]
fn writing_weights_is_refused() {
    refused(
        |t| {
            binding(t, 3).region = Region::Weights.id();
            binding(t, 3).len = 64;
        },
        "binding `out` writes weights",
    );
}

#[test]
fn spans_and_indices_outside_the_table_are_refused() {
    let outside = "points outside the table";
    refused(|t| t.commands[2].kernel = t.kernels.len() as u32, outside);
    refused(|t| t.commands[2].kernel = u32::MAX, outside);
    refused(|t| t.commands[2].bindings.start = t.bindings.len() as u32 - 3, outside);
    refused(|t| t.commands[2].bindings = Span { start: u32::MAX, len: u32::MAX }, outside);
    refused(|t| t.commands[2].params.start = t.params.len() as u32, outside);
    let mut t = real();
    t.labels.truncate(2);
    let e = verify(t).unwrap_err().to_string();
    assert!(e.contains(outside) && e.contains("command 2 ()"), "{e}");
}

#[test]
fn lengths_that_do_not_fit_the_contract_are_refused() {
    let contract = "does not fit the contract of `rms_norm`";
    refused(|t| t.commands[2].params.len = 0, contract);
    refused(|t| t.commands[2].bindings.len = 3, contract);
    refused(
        |t| {
            let k = t.commands[2].kernel as usize;
            t.kernels[k].consts.pop();
        },
        contract,
    );
    refused(
        |t| {
            t.params.extend([0; 8]);
            t.commands[2].params.len = 2;
        },
        contract,
    );
}

#[test]
fn scratch_read_before_it_is_written_is_refused() {
    // The embedding's output is h0; without it the norm has nothing to read.
    let mut t = real();
    t.commands.remove(0);
    t.labels.remove(0);
    let e = verify(t).unwrap_err().to_string();
    assert!(e.contains("binding `x` reads `h0` before it is written"), "{e}");
    assert!(e.contains("command 1 (layers.0.attention.norm)"), "{e}");

    // A command cannot be its own source, nor can a later one or the replay before.
    let mut t = table(&[(Persistent, 64), (Scratch, 256)]);
    copy(&mut t, (1, 0, 64), (1, 64, 64));
    copy(&mut t, (0, 0, 64), (1, 0, 64));
    let e = verify(t).unwrap_err().to_string();
    assert!(e.contains("command 0") && e.contains("reads `b` before"), "{e}");

    // Reading and writing counts as reading.
    let mut t = table(&[(Persistent, 64), (Scratch, 256)]);
    change(&mut t, (1, 0, 64));
    assert!(verify(t).unwrap_err().to_string().contains("reads `b` before"));

    // A byte that nobody wrote.
    let mut t = table(&[(Persistent, 64), (Scratch, 256)]);
    copy(&mut t, (0, 0, 64), (1, 0, 64));
    copy(&mut t, (0, 0, 64), (1, 128, 64));
    copy(&mut t, (1, 0, 65), (0, 0, 64));
    assert!(verify(t).unwrap_err().to_string().contains("command 2"));
}

#[test]
fn scratch_may_be_written_piece_by_piece_in_any_order() {
    let mut t = table(&[(Persistent, 64), (Scratch, 256)]);
    for from in [128, 0, 192, 64] {
        copy(&mut t, (0, 0, 64), (1, from, 64));
    }
    copy(&mut t, (1, 0, 256), (0, 0, 64));
    verify(t).unwrap();
    // Persistent memory and weights hold what was there before.
    let mut t = table(&[(Persistent, 64), (Weights, 256), (Persistent, 256)]);
    copy(&mut t, (1, 0, 256), (2, 0, 64));
    copy(&mut t, (2, 64, 128), (0, 0, 64));
    verify(t).unwrap();
}

#[test]
fn an_empty_table_is_fine() {
    verify(table(&[])).unwrap();
}

fn deps(t: &VerifiedTable, i: usize) -> Vec<(u32, bool)> {
    t.deps(i).iter().map(|d| (d.command, d.previous_replay)).collect()
}

/// Regions: 0 is only read, the others are persistent.
fn made(build: impl Fn(&mut Table)) -> VerifiedTable {
    let mut t = table(&[
        (Persistent, 64),
        (Persistent, 256),
        (Persistent, 256),
        (Persistent, 256),
        (Persistent, 256),
    ]);
    build(&mut t);
    verify(t).unwrap()
}

#[test]
fn read_after_write_write_after_read_and_write_after_write() {
    // b = ..; c = b; b = ..; b = ..
    let t = made(|t| {
        copy(t, (0, 0, 64), (1, 0, 64));
        copy(t, (1, 0, 64), (2, 0, 64));
        copy(t, (0, 0, 64), (1, 0, 64));
        copy(t, (0, 0, 64), (1, 0, 64));
    });
    assert_eq!(deps(&t, 1), [(0, false)], "read after write; the write of c in the last replay is implied");
    assert_eq!(deps(&t, 2), [(1, false)], "write after read, which implies the write before");
    assert_eq!(deps(&t, 3), [(2, false)], "write after write");
    assert_eq!(deps(&t, 0), [(3, true)], "write after write of the replay before");
}

#[test]
fn hazards_reach_across_replays() {
    // Read b, then write b: the next replay's read must wait for this write, and only for it.
    let t = made(|t| {
        copy(t, (1, 0, 64), (2, 0, 64));
        copy(t, (0, 0, 64), (1, 0, 64));
    });
    assert_eq!(deps(&t, 0), [(1, true)], "read after the write of the replay before");
    assert_eq!(deps(&t, 1), [(0, false)]);
    // A command that keeps writing one place waits for itself.
    let t = made(|t| copy(t, (0, 0, 64), (1, 0, 64)));
    assert_eq!(deps(&t, 0), [(0, true)]);
}

#[test]
fn independent_commands_wait_for_nothing_but_themselves() {
    let t = made(|t| {
        copy(t, (0, 0, 64), (1, 0, 64));
        copy(t, (0, 0, 64), (2, 0, 64));
        // The same region, side by side.
        copy(t, (0, 0, 64), (1, 64, 64));
    });
    for i in 0..3 {
        assert_eq!(deps(&t, i), [(i as u32, true)]);
    }
    // Two readers do not wait for each other.
    let t = made(|t| {
        copy(t, (0, 0, 64), (1, 0, 256));
        copy(t, (1, 0, 64), (2, 0, 64));
        copy(t, (1, 0, 64), (3, 0, 64));
        push(t, &kernels::sample::KERNEL, &[(0, 0, 64), (2, 0, 64), (3, 0, 64), (4, 0, 64)]);
    });
    assert_eq!((deps(&t, 1), deps(&t, 2)), (vec![(0, false), (3, true)], vec![(0, false), (3, true)]));
    assert_eq!(deps(&t, 3), [(1, false), (2, false)], "both, for neither implies the other");
}

/// In a real table: queries wait for the norm, the next layer's norm for the sum; the step block ties replays.
#[test]
fn the_dependencies_of_a_real_table() {
    let t = verify(real()).unwrap();
    let last = t.commands.len() as u32 - 1;
    assert_eq!(deps(&t, 0), [(last, true)], "embed reads the step block that `advance` wrote");
    assert_eq!(deps(&t, 1), [(last, true)], "rope_angles runs beside embed");
    assert_eq!(deps(&t, 2), [(0, false)]);
    assert_eq!(deps(&t, 4), [(1, false), (3, false)], "rope_kv needs the angles and the products");
    assert_eq!(deps(&t, last as usize), [(last - 1, false)]);
}

/// One random command: which kernel, and a range of cells for each binding.
#[derive(Clone, Debug)]
struct Made {
    kernel: usize,
    ranges: Vec<(u32, u64, u64)>,
}

const MADE: [&Kernel; 5] = [
    &kernels::quantize::KERNEL,
    &kernels::sample::KERNEL,
    &kernels::advance::KERNEL,
    &kernels::kv_shift::KERNEL,
    &kernels::rope_kv::KERNEL,
];
/// Cells of 64 bytes in each of two regions.
const CELLS: u64 = 6;

fn random_command() -> impl Strategy<Value = Made> {
    let range = (0u32..2, 0..CELLS, 1u64..3).prop_map(|(r, from, n)| (r, from, n.min(CELLS - from)));
    (0..MADE.len(), prop::collection::vec(range, 6)).prop_map(|(kernel, ranges)| Made { kernel, ranges })
}

/// Cells that a command reads and writes, as bit sets.
fn cells(m: &Made) -> (u64, u64) {
    let (mut reads, mut writes) = (0, 0);
    for ((region, from, n), spec) in m.ranges.iter().zip(MADE[m.kernel].bindings) {
        let bits = ((1 << n) - 1) << (u64::from(*region) * CELLS + from);
        reads |= if spec.access.reads() { bits } else { 0 };
        writes |= if spec.access.writes() { bits } else { 0 };
    }
    (reads, writes)
}

/// What each command of the last of three replays must wait for: the transitive reduction of all hazards.
fn brute_force(commands: &[Made]) -> Vec<Vec<usize>> {
    let n = commands.len();
    let sets: Vec<(u64, u64)> = (0..3 * n).map(|i| cells(&commands[i % n])).collect();
    let hazard = |i: usize, j: usize| {
        let ((ri, wi), (rj, wj)) = (sets[i], sets[j]);
        i < j && (wi & rj != 0 || ri & wj != 0 || wi & wj != 0)
    };
    let mut path: Vec<Vec<bool>> = (0..3 * n).map(|i| (0..3 * n).map(|j| hazard(i, j)).collect()).collect();
    for k in 0..3 * n {
        for i in 0..3 * n {
            for j in 0..3 * n {
                path[i][j] |= path[i][k] && path[k][j];
            }
        }
    }
    (2 * n..3 * n)
        .map(|j| (0..j).filter(|i| hazard(*i, j) && !(0..3 * n).any(|k| path[*i][k] && path[k][j])).collect())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dependencies_are_the_transitive_reduction(commands in prop::collection::vec(random_command(), 1..9)) {
        let mut t = table(&[(Persistent, CELLS * 64), (Persistent, CELLS * 64)]);
        for c in &commands {
            let kernel = MADE[c.kernel];
            let ranges: Vec<Range> =
                c.ranges[..kernel.bindings.len()].iter().map(|(r, from, n)| (*r, from * 64, n * 64)).collect();
            push(&mut t, kernel, &ranges);
        }
        let t = verify(t).unwrap();
        let n = commands.len();
        for (i, want) in brute_force(&commands).into_iter().enumerate() {
            // Nothing two replays back is needed directly.
            prop_assert!(want.iter().all(|w| *w >= n));
            let got: Vec<usize> =
                t.deps(i).iter().map(|d| d.command as usize + if d.previous_replay { n } else { 2 * n }).collect();
            let mut sorted = got.clone();
            sorted.sort_unstable();
            prop_assert_eq!(&sorted, &want, "command {}", i);
            prop_assert!(t.deps(i).is_sorted_by_key(|d: &Dep| (d.command, d.previous_replay)));
        }
    }
}
