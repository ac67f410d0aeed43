//! What a grammar costs one sequence: `cargo run --release -p akunu --example grammar_cost -- MODEL TOKENIZER_JSON`, with a synthetic
//! model (`llama-3.2-1b:bf16`) and a tokenizer of as many tokens (Llama 3's). Prints one JSON object: milliseconds a token of plain
//! greedy draws and of draws under JSON schemas, in turn, medians of the rounds, and what of it the host's own work takes.
//!
//! A random model draws any token that is allowed, so the schemas say how much is free: a string of any letters, where every token is
//! drawn, and records of many fields, where most of the text is forced.

use akunu::files::tokenizer::Tokenizer;
use akunu::grammar::{Grammar, GrammarSource, GrammarStart, Vocabulary};
use akunu::{Control, DecodeOptions, Eos, LoadOptions, Model, Sampling, Source, Token};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const PROMPT: u32 = 100;
const TOKENS: u32 = 256;
const ROUNDS: usize = 5;

const SCHEMAS: &[(&str, &str)] = &[
    ("a string without end", r#"{"type": "string", "minLength": 100000}"#),
    (
        "numbers",
        r#"{"type": "array", "minItems": 10000, "items": {"type": "integer", "minimum": 100, "maximum": 999}}"#,
    ),
    (
        "records",
        r#"{"type": "array", "minItems": 10000, "items": {"type": "object", "additionalProperties": false,
            "required": ["name", "category", "in_stock", "price"], "properties": {
                "name": {"type": "string", "minLength": 8, "maxLength": 40}, "category": {"enum": ["book", "music", "film"]},
                "in_stock": {"type": "boolean"}, "price": {"type": "number", "minimum": 0}}}}"#,
    ),
];

/// A run: milliseconds a token, and the tokens.
struct Run {
    ms: f64,
    tokens: Vec<Token>,
}

fn time(model: &Model, grammar: Option<Arc<Grammar>>) -> Result<Run, akunu::Error> {
    let vocab = model.config().vocab;
    let mut session = model.session()?;
    let prompt: Vec<Token> = (0..PROMPT).map(|t| Token((t * 31 + 5) % vocab)).collect();
    let options = |max_tokens, grammar| DecodeOptions {
        max_tokens,
        sampling: Sampling { grammar, ..Sampling::greedy() },
        eos: Eos::Stop,
        chunk: None,
    };
    session.append(&prompt)?;
    // Whatever is made for the first time is made here.
    session.decode(&options(4, grammar.clone()), &mut |_| Control::Continue)?;
    session.rewind(PROMPT)?;
    session.prefill(&mut |_, _| Control::Continue)?;
    let start = Instant::now();
    let decoded = session.decode(&options(TOKENS, grammar), &mut |_| Control::Continue)?;
    let ms = start.elapsed().as_secs_f64() * 1e3 / f64::from(decoded.tokens);
    Ok(Run { ms, tokens: session.tokens()[PROMPT as usize..].to_vec() })
}

/// Median microseconds that the host takes for a token of a text: to take it and look for what must follow, and for the next mask.
fn host_us(grammar: &Arc<Grammar>, text: &[Token], vocab: u32) -> Result<[f64; 2], Box<dyn Error>> {
    let mut matcher = grammar.matcher();
    let mut mask = vec![0u32; grammar.vocabulary().len().max(vocab as usize).div_ceil(32)];
    let (mut takes, mut masks) = (Vec::new(), Vec::new());
    for token in text {
        let start = Instant::now();
        matcher.accept(*token)?;
        matcher.forced(&mut Vec::new())?;
        takes.push(start.elapsed().as_secs_f64() * 1e6);
        let start = Instant::now();
        matcher.mask(&mut mask)?;
        masks.push(start.elapsed().as_secs_f64() * 1e6);
    }
    Ok([takes, masks].map(|mut v| {
        v.sort_by(f64::total_cmp);
        v.get(v.len() / 2).copied().unwrap_or(0.0)
    }))
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let (Some(spec), Some(tokenizer)) = (args.get(1), args.get(2)) else {
        return Err("usage: grammar_cost MODEL TOKENIZER_JSON".into());
    };
    let options = LoadOptions { context: Some(1024), ..LoadOptions::default() };
    let model = Model::load(&Source::Synthetic(spec.clone()), &options, &mut |_| {})?;
    let vocabulary = Arc::new(Vocabulary::new(Arc::new(Tokenizer::from_json_file(Path::new(tokenizer))?))?);
    let mut kinds = vec![("greedy", None)];
    for (name, schema) in SCHEMAS {
        let source = GrammarSource::JsonSchema((*schema).into());
        kinds.push((*name, Some(Grammar::compile(&source, &GrammarStart::AtOnce, &vocabulary)?)));
    }
    let mut all = vec![Vec::new(); kinds.len()];
    let mut texts = vec![Vec::new(); kinds.len()];
    for _ in 0..ROUNDS {
        for (i, (_, grammar)) in kinds.iter().enumerate() {
            let run = time(&model, grammar.clone())?;
            all[i].push(run.ms);
            texts[i] = run.tokens;
        }
    }
    let mut medians = Vec::new();
    for samples in &mut all {
        samples.sort_by(f64::total_cmp);
        medians.push(samples[samples.len() / 2]);
    }
    println!("{{\"model\": \"{spec}\", \"device\": \"{}\", \"ms_a_token\": {{", model.device().name);
    for (i, (name, grammar)) in kinds.iter().enumerate() {
        let vocab = model.config().vocab;
        let [take, mask] =
            grammar.as_ref().map_or(Ok([0.0; 2]), |grammar| host_us(grammar, &texts[i], vocab))?;
        let more = (medians[i] / medians[0] - 1.0) * 100.0;
        let end = if i + 1 == kinds.len() { "" } else { "," };
        println!(
            "  \"{name}\": {{\"median\": {:.4}, \"tokens\": {}, \"more_percent\": {more:.1}, \"take_us\": {take:.1}, \"mask_us\": {mask:.1}, \"samples\": {:.4?}}}{end}",
            medians[i],
            texts[i].len(),
            all[i]
        );
    }
    println!("}}}}");
    Ok(())
}
