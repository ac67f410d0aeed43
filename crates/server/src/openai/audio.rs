//! `/v1/audio/transcriptions` and `/v1/audio/translations`: a form with a file of audio, and its text. A model of speech hears one
//! request after the other.

use crate::ask::Speech;
use crate::embed::Presence;
use crate::error::ApiError;
use crate::metrics::{Account, Outcome};
use crate::models::Loaded;
use crate::multipart::File;
use crate::params::{Ask, On, SpeechFormat};
use crate::reply::{self, Reply};
use crate::request::Incoming;
use akunu::transcribe::audio::Audio;
use akunu::transcribe::subtitles;
use akunu::transcribe::{Cut, Heard, Segment, Task, Word, Words};
use akunu::{Control, TranscribeOptions, Transcript};
use hyper::Response;
use serde_json::{Map, Value, json};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

/// Text in the language that is spoken.
pub(crate) async fn transcriptions(request: Incoming) -> Result<Response<Reply>, ApiError> {
    answer(request, On::TRANSCRIPTIONS, Task::Transcribe).await
}

/// Text in English.
pub(crate) async fn translations(request: Incoming) -> Result<Response<Reply>, ApiError> {
    answer(request, On::TRANSLATIONS, Task::Translate).await
}

async fn answer(request: Incoming, on: On, task: Task) -> Result<Response<Reply>, ApiError> {
    let mut account = Account::new(&request.shared.metrics);
    let presence = Presence::default();
    let gone = presence.flag();
    let work = move |loaded: &Loaded, body: &Map<String, Value>, ask: &Ask, file: File| {
        let options = options(body, ask, task);
        let transcript = hear(loaded, options, file, (&mut account, &gone))?;
        Ok(written(&transcript, &ask.speech, task))
    };
    request.hear(on, work).await
}

fn options(body: &Map<String, Value>, ask: &Ask, task: Task) -> TranscribeOptions {
    let text =
        |name: &str| body.get(name).and_then(Value::as_str).filter(|t| !t.is_empty()).map(str::to_owned);
    let usual = TranscribeOptions::default();
    let temperatures = match ask.speech.temperature {
        // As OpenAI has it, 0 is higher ones too where a window went wrong.
        None | Some(0.0) => usual.temperatures,
        Some(t) => vec![t],
    };
    TranscribeOptions {
        task,
        language: text("language"),
        initial_prompt: text("prompt"),
        temperatures,
        words: if ask.speech.words { Words::Timed } else { Words::Untimed },
        cut: ask.speech.cut,
        ..TranscribeOptions::default()
    }
}

fn hear(
    loaded: &Loaded,
    options: TranscribeOptions,
    file: File,
    (account, gone): (&mut Account, &AtomicBool),
) -> Result<Transcript, ApiError> {
    let unheard = |e| ApiError::from(akunu::Error::Audio(e));
    let audio = Audio::from_bytes(file.data, &file.name).map_err(unheard)?;
    // A panic of another request left nothing that this one reads: each window is encoded anew.
    let mut transcriber = loaded.transcriber()?.lock().unwrap_or_else(PoisonError::into_inner);
    // Pieces take the room that there is; one file's windows follow each other.
    let windows = if options.cut == Cut::AtPauses { transcriber.windows() } else { 1 };
    transcriber.choose(&TranscribeOptions { windows, ..options })?;
    account.accepted();
    account.started();
    let transcript = transcriber.transcribe(audio, &mut |_: Heard<'_>| {
        if gone.load(Ordering::SeqCst) { Control::Stop } else { Control::Continue }
    });
    if gone.load(Ordering::SeqCst) {
        // Nobody reads this.
        return Err(ApiError::internal("the client is gone"));
    }
    let transcript = transcript.inspect_err(|e| {
        loaded.note(e);
        account.end(Outcome::Failed);
    })?;
    account.end(Outcome::Completed);
    Ok(transcript)
}

fn written(t: &Transcript, speech: &Speech, task: Task) -> Response<Reply> {
    const PLAIN: &str = "text/plain; charset=utf-8";
    let text = t.text.trim();
    match speech.format {
        SpeechFormat::Json => {
            let usage = json!({ "type": "duration", "seconds": t.seconds.ceil() });
            reply::json(200, &json!({ "text": text, "usage": usage }))
        }
        SpeechFormat::Text => reply::text(200, PLAIN, format!("{text}\n")),
        SpeechFormat::Srt => {
            let cues: String = t.segments.iter().enumerate().map(|(i, s)| subtitles::srt(i + 1, s)).collect();
            reply::text(200, PLAIN, cues)
        }
        SpeechFormat::Vtt => {
            let cues: String = t.segments.iter().map(subtitles::vtt).collect();
            reply::text(200, "text/vtt; charset=utf-8", format!("{}{cues}", subtitles::VTT))
        }
        SpeechFormat::Verbose => {
            let task = if task == Task::Translate { "translate" } else { "transcribe" };
            let mut body = json!({
                "task": task, "language": t.language, "duration": thousandths(t.seconds), "text": text,
                "usage": { "type": "duration", "seconds": t.seconds.ceil() },
            });
            if speech.words {
                body["words"] = t.segments.iter().flat_map(|s| &s.words).map(word).collect();
            }
            // As OpenAI has it, who asks for words alone gets no segments.
            if speech.times || !speech.words {
                body["segments"] = t.segments.iter().enumerate().map(segment).collect();
            }
            reply::json(200, &body)
        }
    }
}

fn thousandths(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

fn word(w: &Word) -> Value {
    let (start, end) = (thousandths(w.start), thousandths(w.end));
    json!({ "word": w.text.trim(), "start": start, "end": end, "probability": w.probability })
}

fn segment((i, s): (usize, &Segment)) -> Value {
    json!({
        "id": i,
        // Frames of a hundredth of a second.
        "seek": (s.start * 100.0).round(),
        "start": s.start,
        "end": s.end,
        "text": s.text,
        "tokens": s.tokens.iter().map(|t| t.0).collect::<Vec<_>>(),
        "temperature": s.temperature,
        "avg_logprob": s.avg_logprob,
        "compression_ratio": s.compression_ratio,
        "no_speech_prob": s.no_speech_prob,
    })
}
