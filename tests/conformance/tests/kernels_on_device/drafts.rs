//! `accept`: which draws count and what is drafted, to the byte.

use super::*;
use crate::harness::{Batch, Random, below};
use akunu::kernels::accept::{self, AcceptConsts};
use akunu::kernels::logits_max::{Pick, chunks};
use akunu_kernels::step::{Capacity, RowCount, Token};

on_each_device_and_vulkan!(drafts_are_accepted_as_by_the_twin);

pub(crate) const KERNELS: &[&str] = &["accept"];

const SLOTS: u32 = 90;

fn drafts_are_accepted_as_by_the_twin(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(61);
        let mut cases = Vec::new();
        for i in 0..60 {
            let (vocab, chunk) = [(12, 4), (1024, 64), (5000, 5000)][i % 3];
            let rows = [8, 2, 16, 64][i % 4];
            let capacity =
                Capacity { seqs: 1 + below(&mut rng, 6) as u32, rows: RowCount(rows), heads: rows };
            let (b, belts, drafts) = Batch::ask_drafts(capacity, SLOTS, &mut rng);
            let n = chunks(vocab as usize, chunk as usize);
            let picks: Vec<Pick> = (0..rows)
                .flat_map(|head| {
                    let mut all = vec![Pick { score: -1.0, token: Token(3) }; n];
                    let drawn = match below(&mut rng, 9) {
                        _ if head >= b.header.head_rows => Pick::NONE,
                        0 => Pick::NONE,
                        1 => Pick { score: f32::INFINITY, token: Token(1) },
                        2 => Pick { score: 1.0, token: Token(rng.word() as u32 % vocab) },
                        // Most draws are what the next row has.
                        _ => {
                            let Row { seq, pos } = b.head_row(head as usize);
                            Pick { score: 1.0, token: belts[(seq.0 * SLOTS + pos.0 + 1) as usize] }
                        }
                    };
                    let at = below(&mut rng, n);
                    if drawn == Pick::NONE {
                        all.fill(drawn);
                    } else {
                        all[at] = drawn;
                    }
                    all
                })
                .collect();
            let consts = words(&AcceptConsts { vocab, chunk, max_seq: SLOTS, heads: rows, rows });
            let buffers = vec![b.memory().bytes().to_vec(), bytes(&picks), bytes(&belts), bytes(&drafts)];
            let check: Check = Box::new(|want, got| {
                same("step", &want[0], &got[0])?;
                same("tokens", &want[2], &got[2])?;
                same("drafts", &want[3], &got[3])
            });
            let command = OneCommand::new(&accept::KERNEL, &consts, &[], buffers).of_batch(capacity, 1, rows);
            let what = format!("accept {vocab} by {chunk}: {} of {rows} rows", b.header.rows);
            cases.push(case(what, command, check));
        }
        cases
    });
}
