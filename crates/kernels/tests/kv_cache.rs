//! The formats of the KV cache: where their bytes lie, and what they keep of a value.

use akunu_kernels::kv::{KV_FORMATS, KV_GROUP, KvFormat, KvPlace, kv_place};
use akunu_kernels::step::Block;
use half::f16;

mod harness;
use harness::Random;

#[test]
fn places_cover_a_cache_once() {
    for format in KV_FORMATS {
        for hd in [2, 33, 64, 96, 256].into_iter().filter(|hd| format.holds(*hd)) {
            let (table, kv_heads) = ([2, 0, 1].map(Block), 3);
            let mut seen = vec![0u8; 3 * kv_heads * format.tile_bytes(hd)];
            for (pos, head) in (0..768).flat_map(|p| (0..kv_heads).map(move |h| (p, h))) {
                let (values, scales) = format.bytes_of(hd, kv_place(&table, kv_heads, head, pos));
                assert_eq!(values.len() + scales.len(), format.row_bytes(hd));
                seen[values].iter_mut().for_each(|b| *b += 1);
                seen[scales].iter_mut().for_each(|b| *b += 1);
            }
            assert!(seen.iter().all(|b| *b == 1), "{} with heads of {hd}", format.name());
            assert_eq!(format.tile_bytes(hd) % 64, 0, "tiles begin at cache lines");
        }
    }
    assert!(!KvFormat::Q8_0.holds(80) && KvFormat::Bf16.holds(80));
}

/// The layout as ADR 0020 has it, byte by byte.
#[test]
fn a_tile_of_q8_0_has_codes_and_then_scales() {
    let (hd, tile, row) = (64, 1, 200);
    let mut cache = vec![0xAAu8; 2 * KvFormat::Q8_0.tile_bytes(hd)];
    let x: Vec<f32> = (0..hd).map(|i| if i < 32 { i as f32 * 4.0 + 3.0 } else { -(i as f32) }).collect();
    KvFormat::Q8_0.write(&mut cache, KvPlace { tile, row }, &x);
    let start = 256 * (64 + 4);
    let codes = &cache[start + 200 * 64..][..64];
    let scales = &cache[start + 256 * 64 + 200 * 4..][..4];
    // The first group's largest value is 127, the second's -63.
    assert_eq!(f16::from_le_bytes([scales[0], scales[1]]), f16::ONE);
    assert_eq!((codes[0] as i8, codes[31] as i8), (3, 127));
    assert_eq!(f16::from_le_bytes([scales[2], scales[3]]), f16::from_f32(63.0 / 127.0));
    assert_eq!((codes[63] as i8, codes[32] as i8), (-127, -65));
    assert_eq!(cache.iter().filter(|b| **b != 0xAA).count(), 68, "nothing else was written");
}

/// A value comes back within half a step, and what came back is kept as it is.
#[test]
fn q8_0_keeps_values_within_half_a_step() {
    let mut rng = Random(91);
    let place = KvPlace { tile: 0, row: 17 };
    for (i, size) in [1e-4f32, 0.01, 1.0, 300.0, 1e5].into_iter().enumerate() {
        for _ in 0..200 {
            let hd = [32, 64, 128][i % 3];
            let x: Vec<f32> = rng.normals(hd).iter().map(|v| v * size).collect();
            let mut cache = vec![0u8; KvFormat::Q8_0.tile_bytes(hd)];
            KvFormat::Q8_0.write(&mut cache, place, &x);
            let mut y = vec![0f32; hd];
            KvFormat::Q8_0.read(&cache, place, &mut y);
            for (x, y) in x.chunks(KV_GROUP).zip(y.chunks(KV_GROUP)) {
                let most = x.iter().fold(0f32, |m, v| m.max(v.abs()));
                // The scale is off by half an ulp of f16, which is 2^-25 where it is subnormal, in up to 127 steps.
                let scale = most / 127.0;
                let bound = scale * (0.5 + 127.0 / 2048.0) + 128.0 * 2f32.powi(-25);
                for (x, y) in x.iter().zip(y) {
                    assert!((x - y).abs() <= bound, "{y} for {x} in a group up to {most}");
                }
            }
            let mut again = vec![0u8; cache.len()];
            KvFormat::Q8_0.write(&mut again, place, &y);
            assert!(size < 0.01 || again == cache, "stored values change when they are stored again");
        }
    }
}

#[test]
fn q8_0_hides_nothing_and_overflows_nowhere() {
    let place = KvPlace { tile: 0, row: 255 };
    let back = |x: &[f32]| {
        let mut cache = vec![0u8; KvFormat::Q8_0.tile_bytes(x.len())];
        KvFormat::Q8_0.write(&mut cache, place, x);
        let mut y = vec![0f32; x.len()];
        KvFormat::Q8_0.read(&cache, place, &mut y);
        y
    };
    assert!(back(&[0.0; 32]).iter().all(|v| *v == 0.0));
    assert!(back(&[1e-30; 32]).iter().all(|v| *v == 0.0), "too small for any scale");
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut x = [1f32; 64];
        x[40] = bad;
        let y = back(&x);
        assert!(y[..32].iter().all(|v| (v - 1.0).abs() < 1e-3), "the other group stays");
        assert!(y[32..].iter().all(|v| v.is_nan()), "a group with {bad} is no number");
    }
    let y = back(&[1e30; 32]);
    assert!(y.iter().all(|v| *v == 65504.0 * 127.0), "the largest value there is");
}
