//! Every format's values, bit for bit those of the reference package (`fixtures/dequant.py` made them).

use akunu_kernels::DType;
use akunu_kernels::dtype::{DTYPES, dequantize_native_row};
use akunu_model::source::check_finite;

const FIXTURE: &[u8] = include_bytes!("fixtures/dequant.bin");

struct Case {
    dtype: DType,
    rows: usize,
    cols: usize,
    data: &'static [u8],
    values: Vec<f32>,
}

fn cases() -> Vec<Case> {
    let mut rest = FIXTURE;
    let mut take = |n: usize| {
        let (head, tail) = rest.split_at(n);
        rest = tail;
        (head, tail.is_empty())
    };
    let mut all = Vec::new();
    loop {
        let head: Vec<u32> = take(16).0.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        let (rows, cols) = (head[1] as usize, head[2] as usize);
        let data = take(head[3] as usize).0;
        let (values, last) = take(rows * cols * 4);
        let values = values.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let dtype = DType::from_ggml(head[0]).expect("a computable format");
        all.push(Case { dtype, rows, cols, data, values });
        if last {
            return all;
        }
    }
}

#[test]
fn equals_the_reference_package() {
    for c in cases() {
        assert_eq!(c.data.len() as u64, c.rows as u64 * c.dtype.row_bytes(c.cols as u64), "{}", c.dtype);
        let mut row = vec![f32::NAN; c.cols];
        for r in 0..c.rows {
            dequantize_native_row(c.dtype, c.data, c.cols, r, &mut row);
            for (i, (found, wanted)) in row.iter().zip(&c.values[r * c.cols..]).enumerate() {
                assert!(
                    found.to_bits() == wanted.to_bits(),
                    "{} row {r} column {i}: {found:e}, wanted {wanted:e}",
                    c.dtype
                );
            }
        }
    }
}

#[test]
fn finite_values_are_not_refused() {
    for c in cases() {
        assert_eq!(check_finite(c.dtype, c.data), None, "{}", c.dtype);
    }
}

#[test]
fn every_format_is_covered() {
    let covered: Vec<DType> = cases().iter().map(|c| c.dtype).collect();
    for d in DTYPES {
        assert!(covered.contains(&d.dtype), "{} is not in fixtures/dequant.py", d.name);
    }
}
