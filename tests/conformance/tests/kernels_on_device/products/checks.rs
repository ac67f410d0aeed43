//! Whether the checks of products see what is wrong.

use super::*;

/// The bounds are worth something only if the smallest wrong weight breaks them.
#[test]
fn a_weight_off_by_one_step_fails() {
    let mut rng = Random(18);
    let n = 3;
    let affine = formats().filter(|dt| dt.affine().is_some()).map(|dt| (dt, 6));
    let others = [
        (DType::Q4_0, 5),
        (DType::Q4_1, 9),
        (DType::Q5_0, 8),
        (DType::Q5_1, 10),
        (DType::Q8_0, 7),
        (DType::Q2K, 20),
        (DType::Q3K, 40),
        (DType::Q4K, 20),
        (DType::Q5K, 60),
        (DType::Q6K, 3),
        (DType::Q8K, 9),
        (DType::Iq4Nl, 5),
        (DType::Iq4Xs, 20),
        (DType::Mxfp4, 4),
        (DType::Nvfp4, 10),
    ];
    for (dt, byte) in others.into_iter().chain(affine) {
        // One block, whose scale is that of the whole sum.
        let k = dt.block() as usize;
        let native = random_weights(dt, n, k, &mut rng);
        let layout = Layout::Native;
        let mut m = Matrix { dt, layout, k, n, native, sums: Sums::Lanes16, normalised: true };
        let x: Vec<f32> = (0..k).map(|i| if i % 2 == 0 { 1.0 } else { -0.9 }).collect();
        let (good, bound) = m.product(0, &x);
        m.native[byte] ^= 1;
        let (bad, _) = m.product(0, &x);
        assert!((good - bad).abs() > bound, "{dt}: {good} {bad} {bound}");
    }
    for (dt, bit) in [(DType::F16, 0), (DType::Bf16, 0)] {
        let native = random_weights(dt, n, 64, &mut rng);
        let mut m =
            Matrix { dt, layout: Layout::Native, k: 64, n, native, sums: Sums::Units, normalised: false };
        let x = vec![1.0; 64];
        let (good, bound) = m.product(0, &x);
        // The largest weight, whose step is one part in 2^8 or 2^11.
        let (w, _) = m.row(0);
        let at = (0..64).max_by(|a, b| w[*a].abs().total_cmp(&w[*b].abs())).unwrap();
        m.native[2 * at] ^= 1 << bit;
        let (bad, _) = m.product(0, &x);
        assert!((good - bad).abs() > bound, "{dt}: {good} {bad} {bound}");
    }
}

/// What a check sees if a row is dropped or a column is off by one.
#[test]
fn a_dropped_row_and_a_wrong_column_fail() {
    let side_target = Target::of(Machine::Cpu(Level::Reference));
    let side = Side { kind: Kind::Cpu, target: &side_target };
    let mut rng = Random(19);
    let m = Matrix::new(&side, DType::Q8_0, 17, 64, &mut rng).unwrap();
    let c = matmul_case(&matmul::KERNEL, m, ActFormat::F32, 2, None, 3, &mut rng);
    let want = c.command.run(&reference()).unwrap();
    assert!((c.check)(&want, &want).is_ok());
    let stride = (17 + 7) * 4;
    let mut got = want.clone();
    got[3][stride..2 * stride].fill(POISON);
    assert!((c.check)(&want, &got).unwrap_err().contains("is NaN"), "a dropped row");
    let mut got = want.clone();
    got[3].rotate_right(4);
    assert!((c.check)(&want, &got).is_err(), "a wrong column");
    let mut got = want.clone();
    got[3][2 * stride..2 * stride + 4].fill(0);
    assert!((c.check)(&want, &got).unwrap_err().contains("is written"), "a row too many");
}
