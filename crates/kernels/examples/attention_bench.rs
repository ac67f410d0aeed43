//! Speed of `attention` by level, shape and rows: `cargo run --profile fast --example attention_bench`.
//! One thread; with arguments LEVEL, ROWS and CACHE those alone. Prints microseconds a command, GOP/s (causal work only) and GB/s of KV cache read once.

use akunu_kernels::act::ActFormat;
use akunu_kernels::attention::{AttentionConsts, AttentionParams, KERNEL};
use akunu_kernels::cpu::{Buf, Call, LEVELS, Level};
use akunu_kernels::kv::{KV_FORMATS, KvFormat};
use akunu_kernels::step::{self, Header, KV_BLOCK, Position, Row, SeqIndex};
use std::time::Instant;

fn main() {
    let mut only = std::env::args().skip(1);
    let (only, only_rows, only_cache) = (only.next(), only.next(), only.next());
    println!(
        "{:10} {:>5} {:>5} {:>4} {:>4} {:>5} {:>6} {:>10} {:>8} {:>8}",
        "level", "cache", "heads", "kv", "dim", "rows", "from", "us", "GOP/s", "GB/s"
    );
    for level in LEVELS.iter().copied().filter(|l| *l != Level::Reference && l.available()) {
        // The one has the kernels of another level, the other is no measure.
        if matches!(level, Level::Avx512Bf16 | Level::AmxEmulated)
            || only.as_deref().is_some_and(|o| o != level.name())
        {
            continue;
        }
        for (heads, kv_heads, head_dim) in
            [(9, 3, 64), (32, 8, 64), (32, 8, 128), (16, 8, 128), (16, 16, 128)]
        {
            for (from, rows) in [(511, 1), (4095, 1), (511, 8), (0, 512)] {
                if only_rows.as_ref().is_some_and(|o| *o != rows.to_string()) {
                    continue;
                }
                for kv in KV_FORMATS {
                    if only_cache.as_ref().is_some_and(|o| o != kv.name()) {
                        continue;
                    }
                    time(level, *kv, heads, kv_heads, head_dim, from, rows);
                }
            }
        }
    }
}

fn time(level: Level, kv: KvFormat, heads: u32, kv_heads: u32, head_dim: u32, from: u32, rows: u32) {
    let consts = AttentionConsts {
        heads,
        kv_heads,
        head_dim,
        k_type: kv as u32,
        v_type: kv as u32,
        act: ActFormat::Q8 as u32,
        max_rows: rows,
        window: 0,
        softcap: 0,
    };
    let words: [u32; 9] = bytemuck::cast(consts);
    let params: [u32; 1] = bytemuck::cast(AttentionParams { scale: 0.1 });
    let blocks = (from + rows).div_ceil(KV_BLOCK);
    let header = Header { rows, seqs_cap: 1, ..Header::default() };
    let mut step = vec![0u32; step::bytes(1, rows) / 4];
    step[..16].copy_from_slice(bytemuck::cast_slice(&[header]));
    for r in 0..rows {
        let at = step::row_offset(1, r) / 4;
        step[at..at + 2]
            .copy_from_slice(bytemuck::cast_slice(&[Row { seq: SeqIndex(0), pos: Position(from + r) }]));
    }
    let mut table: Vec<u32> = (0..blocks).collect();
    let mut q = vec![0.5f32; (rows * (heads + 2 * kv_heads) * head_dim) as usize];
    let cache = (blocks * kv_heads) as usize * kv.tile_bytes(head_dim as usize);
    let (mut k, mut v) = (vec![0x3434u16; cache / 2], vec![0x3838u16; cache / 2]);
    let mut out = vec![0u32; rows as usize * ActFormat::Q8.row_bytes((heads * head_dim) as usize) / 4];
    let bufs = [buf(&mut step), buf(&mut table), buf(&mut q), buf(&mut k), buf(&mut v), buf(&mut out)];
    let f = KERNEL.cpu(level, &words).expect("a version");
    let call = Call { bufs: &bufs, consts: &words, params: &params };
    let (mut best, start) = (f64::INFINITY, Instant::now());
    while start.elapsed().as_secs_f64() < 0.1 {
        let t = Instant::now();
        // SAFETY: bindings laid out by the contract; the only part.
        unsafe { f(&call, 0, 1) };
        best = best.min(t.elapsed().as_secs_f64());
    }
    let seen: f64 = (from..from + rows).map(|p| f64::from(p + 1)).sum();
    let ops = 4.0 * seen * f64::from(heads * head_dim);
    let bytes = 2.0 * f64::from((from + rows) * kv_heads) * kv.row_bytes(head_dim as usize) as f64;
    println!(
        "{:10} {:>5} {heads:5} {kv_heads:4} {head_dim:4} {rows:5} {from:6} {:10.1} {:8.1} {:8.1}",
        level.name(),
        kv.name(),
        best * 1e6,
        ops / best / 1e9,
        bytes / best / 1e9
    );
}

fn buf<T>(v: &mut [T]) -> Buf {
    Buf { ptr: v.as_mut_ptr().cast(), len: size_of_val(v) }
}
