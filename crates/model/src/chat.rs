//! Chat templates: the Jinja program that a model's file carries, rendered as Hugging Face's tools render it.
//!
//! A template is untrusted: its steps and its output are bounded, and it reaches nothing but the conversation.

mod named;

pub use named::{NAMED, NamedTemplate};

use crate::tokenizer::Tokenizer;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Value};
use minijinja::{Environment, ErrorKind, UndefinedBehavior};
use serde::Serialize;
use std::time::{SystemTime, UNIX_EPOCH};
use thiserror::Error;

/// Steps that a rendering may take; a long conversation takes some thousands.
const FUEL: u64 = 2_000_000;
/// Bytes that a rendering may produce.
const OUTPUT: usize = 16 << 20;
/// Bytes that a template may have.
const SOURCE: usize = 1 << 20;

/// Why a conversation cannot be rendered.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the fields are named in the messages")]
pub enum ChatError {
    /// The template is no valid Jinja.
    #[error("the chat template is broken: {message}; use --raw to prompt without it")]
    Syntax { message: String },
    /// The template refuses the conversation.
    #[error("the chat template refuses this conversation: {message}")]
    Refused { message: String },
    /// The template fails.
    #[error("the chat template failed: {message}; use --raw to prompt without it")]
    Failed { message: String },
    /// The template does not end, or its output does not.
    #[error("the chat template takes more than {limit} {what}; use --raw to prompt without it")]
    Endless { limit: u64, what: &'static str },
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// What was said.
    pub content: String,
}

impl Message {
    /// A message.
    pub fn new(role: &str, content: &str) -> Self {
        Self { role: role.into(), content: content.into() }
    }
}

/// Whether the rendering ends where the assistant's answer begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerationPrompt {
    /// It does.
    Add,
    /// It ends with the last message.
    None,
}

/// A compiled template.
pub struct ChatTemplate {
    env: Environment<'static>,
    bos: String,
    eos: String,
}

/// The time that a template sees (`strftime_now`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The system's, in UTC.
    System,
    /// Always this one.
    Fixed(SystemTime),
}

impl Clock {
    /// Seconds since 1970.
    fn seconds(self) -> u64 {
        let time = match self {
            Self::System => SystemTime::now(),
            Self::Fixed(time) => time,
        };
        time.duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
    }
}

impl std::fmt::Debug for ChatTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChatTemplate").finish_non_exhaustive()
    }
}

const NAME: &str = "chat";
/// Marks a message that a template raised itself.
const RAISED: &str = "raised by the template: ";

impl ChatTemplate {
    /// The template of a tokenizer's file, where it has one.
    pub fn of(tokenizer: &Tokenizer) -> Option<Result<Self, ChatError>> {
        Some(Self::for_tokenizer(tokenizer.data().chat_template.as_deref()?, tokenizer))
    }

    /// Compiles a template.
    pub fn new(source: &str, bos: &str, eos: &str) -> Result<Self, ChatError> {
        Self::with_clock(source, bos, eos, Clock::System)
    }

    /// Compiles a template that sees this time.
    pub fn with_clock(source: &str, bos: &str, eos: &str, clock: Clock) -> Result<Self, ChatError> {
        if source.len() > SOURCE {
            return Err(ChatError::Endless { limit: SOURCE as u64, what: "bytes of source" });
        }
        let mut env = Environment::new();
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        env.set_syntax(syntax.map_err(|e| ChatError::Syntax { message: e.to_string() })?);
        env.set_fuel(Some(FUEL));
        env.set_undefined_behavior(UndefinedBehavior::Lenient);
        env.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        env.add_function("raise_exception", |message: String| -> Result<Value, minijinja::Error> {
            Err(minijinja::Error::new(ErrorKind::InvalidOperation, format!("{RAISED}{message}")))
        });
        env.add_function("strftime_now", move |format: String| strftime(&format, clock.seconds()));
        env.add_filter("tojson", to_json);
        // As in Python, none cannot be iterated; the library's own test says that it can.
        env.add_test("iterable", |value: &Value| !value.is_none() && value.try_iter().is_ok());
        env.add_template_owned(NAME, strip_generation(source))
            .map_err(|e| ChatError::Syntax { message: e.to_string() })?;
        Ok(Self { env, bos: bos.into(), eos: eos.into() })
    }

    /// Renders a conversation.
    pub fn render(&self, messages: &[Message], prompt: GenerationPrompt) -> Result<String, ChatError> {
        let template =
            self.env.get_template(NAME).map_err(|e| ChatError::Syntax { message: e.to_string() })?;
        let messages: Vec<Value> = messages
            .iter()
            .map(|m| minijinja::context! { role => m.role.clone(), content => m.content.clone() })
            .collect();
        let context = minijinja::context! {
            messages => messages,
            add_generation_prompt => prompt == GenerationPrompt::Add,
            // Templates ask whether these are none; to most of them undefined is something else.
            tools => Value::from(()),
            documents => Value::from(()),
            bos_token => self.bos.clone(),
            eos_token => self.eos.clone(),
        };
        let mut out = Bounded::default();
        match template.render_captured_to(context, &mut out) {
            _ if out.full => Err(ChatError::Endless { limit: OUTPUT as u64, what: "bytes of output" }),
            Ok(_) => String::from_utf8(out.bytes).map_err(|e| ChatError::Failed { message: e.to_string() }),
            Err(e) => Err(explain(&e)),
        }
    }
}

fn explain(e: &minijinja::Error) -> ChatError {
    if e.kind() == ErrorKind::OutOfFuel {
        return ChatError::Endless { limit: FUEL, what: "steps" };
    }
    let detail = e.detail().unwrap_or("");
    match detail.strip_prefix(RAISED) {
        Some(message) => ChatError::Refused { message: message.into() },
        None => ChatError::Failed { message: e.to_string() },
    }
}

/// A buffer that refuses to grow without end.
#[derive(Default)]
struct Bounded {
    bytes: Vec<u8>,
    full: bool,
}

impl std::io::Write for Bounded {
    fn write(&mut self, b: &[u8]) -> std::io::Result<usize> {
        if self.bytes.len() + b.len() > OUTPUT {
            self.full = true;
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(b);
        Ok(b.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Removes `{% generation %}` marks, which only matter in training.
fn strip_generation(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("{%") {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let Some(end) = tag.find("%}") else {
            rest = tag;
            break;
        };
        let (tag, after) = tag.split_at(end + 2);
        let word = tag[2..end].trim_matches(['-', '+', ' ', '\n', '\t', '\r']);
        if word == "generation" || word == "endgeneration" {
            // An always-true condition keeps the mark's control of white space.
            let body = if word == "generation" { "if true" } else { "endif" };
            out.push_str(&tag.replacen(word, body, 1));
        } else {
            out.push_str(tag);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// `tojson` as Hugging Face has it: no HTML escapes, optional indentation, spaces after separators.
fn to_json(value: Value, kwargs: Kwargs) -> Result<Value, minijinja::Error> {
    let indent: Option<usize> = kwargs.get("indent")?;
    // Accepted, since templates pass them; characters are never escaped and keys keep their order.
    let _: Option<bool> = kwargs.get("ensure_ascii")?;
    let _: Option<bool> = kwargs.get("sort_keys")?;
    let fail = |e: serde_json::Error| minijinja::Error::new(ErrorKind::BadSerialization, e.to_string());
    let json = serde_json::to_value(&value).map_err(fail)?;
    let mut out = Vec::new();
    match indent {
        Some(n) => {
            let spaces = vec![b' '; n.min(16)];
            let formatter = serde_json::ser::PrettyFormatter::with_indent(&spaces);
            let mut s = serde_json::Serializer::with_formatter(&mut out, formatter);
            json.serialize(&mut s).map_err(fail)?;
        }
        None => {
            let mut s = serde_json::Serializer::with_formatter(&mut out, Spaced);
            json.serialize(&mut s).map_err(fail)?;
        }
    }
    Ok(Value::from_safe_string(String::from_utf8_lossy(&out).into_owned()))
}

/// Python's default separators: `, ` and `: `.
struct Spaced;

impl serde_json::ser::Formatter for Spaced {
    fn begin_array_value<W: ?Sized + std::io::Write>(
        &mut self,
        w: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if first { Ok(()) } else { w.write_all(b", ") }
    }
    fn begin_object_key<W: ?Sized + std::io::Write>(
        &mut self,
        w: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if first { Ok(()) } else { w.write_all(b", ") }
    }
    fn begin_object_value<W: ?Sized + std::io::Write>(&mut self, w: &mut W) -> std::io::Result<()> {
        w.write_all(b": ")
    }
}

/// The parts of strftime that templates use (the date), in UTC.
fn strftime(format: &str, seconds: u64) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    const DAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];
    let (year, month, day) = civil(seconds / 86_400);
    let (h, m, s) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let (name, weekday) = (MONTHS[month as usize - 1], DAYS[(seconds / 86_400 % 7) as usize]);
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('Y') => out.push_str(&year.to_string()),
            Some('y') => out.push_str(&format!("{:02}", year % 100)),
            Some('e') => out.push_str(&format!("{day:2}")),
            Some('I') => out.push_str(&format!("{:02}", (h + 11) % 12 + 1)),
            Some('p') => out.push_str(if h < 12 { "AM" } else { "PM" }),
            Some('F') => out.push_str(&format!("{year}-{month:02}-{day:02}")),
            Some('T') => out.push_str(&format!("{h:02}:{m:02}:{s:02}")),
            // A number without its leading zero, as the C library has it.
            Some('-') => match chars.next() {
                Some('d') => out.push_str(&day.to_string()),
                Some('m') => out.push_str(&month.to_string()),
                Some('H') => out.push_str(&h.to_string()),
                Some('I') => out.push_str(&((h + 11) % 12 + 1).to_string()),
                other => out.extend(['%', '-'].into_iter().chain(other)),
            },
            Some('m') => out.push_str(&format!("{month:02}")),
            Some('d') => out.push_str(&format!("{day:02}")),
            Some('B') => out.push_str(name),
            Some('b') => out.push_str(&name[..3]),
            Some('A') => out.push_str(weekday),
            Some('a') => out.push_str(&weekday[..3]),
            Some('H') => out.push_str(&format!("{h:02}")),
            Some('M') => out.push_str(&format!("{m:02}")),
            Some('S') => out.push_str(&format!("{s:02}")),
            Some('%') => out.push('%'),
            Some(other) => out.extend(['%', other]),
            None => out.push('%'),
        }
    }
    out
}

/// (year, month, day) of a day counted from 1970-01-01, by walking the Gregorian calendar's years and months.
fn civil(mut days: u64) -> (u64, u64, u64) {
    let leap = |y: u64| y.is_multiple_of(4) && !y.is_multiple_of(100) || y.is_multiple_of(400);
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SmolLM2-Instruct's template.
    const SMOLLM2: &str = "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

    fn render(source: &str, messages: &[Message]) -> Result<String, ChatError> {
        ChatTemplate::new(source, "<s>", "</s>")?.render(messages, GenerationPrompt::Add)
    }

    #[test]
    fn smollm2_renders_as_its_authors_do() {
        let messages =
            [Message::new("user", "Hi"), Message::new("assistant", "Yo"), Message::new("user", "?")];
        assert_eq!(
            render(SMOLLM2, &messages).unwrap(),
            "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n\
             <|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nYo<|im_end|>\n<|im_start|>user\n?<|im_end|>\n\
             <|im_start|>assistant\n"
        );
    }

    #[test]
    fn endless_templates_are_stopped() {
        let loops = "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}";
        assert!(matches!(render(loops, &[]), Err(ChatError::Endless { what: "steps", .. })));
        let grows = "{% set ns = namespace(s='xxxxxxxxxxxxxxxx') %}{% for a in range(24) %}{% set ns.s = ns.s + ns.s %}{% endfor %}{{ ns.s }}";
        assert!(render(grows, &[]).is_err());
        let recurses = "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}";
        assert!(matches!(render(recurses, &[]), Err(ChatError::Failed { .. })));
        let nested = format!("{{{{ {}1{} }}}}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(matches!(render(&nested, &[]), Err(ChatError::Syntax { .. })));
        let nested = "{% if 1 %}".repeat(50_000);
        assert!(matches!(render(&nested, &[]), Err(ChatError::Syntax { .. })));
    }

    #[test]
    fn a_refusal_keeps_the_templates_words() {
        let e = render("{{ raise_exception('no system role here') }}", &[]).unwrap_err();
        assert!(matches!(&e, ChatError::Refused { message } if message == "no system role here"), "{e}");
        assert!(matches!(render("{% if %}", &[]), Err(ChatError::Syntax { .. })));
        assert!(matches!(render("{{ 1 + {} }}", &[]), Err(ChatError::Failed { .. })));
    }

    #[test]
    fn templates_find_what_they_expect() {
        let messages = [Message::new("user", "  A <b> ")];
        assert_eq!(render("{{ messages[0].content.strip() }}", &messages).unwrap(), "A <b>");
        assert_eq!(render("{{ {'a': [1, 'x']} | tojson }}", &[]).unwrap(), r#"{"a": [1, "x"]}"#);
        assert_eq!(render("{{ bos_token }}{% generation %}a{% endgeneration %}", &[]).unwrap(), "<s>a");
        assert_eq!(strftime("%d %b %Y %B %H:%M", 1_795_262_400), "21 Nov 2026 November 12:00");
        assert_eq!(
            strftime("%F %-d/%-m/%y %I:%M %p %A %q", 1_795_262_400),
            "2026-11-21 21/11/26 12:00 PM Saturday %q"
        );
        assert_eq!(render("{% if tools is none %}none{% endif %}", &[]).unwrap(), "none");
    }
}
