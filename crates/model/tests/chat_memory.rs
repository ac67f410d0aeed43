//! What a chat template may hold: hostile ones are refused before they hold much, honest ones are not.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_model::chat::{ChatError, ChatTemplate, GenerationPrompt, Message};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts what is allocated now, and the most that ever was.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on unchanged to the system's allocator, which upholds the trait's contract; the counters
// are atomics, and touching them allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller upholds `alloc`'s contract.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller upholds `dealloc`'s contract, and `alloc` took `ptr` from the same allocator.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Most bytes that a rendering of a short conversation may hold.
const HELD: usize = 64 << 20;

/// A rendering, and the most that it held.
fn render(source: &str, messages: &[Message]) -> (Result<String, ChatError>, usize) {
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = ChatTemplate::new(source, "<s>", "</s>")
        .and_then(|template| template.render(messages, GenerationPrompt::Add));
    (result, PEAK.load(Ordering::Relaxed) - before)
}

/// `{% for i in range(60) %}` around a body, with a namespace that holds a text and a list.
fn doubling(body: &str) -> String {
    format!(
        "{{% set ns = namespace(s='0123456789abcdef', l=[1, 2], d={{}}) %}}{{% for i in range(60) %}}{body}{{% endfor %}}done"
    )
}

/// Ways to make much of little. Each grows until something stops it.
fn hostile() -> Vec<(&'static str, String)> {
    let raw = "x".repeat(50_000);
    let mut all: Vec<(&'static str, String)> = [
        ("a sum", "{% set ns.s = ns.s + ns.s %}"),
        ("a concatenation", "{% set ns.s = ns.s ~ ns.s %}"),
        ("a product", "{% set ns.s = ns.s * 2 %}"),
        ("a captured block", "{% set x %}{{ ns.s }}{{ ns.s }}{% endset %}{% set ns.s = x %}"),
        ("a filter block", "{% set x %}{% filter upper %}{{ ns.s }}{{ ns.s }}{% endfilter %}{% endset %}{% set ns.s = x %}"),
        ("a macro", "{% macro f(x) %}{{ x }}{{ x }}{% endmacro %}{% set ns.s = f(ns.s) %}"),
        ("a call block", "{% macro f() %}{{ caller() }}{{ caller() }}{% endmacro %}{% set x %}{% call f() %}{{ ns.s }}{% endcall %}{% endset %}{% set ns.s = x %}"),
        ("join", "{% set ns.s = [ns.s, ns.s] | join('') %}"),
        ("the method join", "{% set ns.s = ''.join([ns.s, ns.s]) %}"),
        ("a joined separator", "{% set ns.s = ['', '', ''] | join(ns.s) %}"),
        ("replace", "{% set ns.s = ns.s | replace('0', ns.s) %}"),
        ("the method replace", "{% set ns.s = ns.s.replace('0', ns.s) %}"),
        ("format", "{% set ns.s = '{}{}'.format(ns.s, ns.s) %}"),
        ("tojson", "{% set ns.s = [ns.s, ns.s] | tojson %}"),
        ("string", "{% set ns.s = [ns.s, ns.s] | string %}"),
        ("escape", "{% set ns.s = (ns.s ~ '<' ~ ns.s) | escape %}"),
        ("a sum of lists", "{% set ns.l = ns.l + ns.l %}"),
        ("a product of lists", "{% set ns.l = ns.l * 2 %}"),
        ("a list in a list", "{% set ns.l = [ns.l, ns.l] %}"),
        ("a list of copies", "{% set ns.l = (ns.l + ns.l) | list %}"),
        ("map", "{% set ns.l = (ns.l + ns.l) | map('string') | list %}"),
        ("a dictionary", "{% set ns.d = {'a': ns.d, 'b': ns.d} %}"),
        ("dict", "{% set ns.d = dict(a=ns.d, b=ns.d) %}"),
        ("an indented text", "{% set ns.s = (ns.s ~ '\\n' ~ ns.s) | indent(1000) %}"),
    ]
    .into_iter()
    .map(|(what, body)| (what, doubling(body)))
    .collect();
    let deep = |body: &str| {
        format!(
            "{{% set ns = namespace(l=[1], d={{}}) %}}{{% for i in range(100000) %}}{body}{{% endfor %}}{{{{ ns.l }}}}"
        )
    };
    all.extend([
        ("a recursion", "{% macro f(x) %}{{ f(x + x) }}{% endmacro %}{{ f('0123456789abcdef') }}".into()),
        ("constants", format!("{{{{ [{}] | length }}}}", "'a' * 100000000, ".repeat(400))),
        ("a large product", "{{ ('a' * 99999999) | length }}".into()),
        ("a product of products", "{{ ['a' * 9999] * 9999 }}".into()),
        ("text between tags", format!("{{% set x %}}{{% for i in range(99999) %}}{raw}{{% endfor %}}{{% endset %}}")),
        ("printed text", format!("{{% for i in range(99999) %}}{raw}{{% endfor %}}")),
        ("lists within lists", deep("{% set ns.l = [ns.l] %}")),
        ("slices of slices", deep("{% set ns.l = ns.l[0:] %}")),
        ("reversals", deep("{% set ns.l = ns.l | reverse %}")),
        ("items of items", deep("{% set ns.d = {'a': ns.d.items()} %}")),
        ("macros", deep("{% macro f() %}{{ i }}{{ ns }}{% endmacro %}{% set x = f %}")),
        ("indent", "{{ 'a\nb' | indent(999999999) }}".into()),
        ("width", "{{ '{:>999999999}'.format('a') }}".into()),
        ("a width of percents", "{{ '%999999999s' | format('a') }}".into()),
        ("a width among the arguments", "{{ '%*s' | format(999999999, 'a') }}".into()),
        ("a nested width", "{{ '{:>{}}'.format('a', 999999999) }}".into()),
        ("ranges", "{% set ns = namespace(l=[]) %}{% for i in range(99) %}{% set ns.l = ns.l + [range(100000) | list] %}{% endfor %}".into()),
        ("characters", "{{ ('a' * 8000000) | list | length }}".into()),
        ("mapped characters", "{{ ('a' * 8000000) | map('upper') | list | length }}".into()),
        ("split characters", "{{ ('a' * 8000000).split('') | length }}".into()),
        ("a sum of texts", "{{ (['a' * 1000000] * 10000) | sum(start='') | length }}".into()),
        ("spread", "{% macro f() %}{% endmacro %}{{ f(*('a' * 8000000)) }}".into()),
        ("unpacked", "{% set a, b = 'a' * 8000000 %}".into()),
        ("unpacked items", "{% for a, b in ['a' * 8000000] %}{% endfor %}".into()),
        ("namespaces", "{% set a = namespace() %}{% set b = namespace(a=a) %}{% set a.b = [b] %}{{ a }}".into()),
        ("a namespace in itself", "{% set a = namespace() %}{% set a.a = a %}{{ a }}".into()),
        ("a long chain", format!("{{{{ 1{} }}}}", "+1".repeat(400_000))),
        ("a long chain of attributes", format!("{{{{ a{} }}}}", ".a".repeat(400_000))),
        ("many branches", format!("{{% if a %}}{}{{% endif %}}", "{% elif a %}".repeat(80_000))),
        ("sums in one tag", format!("{{% set a = 'a' * 1000000 %}}{{% set b = {} %}}", vec!["a"; 200].join(" + "))),
    ]);
    all
}

#[test]
fn what_a_template_holds_is_bounded() {
    for (what, source) in hostile() {
        let (result, held) = render(&source, &[Message::new("user", "Hi")]);
        match &result {
            Err(e @ ChatError::Endless { limit, .. }) => {
                assert!(e.to_string().contains(&limit.to_string()), "{e}")
            }
            // Stopped by what it asks for, not by how much: depth, or a filter that is not there.
            Err(ChatError::Failed { .. }) => {}
            // What looks as if it grew and does not, such as a slice of a slice.
            Ok(text) => assert!(text.len() < 1024, "{what}: {} bytes", text.len()),
            Err(e) => panic!("{what}: {e}"),
        }
        let ended = result.map_or_else(|e| e.to_string(), |_| "it ended".into());
        assert!(held < HELD, "{what}: {held} bytes held, then {ended}");
        println!("{what}: {} KiB, {ended}", held >> 10);
    }
}

/// What honest templates do with a conversation, some of it more than once.
const HONEST: &[&str] = &[
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] | trim + '<|im_end|>' + '\n' }}{% endfor %}",
    "{% set ns = namespace(s='') %}{% for m in messages %}{% set ns.s = ns.s + m.content %}{% endfor %}{{ ns.s }}",
    "{% set ns = namespace(l=[]) %}{% for m in messages %}{% set ns.l = ns.l + [m] %}{% endfor %}{% for m in ns.l[::-1] %}{{ m.content.split('</think>')[-1].lstrip('\n') }}{% endfor %}",
    "{% for m in messages %}{% set c %}{{ m.content }}{% endset %}{{ (c | string).replace('a', 'bb') | upper }}{{ m | tojson(indent=2) }}{% endfor %}",
    "{{ messages | map(attribute='content') | join('\n') }}{{ messages | selectattr('role', 'equalto', 'user') | list | length }}",
];

#[test]
fn a_long_conversation_is_no_hostile_one() {
    // A megabyte in two hundred turns: some two hundred thousand tokens.
    let turns: Vec<Message> = (0..200)
        .map(|i| Message::new(["user", "assistant"][i % 2], &"a word and another, ".repeat(262)))
        .collect();
    let bytes: usize = turns.iter().map(|m| m.content.len()).sum();
    for source in HONEST {
        let (result, _) = render(source, &turns);
        assert!(result.unwrap().len() >= bytes, "{source}");
    }
}

#[test]
fn products_are_those_of_python() {
    let source = "{{ 3 * 4 }} {{ 2.5 * 2 }} {{ true * 3 }} {{ 'ab' * 3 }} {{ 2 * 'ab' }} {{ [1, 2] * 2 }} {{ (1,) * 2 }} {{ [] * 9 }} {{ -2 * 3 }}";
    let (text, _) = render(source, &[]);
    assert_eq!(text.unwrap(), "12 5.0 3 ababab abab [1, 2, 1, 2] (1, 1) [] -6");
    for source in ["{{ 'a' * 'b' }}", "{{ {} * 2 }}", "{{ none * 2 }}"] {
        assert!(matches!(render(source, &[]).0, Err(ChatError::Failed { .. })), "{source}");
    }
}

#[test]
fn slices_are_those_of_python() {
    // What CPython prints; an empty text backwards made the engine panic.
    let cases = [
        ("''[::-1]", ""),
        ("[][::-1]", "[]"),
        ("'abcd'[::-1]", "dcba"),
        ("'abcd'[3:0:-2]", "db"),
        ("'abcd'[0:2:-1]", ""),
        ("'abcd'[-3:-1]", "bc"),
        ("'abcd'[9:]", ""),
        ("'abcd'[:-9:-1]", "dcba"),
        ("'aé🦙d'[1:3]", "é🦙"),
        ("'abcd'[::3]", "ad"),
        ("[1, 2, 3, 4][1:-1]", "[2, 3]"),
        ("[1, 2, 3, 4][-2::-1]", "[3, 2, 1]"),
        ("(1, 2, 3)[1:]", "(2, 3)"),
        ("range(5)[::2]", "[0, 2, 4]"),
        ("'abc'[::-9223372036854775807]", "c"),
        ("'abc'[-9223372036854775807:9223372036854775807]", "abc"),
    ];
    for (source, want) in cases {
        let (text, _) = render(&format!("{{{{ {source} }}}}"), &[]);
        assert_eq!(text.unwrap(), want, "{source}");
    }
    for source in ["{{ 'a'[::0] }}", "{{ 1[1:] }}", "{{ 'a'['b':] }}"] {
        assert!(matches!(render(source, &[]).0, Err(ChatError::Failed { .. })), "{source}");
    }
}

#[test]
fn a_tag_that_is_only_marks_is_no_tag() {
    for source in ["{%}", "{%}%}", "{% generation %}{%}", "{%"] {
        let (result, _) = render(source, &[]);
        assert!(matches!(result, Err(ChatError::Syntax { .. })), "{source}: {result:?}");
    }
}

#[test]
fn keys_of_formats_are_ascii_or_refused() {
    // The engine panicked within the character.
    for source in [
        "{{ '{h[::-b}｜>'.format(1) }}",
        "{{ '{h[é]}'.format(h={}) }}",
        "{{ '{[é'.format(1) }}",
        "{{ '%(é)s'|format(x=1) }}",
        "{{ ('%(a' ~ '｜' ~ ')s')|format(x=1) }}",
    ] {
        assert!(matches!(render(source, &[]).0, Err(ChatError::Failed { .. })), "{source}");
    }
    for (source, want) in [
        ("'｜{}｜'.format(1)", "｜1｜"),
        ("'[é] {} [é]'.format('x')", "[é] x [é]"),
        ("'｜%s｜'|format('é')", "｜é｜"),
        ("'{:é>3}'.format('x')", "ééx"),
    ] {
        assert_eq!(render(&format!("{{{{ {source} }}}}"), &[]).0.unwrap(), want, "{source}");
    }
}
