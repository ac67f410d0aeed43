//! Which table of the ladder a step runs in.

use akunu_kernels::step::RowCount;
use akunu_plan::Target;

/// The families of tables that a step may run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Families {
    /// Whichever the smallest table is of.
    Any,
    /// The largest table's alone: rows have the same bits in all of its tables, whatever else is in the step.
    Last,
}

/// The place in a ladder, ascending by rows, of the table for `n` rows: the smallest of these families that holds them, else the
/// largest.
pub(super) fn rung_of<T>(
    target: &Target,
    ladder: &[(RowCount, T)],
    n: RowCount,
    families: Families,
) -> usize {
    let last = ladder.len().saturating_sub(1);
    // A family is known by its most rows.
    let family = |rows: RowCount| target.family(rows).rows;
    let allowed = |rows: RowCount| match (families, ladder.last()) {
        (Families::Last, Some((most, _))) => family(rows) == family(*most),
        _ => true,
    };
    ladder.iter().position(|(rows, _)| *rows >= n && allowed(*rows)).unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use akunu_kernels::Machine;
    use akunu_kernels::cpu::Level;
    use akunu_kernels::cuda::Gpu;

    /// The rows of the tables for so many rows.
    fn rungs(target: &Target, ladder: &[u32], families: Families, n: &[u32]) -> Vec<u32> {
        let ladder: Vec<(RowCount, ())> = ladder.iter().map(|rows| (RowCount(*rows), ())).collect();
        n.iter().map(|n| ladder[rung_of(target, &ladder, RowCount(*n), families)].0.0).collect()
    }

    #[test]
    fn a_step_runs_in_the_smallest_table_that_may_hold_it() {
        let cpu = Target::of(Machine::Cpu(Level::Portable));
        let n = [0, 1, 2, 8, 9, 16, 17, 64, 65, 512, 513];
        let any = rungs(&cpu, &[1, 8, 16, 64, 512], Families::Any, &n);
        assert_eq!(any, [1, 1, 8, 8, 16, 16, 64, 64, 512, 512, 512]);
        let last = rungs(&cpu, &[1, 8, 16, 64, 512], Families::Last, &n);
        assert_eq!(last, [16, 16, 16, 16, 16, 16, 64, 64, 512, 512, 512]);
        // A ladder cut by its context has one family.
        assert_eq!(rungs(&cpu, &[1, 5], Families::Last, &[1, 2, 5]), [1, 5, 5]);
        assert_eq!(rungs(&cpu, &[1], Families::Last, &[1, 7]), [1, 1]);
    }

    /// A GPU has three families; the last is the largest table's.
    #[test]
    fn the_last_family_is_the_largest_tables() {
        let gpu = Target::of(Machine::Cuda(Gpu { sm: 90, multiprocessors: 132, shared: 227 << 10 }));
        let bounds: Vec<u32> = gpu.families.iter().map(|f| f.rows.0).collect();
        let (few, some) = (bounds[0], bounds[1]);
        let ladder = [1, few, few + 1, some, some + 1, 4 * some];
        let n = [1, few, few + 1, some, some + 1, some + 2];
        assert_eq!(rungs(&gpu, &ladder, Families::Any, &n), [1, few, few + 1, some, some + 1, 4 * some]);
        let last = rungs(&gpu, &ladder, Families::Last, &n);
        assert_eq!(last, [some + 1, some + 1, some + 1, some + 1, some + 1, 4 * some]);
        assert_eq!(rungs(&gpu, &ladder[..4], Families::Last, &n[..4]), [few + 1, few + 1, few + 1, some]);
    }
}
