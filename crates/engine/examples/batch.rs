//! Several questions at once: `cargo run --release -p akunu --example batch -- MODEL.gguf "one question" "another"`.
//!
//! The engine runs on a thread of its own. Each answer is an iterator of events; dropping it cancels the request.

use akunu::scheduler::Event;
use akunu::{
    Engine, EngineOptions, Eos, LoadOptions, Model, Overflow, Request, SequenceOptions, Source, TextStream,
};

fn main() -> Result<(), akunu::Error> {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or_else(|| "model.gguf".into());
    let model = Model::load(&Source::Path(path.into()), &LoadOptions::default(), &mut |_| {})?;
    let engine = Engine::new(&model, &EngineOptions::default())?;
    let options = SequenceOptions {
        max_tokens: 64,
        sampling: model.sampling_defaults(),
        eos: Eos::Stop,
        reasoning: None,
    };
    let mut answers = Vec::new();
    for question in args {
        let request = Request {
            tokens: model.encode(&question)?,
            options: options.clone(),
            priority: 0,
            overflow: Overflow::End,
        };
        answers.push((question, engine.start(request)?));
    }
    for (question, answer) in answers {
        print!("\n> {question}\n");
        let mut text = TextStream::new(&[]);
        for event in answer {
            match event {
                Event::Started { .. } => {}
                Event::Token { token, .. } => print!("{}", text.push(model.tokenizer()?, token)),
                Event::Finished(end) => println!("{} [{} tokens]", text.finish(), end.tokens),
                Event::Failed(e) => println!("[failed: {e}]"),
            }
        }
    }
    Ok(())
}
