//! GBNF, the grammars of llama.cpp: rules, alternates, groups, character classes, repetitions, comments.
//!
//! ```text
//! root  ::= "[" ws ( value ( "," ws value )* )? "]"   # the start is `root`
//! value ::= [0-9]{1,3} | "\"" [^"\\\n]* "\""
//! ws    ::= [ \t\n]{0,8}
//! ```
//!
//! A literal or class has the escapes `\n \r \t \\ \" \[ \] \- \^ \xHH \uHHHH \UHHHHHHHH`; `.` is any character. A
//! rule ends with its line, but goes on after `::=`, after `|`, before a line that begins with `|`, and within
//! parentheses. Tokens by name or number (`<[7]>`) are not supported. Recursion on the left is.
//!
//! GBNF is a grammar over characters, while llguidance has a lexer that takes the longest match. So every terminal is
//! one character long, but for stretches that no other terminal can begin or continue (`lexemes`): those become one
//! regular expression, which is what makes masks fast. A grammar without recursion is one regular expression.
//!
//! Source: the description in llama.cpp's `grammars` folder.

mod lexemes;
mod parse;

use thiserror::Error;

/// Most that a repetition may count to.
pub const MAX_REPETITIONS: u32 = 2_000;
/// Groups within groups.
pub const MAX_NESTING: usize = 200;
/// Rules.
pub const MAX_RULES: usize = 20_000;

/// What is wrong with a grammar, and where; lines and columns count from 1.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the grammar's line {line}, column {column}: {what}")]
pub struct GbnfError {
    /// Line.
    pub line: usize,
    /// Column, in characters.
    pub column: usize,
    /// What is wrong, and what was expected.
    pub what: String,
}

/// A rule's body.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    /// Text, at least one character.
    Literal(String),
    /// One character: the ranges that it is in, or those that it is not in.
    Class { negated: bool, ranges: Vec<(char, char)> },
    /// A rule, by its number.
    Rule(usize),
    /// One after the other; nothing where there are none.
    Seq(Vec<Node>),
    /// One of these.
    Alt(Vec<Node>),
    /// So many times, or more where there is no upper bound.
    Repeat(Box<Node>, u32, Option<u32>),
    /// A stretch that is one lexeme, by its number.
    Lexeme(usize),
}

/// A grammar as it was read.
#[derive(Clone, Debug)]
struct Rules {
    /// Bodies by number.
    bodies: Vec<Node>,
    root: usize,
}

/// A GBNF text as a Lark grammar of llguidance's kind.
pub(super) fn to_lark(text: &str) -> Result<String, GbnfError> {
    let plan = lexemes::plan(parse::parse(text)?);
    let mut out = format!("start: r{}\n", plan.rules.root);
    for (at, body) in plan.rules.bodies.iter().enumerate() {
        out.push_str(&format!("r{at}: "));
        write(body, &plan, &mut out);
        out.push('\n');
    }
    Ok(out)
}

fn write(node: &Node, plan: &lexemes::Plan, out: &mut String) {
    let terminal = |regex: &str, out: &mut String| match regex {
        // Two slashes begin a comment.
        "" => out.push_str("\"\" "),
        _ => out.push_str(&format!("/{regex}/ ")),
    };
    match node {
        Node::Literal(text) => text.chars().for_each(|c| terminal(&lexemes::character(c), out)),
        Node::Class { .. } => terminal(&lexemes::class(node), out),
        Node::Lexeme(at) => terminal(&plan.lexemes[*at], out),
        Node::Rule(at) => out.push_str(&format!("r{at} ")),
        Node::Seq(list) if list.is_empty() => out.push_str("\"\" "),
        Node::Seq(list) => list.iter().for_each(|n| write(n, plan, out)),
        Node::Alt(list) => {
            for (i, n) in list.iter().enumerate() {
                out.push_str(if i == 0 { "(" } else { "| " });
                write(n, plan, out);
            }
            out.push_str(") ");
        }
        Node::Repeat(_, _, Some(0)) => out.push_str("\"\" "),
        Node::Repeat(inner, least, most) => {
            out.push('(');
            write(inner, plan, out);
            out.push_str(&format!("){} ", lexemes::bounds(*least, *most)));
        }
    }
}
