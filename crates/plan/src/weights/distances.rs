//! Biases of scores by distance: which row of the table each distance has.

use crate::PlanError;
use akunu_kernels::full_attention::MAX_REACH;

/// The row of the biases for each distance from -[`MAX_REACH`] up: half of the rows are for keys after their query, and of each half the
/// first half for one distance each, the others for ever more of them (Raffel et al., 2020). In f32, as the models' own code.
pub(super) fn distance_buckets(buckets: u32) -> Result<Vec<u32>, PlanError> {
    let (half, single) = (buckets / 2, buckets / 4);
    if single == 0 || !buckets.is_multiple_of(2) || single >= MAX_REACH {
        return Err(PlanError::Config {
            field: "biases by distance",
            value: buckets.to_string(),
            remedy: "there must be an even number from 4 to 510; the model's configuration is broken",
        });
    }
    let scale = (f64::from(MAX_REACH) / f64::from(single)).ln() as f32;
    let bucket = |n: u32| {
        if n < single {
            return n;
        }
        let wide = (n as f32 / single as f32).ln() / scale * (half - single) as f32;
        (single + wide as u32).min(half - 1)
    };
    let reach = MAX_REACH as i32;
    let of = |d: i32| bucket(d.unsigned_abs()) + if d > 0 { half } else { 0 };
    Ok((-reach..=reach).map(of).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    /// As `compute_position_bucket` of transformers' MPNet has them: keys before the query in the first half.
    #[test]
    fn buckets_are_those_of_mpnet() {
        let all = distance_buckets(32).unwrap();
        let at = |d: i32| all[(d + MAX_REACH as i32) as usize];
        assert_eq!([0, -1, -7, -8, -11, -12, -15, -16].map(at), [0, 1, 7, 8, 8, 9, 9, 10]);
        assert_eq!([-22, -23, -32, -46, -64, -90, -91, -128].map(at), [10, 11, 12, 13, 14, 14, 15, 15]);
        assert!((1..=128).all(|d| at(d) == at(-d) + 16));
        for broken in [0, 2, 7, 512] {
            assert!(distance_buckets(broken).is_err(), "{broken}");
        }
    }
}
