//! Chat templates: the Jinja program that a model's file carries, rendered as Hugging Face's tools render it.
//!
//! A template is untrusted: its steps are bounded and so is what it makes, be it printed or held, and it reaches
//! nothing but the conversation.

mod budget;
mod json;
mod named;
mod syntax;
mod time;

pub use named::{NAMED, NamedTemplate};

use crate::tokenizer::Tokenizer;
use budget::Account;
use minijinja::machinery::{self, CodeGenerator};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};
use thiserror::Error;

/// Steps that a rendering may take; a long conversation takes some thousands.
const FUEL: u64 = 4_000_000;
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
    /// The template does not end, or what it makes does not.
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
    /// What else the template may ask for: `tool_calls`, `tool_call_id`, `reasoning_content`, …
    #[serde(flatten)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

impl Message {
    /// A message.
    pub fn new(role: &str, content: &str) -> Self {
        Self { role: role.into(), content: content.into(), more: serde_json::Map::new() }
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

/// A template that was found valid.
pub struct ChatTemplate {
    source: String,
    bos: String,
    eos: String,
    clock: Clock,
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
/// Bytes that a message counts for beside its text.
const MESSAGE: usize = 256;
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
        let template = Self { source: strip_generation(source), bos: bos.into(), eos: eos.into(), clock };
        template.with_program(|_, _| Ok(()))?;
        Ok(template)
    }

    /// Compiles the template and hands the program and an environment for it to `run`. It is compiled for each
    /// rendering, in the time of a few tokens, because the environment keeps that rendering's account.
    fn with_program<T>(
        &self,
        run: impl FnOnce(&mut Environment<'_>, &Program<'_>) -> Result<T, ChatError>,
    ) -> Result<T, ChatError> {
        let broken = |e: minijinja::Error| ChatError::Syntax { message: e.to_string() };
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(broken)?;
        syntax::check_depth(&self.source, &syntax)?;
        let tree = machinery::parse(&self.source, NAME, syntax).map_err(broken)?;
        let mut generator = CodeGenerator::new(NAME, &self.source);
        generator.compile_stmt(&syntax::bounded(&tree)?);
        let (instructions, blocks) = generator.finish();
        let mut env = Environment::new();
        env.set_fuel(Some(FUEL));
        env.set_undefined_behavior(UndefinedBehavior::Lenient);
        env.add_function("raise_exception", |message: String| -> Result<Value, minijinja::Error> {
            Err(minijinja::Error::new(ErrorKind::InvalidOperation, format!("{RAISED}{message}")))
        });
        let clock = self.clock;
        env.add_function("strftime_now", move |format: String| time::strftime(&format, clock.seconds()));
        // As in Python, none cannot be iterated; the library's own test says that it can.
        env.add_test("iterable", |value: &Value| !value.is_none() && value.try_iter().is_ok());
        run(&mut env, &Program { instructions, blocks })
    }

    /// Its text.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Renders a conversation.
    pub fn render(&self, messages: &[Message], prompt: GenerationPrompt) -> Result<String, ChatError> {
        self.render_with(messages, &[], prompt)
    }

    /// Renders a conversation in which these tools may be called: objects of `type` and `function`, which has `name`, `description`
    /// and `parameters`.
    pub fn render_with(
        &self,
        messages: &[Message],
        tools: &[serde_json::Value],
        prompt: GenerationPrompt,
    ) -> Result<String, ChatError> {
        let more = |m: &Message| m.more.iter().map(|(k, v)| k.len() + v.to_string().len()).sum::<usize>();
        let said: usize = messages.iter().map(|m| m.role.len() + m.content.len() + more(m) + MESSAGE).sum();
        let bytes = said + tools.iter().map(|t| t.to_string().len() + MESSAGE).sum::<usize>();
        let messages: Vec<Value> = messages.iter().map(|m| Value::from(Serde(m))).collect();
        // Templates ask whether there are none; to most of them undefined is something else.
        let tools = if tools.is_empty() { Value::from(()) } else { Value::from(Serde(tools)) };
        let context = minijinja::context! {
            messages => messages,
            add_generation_prompt => prompt == GenerationPrompt::Add,
            tools => tools,
            documents => Value::from(()),
            bos_token => self.bos.clone(),
            eos_token => self.eos.clone(),
        };
        let account = Account::new(bytes as u64);
        self.with_program(|env, program| {
            budget::install(env, &account);
            let mut text = String::new();
            let mut out = machinery::make_string_output(&mut text);
            let Program { instructions, blocks } = program;
            let ended =
                machinery::eval(env, instructions, context, blocks, &mut out, AutoEscape::None).map(|_| ());
            drop(out);
            match (account.exceeded(), ended) {
                (Some((limit, what)), _) => Err(ChatError::Endless { limit, what }),
                (None, Ok(())) => Ok(text),
                (None, Err(e)) => Err(explain(&e)),
            }
        })
    }
}

/// A compiled template.
struct Program<'a> {
    instructions: machinery::Instructions<'a>,
    blocks: BTreeMap<&'a str, machinery::Instructions<'a>>,
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

/// Removes `{% generation %}` marks, which only matter in training.
fn strip_generation(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("{%") {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        // In `{%}` the two marks share their sign, and the tag is still open.
        let Some(end) = tag[2..].find("%}").map(|at| at + 2) else {
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
        assert!(matches!(render(&nested, &[]), Err(ChatError::Endless { what: "words in one tag", .. })));
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
        assert_eq!(time::strftime("%d %b %Y %B %H:%M", 1_795_262_400), "21 Nov 2026 November 12:00");
        assert_eq!(
            time::strftime("%F %-d/%-m/%y %I:%M %p %A %q", 1_795_262_400),
            "2026-11-21 21/11/26 12:00 PM Saturday %q"
        );
        assert_eq!(render("{% if tools is none %}none{% endif %}", &[]).unwrap(), "none");
    }

    #[test]
    fn tools_and_calls_reach_the_template() {
        let source = "{% for t in tools %}{{ t | tojson }}{% endfor %}{% for m in messages %}{% for c in m.tool_calls %}\
                      {{ c.function.name }}({{ c.function.arguments | tojson }}){% endfor %}{% if m.tool_call_id is defined %}\
                      {{ m.tool_call_id }}={{ m.content }}{% endif %}{% endfor %}";
        let tool = serde_json::json!({"type": "function", "function": {"name": "f", "parameters": {"z": 1, "a": 2}}});
        let mut call = Message::new("assistant", "");
        let calls = serde_json::json!([{"id": "1", "function": {"name": "f", "arguments": {"b": [1, null], "a": "x"}}}]);
        call.more.insert("tool_calls".into(), calls);
        let mut result = Message::new("tool", "7");
        result.more.insert("tool_call_id".into(), "1".into());
        let t = ChatTemplate::new(source, "", "").unwrap();
        assert_eq!(
            t.render_with(&[call, result], &[tool], GenerationPrompt::Add).unwrap(),
            r#"{"type": "function", "function": {"name": "f", "parameters": {"z": 1, "a": 2}}}f({"b": [1, null], "a": "x"})1=7"#
        );
    }
}
