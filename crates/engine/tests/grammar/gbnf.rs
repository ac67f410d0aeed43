//! GBNF: what grammars allow, against a reader of our own that knows no lexer.

use crate::vocab::{Draws, allows, begins, compile};
use akunu::grammar::{GrammarError, GrammarSource};

/// A grammar, texts that follow it, texts that do not.
type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

const CASES: &[Case] = &[
    (r#"root ::= "yes" | "no""#, &["yes", "no"], &["", "y", "yesno", "maybe"]),
    (r#"root ::= "a"* "b"+ "c"?"#, &["b", "aab", "bbc", "abc"], &["", "a", "c", "abcc"]),
    ("root ::= [a-c0-9_-]{2,3}", &["a-", "0_1"], &["a", "abca", "dd"]),
    (r#"root ::= "a"{2} "b"{1,} "c"{,2}"#, &["aab", "aabbbcc"], &["ab", "aa", "aabccc"]),
    ("root ::= [^a-y\\n]+", &["z", "ZÉ日"], &["", "a", "z\n"]),
    ("root ::= . \".\"", &["x.", "\n.", "日."], &["x", "..."]),
    (
        "# a comment\nroot ::= item (\",\" item)* # more\n\nitem ::=\n  \"x\" |\n  \"y\"\n  | \"z\"\n",
        &["x", "x,y,z"],
        &["", "x,", ",x", "xy"],
    ),
    ("root ::= (\n \"a\"\n (\"b\" |\n \"c\")\n)\n", &["ab", "ac"], &["a", "abc"]),
    (r#"root ::= "\x41\u00e9\U0001F600\t\\\"\n""#, &["Aé😀\t\\\"\n"], &["A", "Aé"]),
    (r#"root ::= [\[\]\\^\-x-]+"#, &["[]\\^-x"], &["", "a"]),
    // The longest match would read these wrongly.
    (
        r#"root ::= "a" "b" | "ab" "c" | list
       list ::= "(" list ")" | "0""#,
        &["ab", "abc", "((0))"],
        &["a", "abcc", "((0)"],
    ),
    (r#"root ::= [a-z]+ "end" | "(" root ")""#, &["xend", "endend", "(xend)"], &["end", "xen", "(xend"]),
    (
        r#"root ::= "if" | id | "{" root "}"
       id ::= [a-z] [a-z0-9]*"#,
        &["if", "iff", "i", "{if}", "{x9}"],
        &["9", "{if", "{}"],
    ),
    (r#"root ::= root "a" | "b""#, &["b", "ba", "baaa"], &["", "a", "ab"]),
    (r#"root ::= "a" root "a" | "b" | """#, &["", "aa", "aba", "aaaa"], &["a", "abaa"]),
    (
        r#"root ::= object
object ::= "{" ws (pair ("," ws pair)*)? "}" ws
pair ::= string ":" ws value
array ::= "[" ws (value ("," ws value)*)? "]" ws
value ::= object | array | string | number | ("true" | "false" | "null") ws
string ::= "\"" ([^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\"" ws
number ::= "-"? ([0-9] | [1-9] [0-9]{0,15}) ("." [0-9]+)? ([eE] [-+]? [0-9]+)? ws
ws ::= | " " | "\n" [ \t]{0,20}"#,
        &["{}", r#"{"a": [1, -2.5e3, "x\"y\u00e9", {}, [true,null]]}"#, "{\n  \"k\":false}"],
        &["", "[]", "{", r#"{"a"}"#, r#"{"a":01}"#, r#"{"a":"\x"}"#, "{}}"],
    ),
    (r#"root ::= ("a" | "") ("b"?)* [c]{0}"#, &["", "a", "b", "abbb"], &["c", "ba"]),
    (
        r#"root ::= e
       e ::= e "+" e | e "*" e | "(" e ")" | [0-9]+"#,
        &["1", "1+2*3", "(1)*(23)"],
        &["", "+", "1+", "(1"],
    ),
];

fn gbnf(text: &str) -> GrammarSource {
    GrammarSource::Gbnf(text.into())
}

#[test]
fn grammars_allow_their_texts_and_no_others() {
    for (text, good, bad) in CASES {
        let grammar = compile(&gbnf(text)).unwrap_or_else(|e| panic!("{e} in {text}"));
        for g in *good {
            assert!(allows(&grammar, g), "{g:?} follows {text}");
        }
        for b in *bad {
            assert!(!allows(&grammar, b), "{b:?} does not follow {text}");
        }
    }
}

/// Random grammars with recursion over two letters, against all texts of up to five letters.
#[test]
fn random_grammars_mean_what_they_say() {
    let mut draws = Draws(3);
    let mut texts = vec![String::new()];
    let mut from = 0;
    for _ in 0..5 {
        let to = texts.len();
        for i in from..to {
            for c in ["a", "b"] {
                texts.push(format!("{}{c}", texts[i]));
            }
        }
        from = to;
    }
    let mut compared = 0;
    for _ in 0..60 {
        let rules: Vec<Vec<Vec<usize>>> = (0..3)
            .map(|_| {
                (0..1 + draws.below(3))
                    .map(|_| (0..draws.below(4)).map(|_| draws.below(7)).collect())
                    .collect()
            })
            .collect();
        // Symbols: rules 0 to 2, then terminals.
        let symbol = |s: &usize| match s {
            0 => "root",
            1 => "r1",
            2 => "r2",
            3 => "\"a\"",
            4 => "\"b\"",
            5 => "\"ab\"",
            _ => "[ab]",
        };
        let line = |(i, alternatives): (usize, &Vec<Vec<usize>>)| {
            let all: Vec<String> =
                alternatives.iter().map(|a| a.iter().map(symbol).collect::<Vec<_>>().join(" ")).collect();
            format!("{} ::= {}\n", symbol(&i), all.join(" | "))
        };
        let text: String = rules.iter().enumerate().map(line).collect();
        let grammar = match compile(&gbnf(&text)) {
            Ok(grammar) => grammar,
            Err(GrammarError::Gbnf(e)) if e.what.contains("never end") => continue,
            Err(e) => panic!("{e}: {text}"),
        };
        let language = language(&rules, 5);
        for t in &texts {
            assert_eq!(allows(&grammar, t), language.contains(t), "{t:?} in\n{text}");
            compared += 1;
        }
    }
    assert!(compared > 1500, "{compared}");
}

/// All words of up to `longest` letters, by adding what rules give until nothing is new.
fn language(rules: &[Vec<Vec<usize>>], longest: usize) -> std::collections::BTreeSet<String> {
    let mut words: Vec<std::collections::BTreeSet<String>> = vec![Default::default(); rules.len()];
    loop {
        let before: usize = words.iter().map(|w| w.len()).sum();
        for (i, alternatives) in rules.iter().enumerate() {
            for a in alternatives {
                let mut all = vec![String::new()];
                for s in a {
                    let next: Vec<String> = match s {
                        0..=2 => words[*s].iter().cloned().collect(),
                        3 => vec!["a".into()],
                        4 => vec!["b".into()],
                        5 => vec!["ab".into()],
                        _ => vec!["a".into(), "b".into()],
                    };
                    all = all.iter().flat_map(|p| next.iter().map(move |n| format!("{p}{n}"))).collect();
                    all.retain(|w| w.len() <= longest);
                    all.sort();
                    all.dedup();
                }
                words[i].extend(all);
            }
        }
        if words.iter().map(|w| w.len()).sum::<usize>() == before {
            return words.swap_remove(0);
        }
    }
}

#[test]
fn errors_say_where() {
    let cases: &[(&str, usize, usize, &str)] = &[
        ("", 1, 1, "root"),
        ("a ::= \"x\"", 1, 10, "root"),
        ("root ::= item", 1, 10, "\"item\" is not defined"),
        ("root = \"x\"", 1, 6, "::="),
        ("root ::= \"x", 1, 10, "closing quote"),
        ("root ::= \"x\"\nroot ::= \"y\"", 2, 1, "twice"),
        ("root ::= [a-", 1, 10, "without its ]"),
        ("root ::= [z-a]", 1, 11, "empty"),
        ("root ::= []", 1, 10, "no characters"),
        ("root ::= (\"x\"", 1, 14, "expected )"),
        ("root ::= \"x\")", 1, 13, "never opened"),
        ("root ::= \"x\"{3,2}", 1, 13, "upper bound"),
        ("root ::= \"x\"{9999}", 1, 13, "more than"),
        ("root ::= \"x\"{a}", 1, 13, "expected {m}"),
        ("root ::= *", 1, 10, "nothing before"),
        ("root ::= \"\\q\"", 1, 11, "no escape"),
        ("root ::= \"\\u12\"", 1, 11, "hexadecimal"),
        ("root ::= <think>", 1, 10, "not supported"),
        ("root ::= \"x\" @", 1, 14, "begins nothing"),
        ("# é\n  root ::= root \"x\"", 2, 3, "never end"),
        ("\n\n %", 3, 2, "name of a rule"),
    ];
    for (text, line, column, what) in cases {
        match compile(&gbnf(text)) {
            Err(GrammarError::Gbnf(e)) => {
                assert!(e.what.contains(what), "{text:?}: {e}");
                assert_eq!((e.line, e.column), (*line, *column), "{text:?}: {e}");
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }
    let deep = format!("root ::= {}\"x\"{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(matches!(compile(&gbnf(&deep)), Err(GrammarError::Gbnf(_))));
}

#[test]
fn beginnings_are_kept_possible() {
    let grammar = compile(&gbnf(r#"root ::= "abc" | "(" root ")""#)).unwrap();
    assert!(begins(&grammar, "((ab") && !begins(&grammar, "((b") && !begins(&grammar, "abcd"));
}
