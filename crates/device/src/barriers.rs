//! Where a table's commands need a barrier. A barrier lets nothing after it begin before all that is before it has ended, so one
//! settles every dependency across it.

use akunu_plan::VerifiedTable;

/// For each command, whether a barrier stands before it.
pub(crate) fn barriers(table: &VerifiedTable) -> Vec<bool> {
    place((0..table.commands.len()).map(|i| {
        let deps = table.deps(i).iter();
        // Those of the step before are settled by the barrier that every step begins with.
        deps.filter(|d| !d.previous_replay).map(|d| d.command).max()
    }))
}

/// The same, given the last command that each must wait for.
fn place(last: impl Iterator<Item = Option<u32>>) -> Vec<bool> {
    let mut since = 0;
    let one = |(i, last): (usize, Option<u32>)| {
        let needed = last.is_some_and(|l| l >= since);
        if needed {
            since = i as u32;
        }
        needed
    };
    last.enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_barrier_settles_all_before_it() {
        let place = |last: &[Option<u32>]| place(last.iter().copied());
        assert!(place(&[]).is_empty());
        // Independent commands need none.
        assert_eq!(place(&[None, None, None]), [false; 3]);
        // A chain needs all.
        assert_eq!(place(&[None, Some(0), Some(1)]), [false, true, true]);
        // The barrier before 2 also settles what 3 waits for, and 4 waits for nothing new.
        assert_eq!(place(&[None, None, Some(0), Some(1), Some(1)]), [false, false, true, false, false]);
        // What was after the barrier is not settled by it.
        assert_eq!(place(&[None, Some(0), None, Some(2)]), [false, true, false, true]);
    }
}
