//! KV caches in every format: filled, and compared by what they hold.

use akunu::kernels::kv::{KV_GROUP, KvFormat, KvPlace};

/// Formats of keys and values.
pub(crate) type Kv = [KvFormat; 2];

pub(crate) const F16: Kv = [KvFormat::F16; 2];

const OTHERS: [Kv; 5] = [
    [KvFormat::Q8_0, KvFormat::Q8_0],
    [KvFormat::Bf16, KvFormat::Bf16],
    [KvFormat::F16, KvFormat::Q8_0],
    [KvFormat::Q8_0, KvFormat::Bf16],
    [KvFormat::Bf16, KvFormat::F16],
];

/// f16 for both, and for every other case also another pair, in turn; bf16 where heads have no whole groups of q8_0.
pub(crate) fn pairs(i: usize, head_dim: u32) -> Vec<Kv> {
    let fits = |f: KvFormat| if f.holds(head_dim as usize) { f } else { KvFormat::Bf16 };
    let other = (i % 2 == 1).then(|| OTHERS[i / 2 % OTHERS.len()].map(fits));
    [Some(F16), other].into_iter().flatten().collect()
}

pub(crate) fn name([k, v]: Kv) -> String {
    format!("{}/{}", k.name(), v.name())
}

/// A cache whose places hold what `x` gives.
pub(crate) fn filled(
    format: KvFormat,
    tiles: usize,
    head_dim: u32,
    mut x: impl FnMut(KvPlace) -> Vec<f32>,
) -> Vec<u8> {
    let mut cache = vec![0; tiles * format.tile_bytes(head_dim as usize)];
    for at in (0..tiles).flat_map(|tile| (0..256).map(move |row| KvPlace { tile, row })) {
        format.write(&mut cache, at, &x(at));
    }
    cache
}

/// One position of one head.
pub(crate) fn read(format: KvFormat, cache: &[u8], head_dim: u32, at: KvPlace) -> Vec<f32> {
    let mut x = vec![0f32; head_dim as usize];
    format.read(cache, at, &mut x);
    x
}

/// The relative error of a value on matrix units: rounding to the 16 bits of the format's products, for a widened code as
/// for what it is multiplied with.
pub(crate) fn unit(format: KvFormat) -> f32 {
    match format {
        KvFormat::F32 => 0.0,
        KvFormat::F16 => 2f32.powi(-11),
        KvFormat::Bf16 => 2f32.powi(-8),
        KvFormat::Q8_0 => 2f32.powi(-10),
    }
}

/// Compares caches: a place that the twin left alone is the same in every bit, others hold values within a step of the
/// format and `off` of each other.
pub(crate) fn close(
    name: &str,
    format: KvFormat,
    head_dim: u32,
    [before, want, got]: [&[u8]; 3],
    off: f32,
) -> Result<(), String> {
    let hd = head_dim as usize;
    for i in 0..want.len() / format.tile_bytes(hd) * 256 {
        let at = KvPlace { tile: i / 256, row: i % 256 };
        let (values, scales) = format.bytes_of(hd, at);
        let same = |a: &[u8], b: &[u8]| {
            a[values.clone()] == b[values.clone()] && a[scales.clone()] == b[scales.clone()]
        };
        if same(want, got) {
            continue;
        }
        if same(before, want) {
            return Err(format!("`{name}`: {at:?} is written"));
        }
        let (w, g) = (read(format, want, head_dim, at), read(format, got, head_dim, at));
        for (e, (w, g)) in w.iter().zip(&g).enumerate() {
            let group = &read(format, want, head_dim, at)[e / KV_GROUP * KV_GROUP..];
            let most = group.iter().take(KV_GROUP).fold(0f32, |m, v| m.max(v.abs()));
            let step = match format {
                KvFormat::F32 => 0.0,
                KvFormat::F16 => w.abs() / 1024.0 + 2f32.powi(-24),
                KvFormat::Bf16 => w.abs() / 128.0,
                // A code on the other side of a tie, and a scale that is one step of f16 off.
                KvFormat::Q8_0 => most / 127.0 + most / 1024.0 + 2f32.powi(-24),
            };
            if !((w - g).abs() <= off + step || w.is_nan() && g.is_nan()) {
                return Err(format!("`{name}`: {at:?} element {e} is {g}, not {w} (allowed {})", off + step));
            }
        }
    }
    Ok(())
}

/// How many bytes of two caches differ. Almost always none: a code of q8_0 differs where a value lies at a tie.
pub(crate) fn differing(want: &[u8], got: &[u8]) -> usize {
    want.iter().zip(got).filter(|(a, b)| a != b).count()
}
