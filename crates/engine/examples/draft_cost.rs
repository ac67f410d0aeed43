//! What drafts by a smaller model cost and give: `cargo run --release -p akunu --example draft_cost -- MODEL DRAFT`, with synthetic
//! models of one vocabulary (`llama-3-8b:bf16` and `smollm2-135m-v128k:bf16`). Prints one JSON object.
//!
//! Random models never agree, so drafts are forced: of each step's drafts none, the first half or all are what the model draws next, which
//! is known from a plain run. The text is the same in every run.

use akunu::{
    Control, DecodeOptions, DraftOptions, DraftWhen, Eos, Error, LoadOptions, Model, Sampling, Session,
    Source, Token,
};
use std::time::Instant;

const PROMPT: u32 = 100;
const TOKENS: u32 = 200;
const ROUNDS: usize = 5;

/// What a run took.
struct Run {
    tokens: Vec<Token>,
    seconds: f64,
    drafted: u32,
    accepted: u32,
}

fn run(session: &mut Session, vocab: u32) -> Result<Run, Error> {
    let prompt: Vec<Token> = (0..PROMPT).map(|t| Token((t * 31 + 5) % vocab)).collect();
    let options =
        DecodeOptions { max_tokens: TOKENS, sampling: Sampling::greedy(), eos: Eos::Ignore, chunk: None };
    session.reset();
    session.append(&prompt)?;
    session.prefill(&mut |_, _| Control::Continue)?;
    let start = Instant::now();
    let d = session.decode(&options, &mut |_| Control::Continue)?;
    let seconds = start.elapsed().as_secs_f64();
    let tokens = session.tokens().to_vec();
    Ok(Run { tokens, seconds, drafted: d.drafts.drafted, accepted: d.drafts.accepted })
}

/// The median of some rounds, after one that is not counted.
fn median(session: &mut Session, vocab: u32) -> Result<Run, Error> {
    run(session, vocab)?;
    let mut runs = (0..ROUNDS).map(|_| run(session, vocab)).collect::<Result<Vec<_>, _>>()?;
    runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(runs.swap_remove(ROUNDS / 2))
}

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let spec = args.next().unwrap_or_else(|| "tiny-llama:bf16".into());
    let by = args.next().unwrap_or_else(|| "tiny-llama:q8_0".into());
    let options = LoadOptions { context: Some(1024), ..LoadOptions::default() };
    let load = |spec: &str| Model::load(&Source::Synthetic(spec.into()), &options, &mut |_| {});
    let (model, draft) = (load(&spec)?, load(&by)?);
    let vocab = model.config().vocab;
    let plain = median(&mut model.session()?, vocab)?;
    let alone = median(&mut draft.session()?, vocab)?;
    let ms = |r: &Run, steps: u32| r.seconds * 1e3 / f64::from(steps);
    println!("{{\"model\": \"{spec}\", \"draft\": \"{by}\", \"device\": \"{}\",", model.device().name);
    println!(
        "\"plain_ms_a_token\": {:.4}, \"draft_ms_a_token\": {:.4},",
        ms(&plain, TOKENS),
        ms(&alone, TOKENS)
    );
    let drafts = DraftOptions { most: 7, when: DraftWhen::Always, ..DraftOptions::default() };
    for share in [0, 50, 100] {
        let mut session = model.assisted_session(&draft, &drafts)?;
        let text = plain.tokens.clone();
        session.force_drafts(Box::new(move |known, drafted| {
            let right = drafted.len() * share / 100;
            for (i, token) in drafted.iter_mut().enumerate() {
                let next = text.get(known + i).copied().unwrap_or_default();
                *token = if i < right { next } else { Token((next.0 + 1) % vocab) };
            }
        }));
        let r = median(&mut session, vocab)?;
        assert!(r.tokens == plain.tokens, "drafts have changed the text");
        let steps = TOKENS - r.accepted;
        println!(
            "\"{share}\": {{\"ms_a_step\": {:.4}, \"ms_a_token\": {:.4}, \"steps\": {steps}, \"drafted\": {}, \"accepted\": {}, \
             \"faster_than_plain\": {:.2}}}{}",
            ms(&r, steps),
            ms(&r, TOKENS),
            r.drafted,
            r.accepted,
            plain.seconds / r.seconds,
            if share == 100 { "}" } else { "," }
        );
    }
    Ok(())
}
