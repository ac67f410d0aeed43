//! Chat templates by name, for models whose file has none: the formats as their authors document them.

use super::{ChatError, ChatTemplate};
use crate::tokenizer::{Token, Tokenizer};

/// A format of conversations that a user can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedTemplate {
    /// What the user types.
    pub name: &'static str,
    /// Models that were trained with it.
    pub about: &'static str,
    /// The template, in Jinja.
    pub source: &'static str,
    /// Texts that end an answer. A model that was trained with the format usually has a token for it, which ends the answer
    /// by itself; one that was not writes the text.
    pub stops: &'static [&'static str],
}

/// Every named format.
pub static NAMED: &[NamedTemplate] = &[
    NamedTemplate {
        name: "chatml",
        about: "Qwen, SmolLM, Yi, Hermes and many fine-tunes",
        source: "{% for m in messages %}\
                 {{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}\
                 {% endfor %}\
                 {% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}",
        stops: &["<|im_end|>", "<|im_start|>"],
    },
    NamedTemplate {
        name: "llama2",
        about: "Llama 2 Chat",
        source: concat!(
            "{% set system = '' %}{% set rest = messages %}",
            "{% if messages and messages[0].role == 'system' %}",
            "{% set system = '<<SYS>>\\n' + messages[0].content + '\\n<</SYS>>\\n\\n' %}",
            "{% set rest = messages[1:] %}{% endif %}",
            "{% for m in rest %}",
            "{% if m.role == 'user' %}",
            "{{ bos_token + '[INST] ' + (system if loop.first else '') + m.content.strip() + ' [/INST]' }}",
            "{% else %}{{ ' ' + m.content.strip() + ' ' + eos_token }}{% endif %}",
            "{% endfor %}",
        ),
        stops: &["[INST]"],
    },
    NamedTemplate {
        name: "llama3",
        about: "Llama 3 Instruct and later",
        source: concat!(
            "{{ bos_token }}",
            "{% for m in messages %}",
            "{{ '<|start_header_id|>' + m.role + '<|end_header_id|>\\n\\n' + m.content.strip() + '<|eot_id|>' }}",
            "{% endfor %}",
            "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}",
        ),
        stops: &["<|eot_id|>", "<|start_header_id|>"],
    },
    NamedTemplate {
        name: "gemma",
        about: "Gemma 1 to 3; the system prompt begins the first question",
        source: concat!(
            "{% set system = '' %}{% set rest = messages %}",
            "{% if messages and messages[0].role == 'system' %}",
            "{% set system = messages[0].content.strip() + '\\n\\n' %}{% set rest = messages[1:] %}{% endif %}",
            "{{ bos_token }}",
            "{% for m in rest %}",
            "{{ '<start_of_turn>' + ('model' if m.role == 'assistant' else m.role) + '\\n' }}",
            "{{ (system if loop.first else '') + m.content.strip() + '<end_of_turn>\\n' }}",
            "{% endfor %}",
            "{% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}",
        ),
        stops: &["<end_of_turn>", "<start_of_turn>"],
    },
    NamedTemplate {
        name: "mistral",
        about: "Mistral and Mixtral Instruct; the system prompt begins the first question",
        source: concat!(
            "{% set system = '' %}{% set rest = messages %}",
            "{% if messages and messages[0].role == 'system' %}",
            "{% set system = messages[0].content.strip() + '\\n\\n' %}{% set rest = messages[1:] %}{% endif %}",
            "{{ bos_token }}",
            "{% for m in rest %}",
            "{% if m.role == 'user' %}",
            "{{ '[INST] ' + (system if loop.first else '') + m.content.strip() + ' [/INST]' }}",
            "{% else %}{{ ' ' + m.content.strip() + eos_token }}{% endif %}",
            "{% endfor %}",
        ),
        stops: &["[INST]"],
    },
    NamedTemplate {
        name: "phi3",
        about: "Phi-3 and Phi-3.5",
        source: "{% for m in messages %}\
                 {{ '<|' + m.role + '|>\\n' + m.content + '<|end|>\\n' }}\
                 {% endfor %}\
                 {% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}",
        stops: &["<|end|>", "<|user|>"],
    },
    NamedTemplate {
        name: "phi4",
        about: "Phi-4",
        source: "{% for m in messages %}\
                 {{ '<|im_start|>' + m.role + '<|im_sep|>' + m.content + '<|im_end|>' }}\
                 {% endfor %}\
                 {% if add_generation_prompt %}{{ '<|im_start|>assistant<|im_sep|>' }}{% endif %}",
        stops: &["<|im_end|>", "<|im_start|>"],
    },
    NamedTemplate {
        name: "zephyr",
        about: "Zephyr, TinyLlama Chat, StableLM Zephyr",
        source: "{% for m in messages %}\
                 {{ '<|' + m.role + '|>\\n' + m.content + eos_token + '\\n' }}\
                 {% endfor %}\
                 {% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}",
        stops: &["<|user|>"],
    },
    NamedTemplate {
        name: "vicuna",
        about: "Vicuna 1.1 and later",
        source: concat!(
            "{{ bos_token }}",
            "{% for m in messages %}",
            "{% if m.role == 'system' %}{{ m.content.strip() + ' ' }}",
            "{% elif m.role == 'user' %}{{ 'USER: ' + m.content.strip() + ' ' }}",
            "{% else %}{{ 'ASSISTANT: ' + m.content.strip() + eos_token }}{% endif %}",
            "{% endfor %}",
            "{% if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %}",
        ),
        stops: &["USER:"],
    },
    NamedTemplate {
        name: "alpaca",
        about: "Alpaca and instruction fine-tunes in its style",
        source: concat!(
            "{% if not messages or messages[0].role != 'system' %}",
            "{{ 'Below is an instruction that describes a task. Write a response that appropriately completes the ",
            "request.\\n\\n' }}{% endif %}",
            "{% for m in messages %}",
            "{% if m.role == 'system' %}{{ m.content.strip() + '\\n\\n' }}",
            "{% elif m.role == 'user' %}{{ '### Instruction:\\n' + m.content.strip() + '\\n\\n' }}",
            "{% else %}{{ '### Response:\\n' + m.content.strip() + '\\n\\n' }}{% endif %}",
            "{% endfor %}",
            "{% if add_generation_prompt %}{{ '### Response:\\n' }}{% endif %}",
        ),
        stops: &["### Instruction:"],
    },
    NamedTemplate {
        name: "command-r",
        about: "Command R and Aya",
        source: concat!(
            "{{ bos_token }}",
            "{% for m in messages %}",
            "{% set role = {'system': 'SYSTEM', 'user': 'USER', 'assistant': 'CHATBOT'}[m.role] %}",
            "{{ '<|START_OF_TURN_TOKEN|><|' + role + '_TOKEN|>' + m.content.strip() + '<|END_OF_TURN_TOKEN|>' }}",
            "{% endfor %}",
            "{% if add_generation_prompt %}{{ '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' }}{% endif %}",
        ),
        stops: &["<|END_OF_TURN_TOKEN|>"],
    },
];

impl NamedTemplate {
    /// The format of this name, in any letter case.
    pub fn find(name: &str) -> Option<&'static Self> {
        NAMED.iter().find(|t| t.name.eq_ignore_ascii_case(name))
    }
}

impl ChatTemplate {
    /// Compiles a template for a tokenizer whose file has another one or none.
    pub fn for_tokenizer(source: &str, tokenizer: &Tokenizer) -> Result<Self, ChatError> {
        let text = |id: Option<Token>| id.and_then(|i| tokenizer.token_text(i)).unwrap_or("").to_owned();
        let eos = tokenizer.data().ends.first().copied();
        Self::new(source, &text(tokenizer.bos()), &text(eos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{GenerationPrompt, Message};

    fn render(name: &str, messages: &[Message]) -> String {
        let source = NamedTemplate::find(name).unwrap().source;
        ChatTemplate::new(source, "<s>", "</s>").unwrap().render(messages, GenerationPrompt::Add).unwrap()
    }

    #[test]
    fn names_are_their_own_and_found_in_any_case() {
        for (i, t) in NAMED.iter().enumerate() {
            assert!(NAMED[..i].iter().all(|other| other.name != t.name), "{}", t.name);
            assert_eq!(NamedTemplate::find(&t.name.to_uppercase()), Some(t));
            assert!(t.stops.iter().all(|s| !s.is_empty()) && !t.about.is_empty());
        }
        assert_eq!(NamedTemplate::find("chat"), None);
    }

    /// A system prompt, one answer and a second question, as each format's documentation writes them.
    #[test]
    fn a_conversation_is_written_as_documented() {
        let said = [
            Message::new("system", "Be brief."),
            Message::new("user", "Hi"),
            Message::new("assistant", "Hello"),
            Message::new("user", "2+2?"),
        ];
        let expected = [
            (
                "chatml",
                "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n\
                 <|im_start|>assistant\nHello<|im_end|>\n<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n",
            ),
            (
                "llama2",
                "<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\nHi [/INST] Hello </s><s>[INST] 2+2? [/INST]",
            ),
            (
                "llama3",
                "<s><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>\
                 <|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>\
                 <|start_header_id|>assistant<|end_header_id|>\n\nHello<|eot_id|>\
                 <|start_header_id|>user<|end_header_id|>\n\n2+2?<|eot_id|>\
                 <|start_header_id|>assistant<|end_header_id|>\n\n",
            ),
            (
                "gemma",
                "<s><start_of_turn>user\nBe brief.\n\nHi<end_of_turn>\n<start_of_turn>model\nHello<end_of_turn>\n\
                 <start_of_turn>user\n2+2?<end_of_turn>\n<start_of_turn>model\n",
            ),
            ("mistral", "<s>[INST] Be brief.\n\nHi [/INST] Hello</s>[INST] 2+2? [/INST]"),
            (
                "phi3",
                "<|system|>\nBe brief.<|end|>\n<|user|>\nHi<|end|>\n<|assistant|>\nHello<|end|>\n<|user|>\n2+2?<|end|>\n\
                 <|assistant|>\n",
            ),
            (
                "phi4",
                "<|im_start|>system<|im_sep|>Be brief.<|im_end|><|im_start|>user<|im_sep|>Hi<|im_end|>\
                 <|im_start|>assistant<|im_sep|>Hello<|im_end|><|im_start|>user<|im_sep|>2+2?<|im_end|>\
                 <|im_start|>assistant<|im_sep|>",
            ),
            (
                "zephyr",
                "<|system|>\nBe brief.</s>\n<|user|>\nHi</s>\n<|assistant|>\nHello</s>\n<|user|>\n2+2?</s>\n<|assistant|>\n",
            ),
            ("vicuna", "<s>Be brief. USER: Hi ASSISTANT: Hello</s>USER: 2+2? ASSISTANT:"),
            (
                "alpaca",
                "Be brief.\n\n### Instruction:\nHi\n\n### Response:\nHello\n\n### Instruction:\n2+2?\n\n### Response:\n",
            ),
            (
                "command-r",
                "<s><|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>Be brief.<|END_OF_TURN_TOKEN|>\
                 <|START_OF_TURN_TOKEN|><|USER_TOKEN|>Hi<|END_OF_TURN_TOKEN|>\
                 <|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>Hello<|END_OF_TURN_TOKEN|>\
                 <|START_OF_TURN_TOKEN|><|USER_TOKEN|>2+2?<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
            ),
        ];
        for t in NAMED {
            let (_, text) = expected.iter().find(|(name, _)| *name == t.name).unwrap();
            assert_eq!(render(t.name, &said), *text, "{}", t.name);
            // Without a system prompt nothing of it is left.
            let short = render(t.name, &said[1..2]);
            assert!(short.contains("Hi") && !short.contains("SYS") && !short.contains("brief"), "{}", t.name);
        }
    }
}
