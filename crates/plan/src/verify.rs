//! The verifier: proves once what every backend then trusts, and finds the dependencies between commands.
//!
//! Checked: every command fits its kernel's contract; every binding lies inside its region and begins at a whole
//! cache line, which aligns it for every element; weights are never written; every scratch byte is written in
//! the same replay before it is read. Computed for the table followed by itself: which earlier commands each
//! command must wait for.

use crate::PlanError;
use crate::region::{RegionKind, WEIGHT_ALIGN};
use crate::table::{Binding, Table};
use akunu_kernels::contract::Access;
use std::ops::Deref;

/// Bindings begin at multiples of this many bytes.
const ALIGN: u64 = 64;

/// A dependency of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dep {
    /// The command waited for.
    pub command: u32,
    /// Whether it is that command of the previous replay.
    pub previous_replay: bool,
}

/// A table that passed, with its dependencies.
#[derive(Clone, Debug)]
pub struct VerifiedTable {
    table: Table,
    deps: Vec<Vec<Dep>>,
}

impl Deref for VerifiedTable {
    type Target = Table;
    fn deref(&self) -> &Table {
        &self.table
    }
}

impl VerifiedTable {
    /// What command `i` must wait for: its direct hazards, without those implied by others of them.
    pub fn deps(&self, i: usize) -> &[Dep] {
        &self.deps[i]
    }
}

/// Checks a table and computes its dependencies.
pub fn verify(table: Table) -> Result<VerifiedTable, PlanError> {
    for i in 0..table.commands.len() {
        check_command(&table, i)?;
    }
    check_initialised(&table)?;
    let deps = dependencies(&table);
    Ok(VerifiedTable { table, deps })
}

fn invalid(t: &Table, i: usize, what: String) -> PlanError {
    let label = t.labels.get(i).map(ToString::to_string).unwrap_or_default();
    PlanError::Invalid { table: t.name.clone(), command: i, label, what }
}

fn check_command(t: &Table, i: usize) -> Result<(), PlanError> {
    let c = &t.commands[i];
    let inside = c.bindings.range().end <= t.bindings.len()
        && c.params.range().end <= t.params.len()
        && (c.kernel as usize) < t.kernels.len()
        && i < t.labels.len();
    if !inside {
        return Err(invalid(t, i, "points outside the table".into()));
    }
    let k = t.kernel_of(i);
    let specs = k.kernel.bindings;
    if c.bindings.len as usize != specs.len()
        || c.params.len as usize != k.kernel.params.len()
        || k.consts.len() != k.kernel.consts.len()
    {
        return Err(invalid(t, i, format!("does not fit the contract of `{}`", k.kernel.name)));
    }
    for (b, spec) in t.bindings_of(i).iter().zip(specs) {
        let Some(r) = t.regions.get(b.region.0 as usize) else {
            return Err(invalid(t, i, format!("binding `{}` names region {}", spec.name, b.region.0)));
        };
        if b.offset.checked_add(b.len).is_none_or(|end| end > r.bytes) {
            let what = format!(
                "binding `{}` is {}+{} of region `{}` with {} bytes",
                spec.name, b.offset, b.len, r.name, r.bytes
            );
            return Err(invalid(t, i, what));
        }
        let align = if r.kind == RegionKind::Weights { WEIGHT_ALIGN } else { ALIGN };
        if !b.offset.is_multiple_of(align) {
            let what = format!("binding `{}` begins at {}, no multiple of {align}", spec.name, b.offset);
            return Err(invalid(t, i, what));
        }
        if b.access != spec.access {
            return Err(invalid(t, i, format!("binding `{}` has the wrong access", spec.name)));
        }
        if r.kind == RegionKind::Weights && b.access != Access::Read {
            return Err(invalid(t, i, format!("binding `{}` writes weights", spec.name)));
        }
    }
    Ok(())
}

/// Every read of scratch must be covered by earlier writes of the same replay.
fn check_initialised(t: &Table) -> Result<(), PlanError> {
    let mut written: Vec<Vec<(u64, u64)>> = vec![Vec::new(); t.regions.len()];
    for i in 0..t.commands.len() {
        for (b, spec) in t.bindings_of(i).iter().zip(t.kernel_of(i).kernel.bindings) {
            let r = &t.regions[b.region.0 as usize];
            if r.kind == RegionKind::Scratch
                && b.access.reads()
                && !covered(&written[b.region.0 as usize], b.offset, b.offset + b.len)
            {
                let what = format!("binding `{}` reads `{}` before it is written", spec.name, r.name);
                return Err(invalid(t, i, what));
            }
        }
        for b in t.bindings_of(i).iter().filter(|b| b.access.writes()) {
            add_range(&mut written[b.region.0 as usize], b.offset, b.offset + b.len);
        }
    }
    Ok(())
}

fn covered(ranges: &[(u64, u64)], from: u64, to: u64) -> bool {
    from == to || ranges.iter().any(|(a, b)| *a <= from && to <= *b)
}

/// Adds a range to a set of disjoint ranges, joining those that touch it.
fn add_range(ranges: &mut Vec<(u64, u64)>, mut from: u64, mut to: u64) {
    ranges.retain(|(a, b)| {
        let apart = *b < from || to < *a;
        if !apart {
            from = from.min(*a);
            to = to.max(*b);
        }
        apart
    });
    ranges.push((from, to));
}

fn conflict(a: &Binding, b: &Binding) -> bool {
    a.region == b.region
        && (a.access.writes() || b.access.writes())
        && a.offset < b.offset + b.len
        && b.offset < a.offset + a.len
}

/// Direct hazards over two replays in a row, reduced: a dependency reachable through another one is dropped.
fn dependencies(t: &Table) -> Vec<Vec<Dep>> {
    let n = t.commands.len();
    let words = (2 * n).div_ceil(64);
    // reach[j]: every command (of the two replays) that j waits for, directly or not.
    let mut reach: Vec<Vec<u64>> = Vec::with_capacity(2 * n);
    let mut out = Vec::with_capacity(n);
    for j in 0..2 * n {
        let mut seen = vec![0u64; words];
        let mut direct = Vec::new();
        for i in (0..j).rev() {
            if seen[i / 64] >> (i % 64) & 1 == 1 {
                continue;
            }
            let hazard =
                t.bindings_of(j % n).iter().any(|b| t.bindings_of(i % n).iter().any(|a| conflict(a, b)));
            if hazard {
                direct.push(i);
                seen[i / 64] |= 1 << (i % 64);
                for (s, r) in seen.iter_mut().zip(&reach[i]) {
                    *s |= r;
                }
            }
        }
        if j >= n {
            let mut deps: Vec<Dep> =
                direct.iter().map(|i| Dep { command: (i % n) as u32, previous_replay: *i < n }).collect();
            deps.sort();
            out.push(deps);
        }
        reach.push(seen);
    }
    out
}
