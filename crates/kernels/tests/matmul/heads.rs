//! `matmul_rope_kv` against `matmul`, `qk_norm` and `rope_kv`, bit for bit.

use super::*;
use akunu_kernels::kv::KvFormat;
use akunu_kernels::matmul_rope_kv::{self, MatmulRopeKvConsts};
use akunu_kernels::rope_kv::{self, RopeKvConsts};
use akunu_kernels::step::{Position, Row, SeqIndex};
use akunu_kernels::{Machine, qk_norm};

/// Heads of a product of queries, keys and values, and what follows them.
#[derive(Clone, Copy)]
struct Heads {
    heads: u32,
    kv_heads: u32,
    head_dim: u32,
    norm: bool,
    pairs: u32,
    pairing: u32,
    cache: [KvFormat; 2],
}

/// On matrix units queries, keys and values end in one command, which leaves the bytes of `matmul`, `qk_norm` and `rope_kv`; so does its
/// twin.
#[test]
fn queries_keys_and_values_in_one_command_are_their_product_and_what_follows() {
    use KvFormat::{Bf16, F16, F32, Q8_0};
    let of = |heads, kv_heads, head_dim, norm, pairs, pairing, cache| Heads {
        heads,
        kv_heads,
        head_dim,
        norm,
        pairs,
        pairing,
        cache,
    };
    // (heads, width, rows, parts): with several groups of tiles, several chunks of columns, and several blocks of rows.
    let shapes = [
        (of(4, 2, 64, false, 32, 1, [F16, F16]), 512, 40, 1),
        (of(3, 1, 32, true, 8, 0, [Q8_0, F16]), 544, 17, 2),
        (of(2, 1, 128, true, 64, 1, [F16, F16]), 544, 531, 3),
        (of(2, 1, 256, true, 0, 0, [F32, Bf16]), 256, 33, 4),
        (of(20, 4, 64, false, 32, 0, [Bf16, Q8_0]), 512, 300, 5),
        (of(2, 2, 128, true, 40, 1, [F16, F16]), 4160, 65, 2),
    ];
    let mut on_units = 0;
    for (i, (h, k, rows, parts)) in shapes.into_iter().enumerate() {
        let n = ((h.heads + 2 * h.kv_heads) * h.head_dim) as usize;
        for (dt, act) in [
            (DType::Q8_0, ActFormat::Bf16),
            (DType::Q4_0, ActFormat::Bf16),
            (DType::Bf16, ActFormat::Bf16Pair),
            (DType::F16, ActFormat::Bf16Pair),
        ] {
            // The twin is scalar.
            let twin = (rows < 100 && i % 2 == 0).then_some(Level::Reference);
            for level in levels().filter(|l| acts(*l, dt).contains(&act)).chain(twin) {
                on_units += u32::from(level != Level::Reference);
                qkv(&mut case(dt, act, k, n, rows, i as u64), h, level, parts);
            }
        }
    }
    if on_units == 0 {
        eprintln!("skipped: no level of this machine has a matrix unit, nor AVX-512 BF16 to emulate one");
    }
}

fn qkv(c: &mut Case, h: Heads, level: Level, parts: u32) {
    let (n, rows, blocks) = (c.n, c.rows, 3);
    let hd = h.head_dim as usize;
    let mut rng = Random(9 + n as u64);
    // Two sequences, whose rows take turns, in blocks that lie anywhere.
    let place = |r: usize| Row { seq: SeqIndex(r as u32 % 2), pos: Position(250 + r as u32 / 2) };
    let mut step = step_block(&(0..rows).map(place).collect::<Vec<_>>(), 0);
    let mut table = Memory::of(&[4u32, 0, 2, 1, 5, 3]);
    let [mut of_q, mut of_k] = [0, 1].map(|_| Memory::of(&rng.normals(hd)));
    let mut angles = Memory::of(&rng.normals((rows * h.pairs as usize * 2).max(1)));
    let eps = [1e-5f32.to_bits()];
    let caches = || h.cache.map(|f| Memory::new(6 * h.kv_heads as usize * f.tile_bytes(hd), 0xA5));
    let [k_type, v_type] = h.cache.map(|f| f as u32);
    let max_rows = rows as u32;

    let [mut k, mut v] = caches();
    let products = c.run(level, Layout::Rows16, n, 0, rows, 1);
    let mut want = Memory::of(&products);
    if h.norm {
        let words = [h.heads, h.kv_heads, h.head_dim, 0, max_rows];
        let bufs = [step.buf(), of_q.buf(), of_k.buf(), want.buf()];
        run(&qk_norm::KERNEL, level, &words, &eps, &bufs, 1);
    }
    let rope: [u32; 9] = bytemuck::cast(RopeKvConsts {
        heads: h.heads,
        kv_heads: h.kv_heads,
        head_dim: h.head_dim,
        pairs: h.pairs,
        pairing: h.pairing,
        k_type,
        v_type,
        max_rows,
        blocks,
    });
    let bufs = [step.buf(), table.buf(), angles.buf(), want.buf(), k.buf(), v.buf()];
    run(&rope_kv::KERNEL, level, &rope, &[], &bufs, 1);

    let [mut fused_k, mut fused_v] = caches();
    let mut got = Memory::new(rows * n * 4, 0xFF);
    let consts: [u32; 14] = bytemuck::cast(MatmulRopeKvConsts {
        dtype: c.dt as u32,
        layout: Layout::Rows16 as u32,
        act: c.act as u32,
        k: c.k as u32,
        heads: h.heads,
        kv_heads: h.kv_heads,
        head_dim: h.head_dim,
        norm: h.norm.into(),
        pairs: h.pairs,
        pairing: h.pairing,
        k_type,
        v_type,
        max_rows,
        blocks,
    });
    let bufs = [
        step.buf(),
        c.stored.buf(),
        c.packed.buf(),
        of_q.buf(),
        of_k.buf(),
        table.buf(),
        angles.buf(),
        got.buf(),
        fused_k.buf(),
        fused_v.buf(),
    ];
    run(&matmul_rope_kv::KERNEL, level, &consts, &eps, &bufs, parts);
    let what = format!("{} {level} {} heads of {hd} from {}, {rows} rows", c.dt, h.heads, c.k);
    assert!(fused_k.bytes() == k.bytes() && fused_v.bytes() == v.bytes(), "{what}: the cache");
    let queries = 4 * h.heads as usize * hd;
    for (r, (got, want)) in got.bytes().chunks_exact(4 * n).zip(want.bytes().chunks_exact(4 * n)).enumerate()
    {
        assert!(got[..queries] == want[..queries], "{what}: row {r}");
        assert!(got[queries..].iter().all(|b| *b == 0xFF), "{what}: row {r} has keys or values");
    }
}

/// A machine that has the command for some heads has not for all: they would lie in several groups of tiles.
#[test]
fn heads_that_are_no_whole_groups_have_no_version_on_units() {
    let words = |head_dim: u32| -> [u32; 14] {
        bytemuck::cast(MatmulRopeKvConsts {
            dtype: DType::Q8_0 as u32,
            layout: Layout::Rows16 as u32,
            act: ActFormat::Bf16 as u32,
            k: 512,
            heads: 4,
            kv_heads: 2,
            head_dim,
            norm: 0,
            pairs: 8,
            pairing: 0,
            k_type: KvFormat::F16 as u32,
            v_type: KvFormat::F16 as u32,
            max_rows: 512,
            blocks: 0,
        })
    };
    for (head_dim, fits) in
        [(16, false), (32, true), (48, false), (64, true), (80, false), (96, false), (128, true), (256, true)]
    {
        let machine = Machine::Cpu(Level::AmxEmulated);
        let has = matmul_rope_kv::KERNEL.launch(&machine, &words(head_dim)).is_ok();
        // Elsewhere the twin is all there is, and it takes any.
        assert_eq!(has, fits || !cfg!(target_arch = "x86_64"), "{head_dim}");
    }
}
