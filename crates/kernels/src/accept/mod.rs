//! `accept`: the last command of a table that verifies drafts, in the place of `advance`. A sequence's last rows hold its last token
//! and drafts of those after it, and each of these rows draws. A draw that equals the draft in the next row makes that row's draw
//! count too; the first that does not is the last that counts. So what is drawn is what would have been drawn one by one, whatever
//! was drafted: a draw depends on (seed, position, logits), and the rows that count had the right tokens before them. (Leviathan et
//! al., "Fast inference from transformers via speculative decoding", 2023, with draws that are functions of their position.)
//!
//! Then it drafts anew, by look-up in the sequence's own text (Saxena, "Prompt lookup decoding", 2023): [`lookup`].

pub mod lookup;

pub use crate::draft::Draft;

use crate::advance::{best, put, read, verdict, write};
use crate::contract::{Cost, Kernel, Rows, reads, typed, updates};
use crate::cpu::Call;
use crate::cuda::CudaLaunch;
use crate::error::{KernelError, require};
use crate::machine::Version;
use crate::pick::{Pick, chunks};
use crate::step::{self, Head, Header, NO_TOKEN, Position, Row, Seq, SeqIndex, StopReason, Token};
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct AcceptConsts {
        /// Vocabulary size.
        pub vocab: u32,
        /// Vocabulary entries per pick.
        pub chunk: u32,
        /// Slots of one sequence's token belt.
        pub max_seq: u32,
        /// Capacity of the list of heads.
        pub heads: u32,
        /// The most rows of the next step.
        pub rows: u32,
    }
}

/// The most heads of a step.
pub const MAX_HEADS: u32 = 64;

/// The contract. Bindings: step block with a list of heads, in which those of a sequence are its last rows; picks
/// `[head_rows, chunks]` of `sample`; tokens `[seqs, max_seq] u32`, with drafts after each sequence's last; drafts `[seqs]`.
pub static KERNEL: Kernel = Kernel {
    name: "accept",
    bindings: &[updates("step"), reads("picks"), updates("tokens"), updates("drafts")],
    consts: AcceptConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: AcceptConsts| {
        let AcceptConsts { vocab, chunk, max_seq, heads, rows } = c;
        let sizes = vocab != 0 && chunk != 0 && max_seq != 0;
        require("accept", sizes && (1..=heads.min(MAX_HEADS)).contains(&rows), || {
            format!(
                "vocabulary of {vocab} in chunks of {chunk}, {max_seq} token slots, {heads} heads, {rows} rows"
            )
        })
    }),
    units: |_| 1,
    cost: typed!(|c: AcceptConsts, load| {
        let picks = chunks(c.vocab as usize, c.chunk.max(1) as usize) * load.head_rows.index();
        let bytes =
            picks * size_of::<Pick>() + step::bytes(1, c.rows) + c.max_seq as usize * size_of::<Token>();
        Cost { weight_bytes: 0, other_bytes: bytes as u64, flops: picks as u64 }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(|_, _| Ok(CudaLaunch::plain(const { &[include_str!("accept.cu")] }, 1, 1024))),
        Version::Vulkan(typed!(|c: AcceptConsts, _| {
            // A place in a belt and the length of a match share a word.
            if c.max_seq >= 1 << 27 {
                let what = format!("{} token slots on Vulkan or Metal; fewer than 2^27", c.max_seq);
                return Err(KernelError::Unsupported { kernel: "accept", what });
            }
            let launch = VulkanLaunch::new("accept", include_bytes!("accept.spv"), 1, 1)?;
            Ok(VulkanLaunch { invocations: crate::vulkan::WIDE, ..launch })
        })),
        Version::Metal(include_str!("accept.metal")),
    ],
};

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract; one part only.
pub unsafe fn run(call: &Call<'_>, part: u32, _parts: u32) {
    if part != 0 {
        return;
    }
    let c: AcceptConsts = call.consts();
    // SAFETY: shapes by the contract; this part alone runs.
    unsafe {
        let bytes = call.slice_mut::<u8>(0, 0, call.bufs[0].len);
        let mut h: Header = read(bytes, 0);
        let going = accept(call, &c, bytes, &mut h);
        draft(call, &c, bytes, &mut h, going);
        h.steps += 1;
        h.drawn += h.drew;
        if h.rows == 0 {
            h.stop = StopReason::Limit as u32;
        }
        write(bytes, 0, &h);
    }
}

fn head_at(h: &Header, i: u32) -> usize {
    h.heads_at as usize + i as usize * size_of::<Head>()
}

/// Takes the draws that count, and writes them into the first `drew` heads; how many sequences go on.
///
/// # Safety
/// As [`run`]; `bytes` is the step block.
unsafe fn accept(call: &Call<'_>, c: &AcceptConsts, bytes: &mut [u8], h: &mut Header) -> u32 {
    let row_of = |bytes: &[u8], i: u32| -> Row {
        let head: Head = read(bytes, head_at(h, i));
        read(bytes, step::row_offset(h.seqs_cap, head.row))
    };
    let (mut i, mut drew, mut going) = (0, 0, 0);
    while i < h.head_rows {
        let first = row_of(bytes, i);
        let of_one = |n: &u32| row_of(bytes, i + n).seq == first.seq;
        let n = 1 + (1..h.head_rows - i).take_while(of_one).count() as u32;
        let at = step::seq_offset(first.seq);
        let mut seq: Seq = read(bytes, at);
        let mut taken = 0;
        let stop = loop {
            let pos = Position(first.pos.0 + taken + 1);
            seq.len = pos.0;
            // SAFETY: the caller's promise; head `i + taken` is of the step.
            let (token, drafted) = unsafe {
                let token = best(call, [c.vocab, c.chunk], (i + taken) as usize);
                let drafted = slot(c, first.seq, pos).map(|at| call.slice::<Token>(2, at, 1)[0]);
                if let Some(token) = token {
                    put(call, c.max_seq, first.seq, pos.0, token);
                }
                (token, drafted)
            };
            // Its number is at most that of a head that has been read.
            let head: Head = read(bytes, head_at(h, drew));
            let draw = Head { seq: first.seq, token: token.unwrap_or(NO_TOKEN), pos, ..head };
            write(bytes, head_at(h, drew), &draw);
            (drew, taken) = (drew + 1, taken + 1);
            let stop = token.map_or(StopReason::NotFinite, |t| verdict(&seq, t));
            if stop != StopReason::None || taken == n || token != drafted {
                break stop;
            }
        };
        seq.stop = stop as u32;
        write(bytes, at, &seq);
        going += u32::from(stop == StopReason::None);
        // SAFETY: `[seqs]` drafts by the contract; this part alone runs.
        let counts = unsafe { &mut call.slice_mut::<Draft>(3, first.seq.index(), 1)[0] };
        counts.drafted += n - 1;
        counts.accepted += taken - 1;
        i += n;
    }
    h.drew = drew;
    going
}

/// Rows of the next step: of each sequence that goes on its last token, and drafts as far as there is room.
///
/// # Safety
/// As [`run`]; `bytes` is the step block, whose first `drew` heads say what was drawn.
unsafe fn draft(call: &Call<'_>, c: &AcceptConsts, bytes: &mut [u8], h: &mut Header, going: u32) {
    let (mut row, mut spare) = (0, c.rows.saturating_sub(going));
    for i in 0..h.drew {
        let last: Head = read(bytes, head_at(h, i));
        let goes_on = i + 1 < h.drew && read::<Head>(bytes, head_at(h, i + 1)).seq == last.seq;
        let seq: Seq = read(bytes, step::seq_offset(last.seq));
        if goes_on || seq.stop != StopReason::None as u32 {
            continue;
        }
        let len = last.pos.0;
        let room = seq.limit.min(c.max_seq.saturating_sub(1)).saturating_sub(len + 1).min(spare);
        // SAFETY: `[seqs, max_seq]` tokens and `[seqs]` drafts by the contract; this part alone runs.
        let drafted = unsafe {
            let settings = call.slice::<Draft>(3, last.seq.index(), 1)[0];
            let from = last.seq.index() * c.max_seq as usize;
            let belt = call.slice_mut::<Token>(2, from, c.max_seq as usize);
            let known = len as usize + 1;
            let found = if settings.most.min(room) == 0 { None } else { lookup::find(&belt[..known]) };
            let n = found.map_or(0, |(_, matched)| lookup::count(&settings, matched, room));
            if let Some((at, _)) = found {
                for i in 0..n as usize {
                    belt[known + i] = lookup::token(&belt[..known], at, i);
                }
            }
            n
        };
        spare -= drafted;
        for pos in len..=len + drafted {
            let place = Row { seq: last.seq, pos: Position(pos) };
            write(bytes, step::row_offset(h.seqs_cap, row), &place);
            let mut head: Head = read(bytes, head_at(h, row));
            head.row = row;
            write(bytes, head_at(h, row), &head);
            row += 1;
        }
    }
    (h.rows, h.head_rows) = (row, row);
}

/// A belt's slot.
fn slot(c: &AcceptConsts, seq: SeqIndex, pos: Position) -> Option<usize> {
    (pos.0 < c.max_seq).then(|| seq.index() * c.max_seq as usize + pos.index())
}
