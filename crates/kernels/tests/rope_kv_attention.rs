//! The plain twins of `rope_kv_attention` and `rope_kv_ragged_attention` against `rope_kv` followed by `attention`, bit for bit, and
//! the scratch of the first.

mod harness;

use akunu_kernels::act::ActFormat;
use akunu_kernels::attention::{self, AttentionConsts};
use akunu_kernels::cpu::Level;
use akunu_kernels::cuda::Gpu;
use akunu_kernels::kv::{KvFormat, KvPlace};
use akunu_kernels::ragged_attention::RaggedAttentionConsts;
use akunu_kernels::rope_kv::{self, RopeKvConsts};
use akunu_kernels::rope_kv_attention::{self, RopeKvAttentionConsts, partial_bytes, sync_bytes};
use akunu_kernels::rope_kv_ragged_attention::{self, RopeKvRaggedAttentionConsts};
use akunu_kernels::step::{Position, Row, SeqIndex};
use harness::{Memory, Random, run, step_block};

/// (heads, kv_heads, head_dim, pairs, pairing, format, window, rows, first position).
type Shape = (u32, u32, u32, u32, u32, ActFormat, u32, u32, u32);

const SHAPES: [Shape; 6] = [
    (1, 1, 16, 8, 0, ActFormat::F32, 0, 1, 0),
    (9, 3, 64, 32, 1, ActFormat::F16, 0, 1, 255),
    (4, 2, 80, 20, 1, ActFormat::Bf16, 0, 8, 252),
    (6, 2, 96, 40, 0, ActFormat::F32, 5, 3, 300),
    (4, 1, 128, 64, 1, ActFormat::F16, 100, 2, 77),
    (2, 2, 256, 0, 1, ActFormat::F32, 0, 5, 511),
];

fn consts(
    (heads, kv_heads, head_dim, pairs, pairing, act, window, max_rows, _): Shape,
) -> RopeKvAttentionConsts {
    let (act, max_seq) = (act as u32, 1024);
    let softcap = if window == 0 { 0 } else { 1.5f32.to_bits() };
    RopeKvAttentionConsts {
        heads,
        kv_heads,
        head_dim,
        pairs,
        pairing,
        k_type: 0,
        v_type: 0,
        act,
        max_rows,
        window,
        max_seq,
        softcap,
        blocks: 0,
    }
}

#[test]
fn twins_are_rope_kv_then_attention() {
    use KvFormat::{Bf16, F16, F32, Q8_0};
    let formats = [[F16, F16], [Q8_0, F16], [Bf16, F32], [F32, Q8_0], [Bf16, Q8_0], [Q8_0, Q8_0]];
    for (i, (shape, [k_format, v_format])) in SHAPES.into_iter().zip(formats).enumerate() {
        let c = RopeKvAttentionConsts { k_type: k_format as u32, v_type: v_format as u32, ..consts(shape) };
        let RopeKvAttentionConsts {
            heads,
            kv_heads,
            head_dim,
            pairs,
            pairing,
            k_type,
            v_type,
            act,
            max_rows,
            window,
            softcap,
            ..
        } = c;
        let (rows, first) = (max_rows as usize, shape.8);
        let mut rng = Random(77 + i as u64);
        let places: Vec<Row> =
            (0..max_rows).map(|r| Row { seq: SeqIndex(0), pos: Position(first + r) }).collect();
        let width = ((heads + 2 * kv_heads) * head_dim) as usize;
        let (qkv, angles) = (rng.normals(rows * width), rng.normals(rows * pairs as usize * 2));
        let mut cache = |format: KvFormat| -> Memory {
            let (hd, tiles) = (head_dim as usize, 4 * kv_heads as usize);
            let mut m = Memory::new(tiles * format.tile_bytes(hd), 0);
            for (tile, row) in (0..tiles).flat_map(|t| (0..256).map(move |r| (t, r))) {
                format.write(m.bytes_mut(), KvPlace { tile, row }, &rng.normals(hd));
            }
            m
        };
        let (mut k, mut v) = (cache(k_format), cache(v_format));
        let (mut fused_k, mut fused_v) = (Memory::of(k.bytes()), Memory::of(v.bytes()));
        let (mut ragged_k, mut ragged_v) = (Memory::of(k.bytes()), Memory::of(v.bytes()));
        let (mut step, mut table) = (step_block(&places, 0), Memory::of(&[2u32, 0, 3, 1]));
        let (mut angles, mut fused_qkv, mut qkv) = (Memory::of(&angles), Memory::of(&qkv), Memory::of(&qkv));
        let bytes = rows * shape.5.row_bytes((heads * head_dim) as usize);
        let (mut out, mut fused_out) = (Memory::new(bytes, 0xFF), Memory::new(bytes, 0xFF));
        let scale = (1.0 / (head_dim as f32).sqrt()).to_bits();

        let (step, table, angles) = (step.buf(), table.buf(), angles.buf());
        let rope =
            RopeKvConsts { heads, kv_heads, head_dim, pairs, pairing, k_type, v_type, max_rows, blocks: 0 };
        let words: [u32; 9] = bytemuck::cast(rope);
        let bufs = [step, table, angles, qkv.buf(), k.buf(), v.buf()];
        run(&rope_kv::KERNEL, Level::Reference, &words, &[], &bufs, 3);
        let plain =
            AttentionConsts { heads, kv_heads, head_dim, k_type, v_type, act, max_rows, window, softcap };
        let words: [u32; 9] = bytemuck::cast(plain);
        let bufs = [step, table, qkv.buf(), k.buf(), v.buf(), out.buf()];
        run(&attention::KERNEL, Level::Reference, &words, &[scale], &bufs, 2);

        let words: [u32; 13] = bytemuck::cast(c);
        let (mut partials, mut sync) =
            (Memory::new(partial_bytes(&words) as usize, 0xFF), Memory::new(sync_bytes(&words) as usize, 0));
        let (q, kc, vc) = (fused_qkv.buf(), fused_k.buf(), fused_v.buf());
        let bufs = [step, table, angles, q, kc, vc, partials.buf(), sync.buf(), fused_out.buf()];
        for level in [Level::Reference, Level::detect()] {
            run(&rope_kv_attention::KERNEL, level, &words, &[scale], &bufs, i as u32 + 1);
            assert!(
                fused_k.bytes() == k.bytes() && fused_v.bytes() == v.bytes(),
                "shape {i} {level}: the cache"
            );
            assert!(fused_out.bytes() == out.bytes(), "shape {i} {level}: the output");
            assert!(sync.bytes().iter().all(|b| *b == 0), "shape {i} {level}: the counters");
        }

        // One sequence of a batch.
        let ragged = RaggedAttentionConsts { attention: plain, blocks: 4 };
        let words: [u32; 12] = bytemuck::cast(RopeKvRaggedAttentionConsts { ragged, pairs, pairing });
        let mut ragged_out = Memory::new(bytes, 0xFF);
        let bufs = [step, table, angles, q, ragged_k.buf(), ragged_v.buf(), ragged_out.buf()];
        run(&rope_kv_ragged_attention::KERNEL, Level::Reference, &words, &[scale], &bufs, i as u32 + 1);
        assert!(
            ragged_k.bytes() == k.bytes() && ragged_v.bytes() == v.bytes(),
            "shape {i}: the cache of a batch"
        );
        assert!(ragged_out.bytes() == out.bytes(), "shape {i}: the output of a batch");
    }
}

/// Where the length is cut must not depend on how many rows a table has, nor on the number of multiprocessors.
#[test]
fn cuts_depend_on_the_shape_alone() {
    const GPU: Gpu = Gpu { sm: 90, multiprocessors: 132, shared: 232_448 };
    for shape in SHAPES {
        let all = |max_rows, multiprocessors| {
            let words: [u32; 13] = bytemuck::cast(RopeKvAttentionConsts { max_rows, ..consts(shape) });
            let gpu = Gpu { multiprocessors, ..GPU };
            rope_kv_attention::KERNEL.cuda(&gpu, &words).expect("a launch")
        };
        for rows in 1..=8 {
            let launch = all(rows, 132);
            assert!(launch.shared <= GPU.shared);
            let of = |name, l: &akunu_kernels::cuda::CudaLaunch| {
                l.defines.iter().find(|d| d.0 == name).expect("a constant").1
            };
            for name in ["CLUSTER", "DIRECT", "MAX_SPLITS"] {
                assert_eq!(of(name, &launch), of(name, &all(1, 132)), "{name} of {rows} rows");
            }
            assert_eq!(launch.defines, all(rows, 16).defines);
            assert_eq!(launch.grid[0] % of("CLUSTER", &launch), 0);
        }
    }
}
