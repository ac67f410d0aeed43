//! Which stretches of a grammar are one lexeme.
//!
//! A lexer that takes the longest match reads a set of lexemes as the grammar means them exactly where the set is
//! *prefix-free*: no word of any lexeme is the beginning of a longer word of any other. Single characters are, so a
//! grammar over characters is always read right; and a longer stretch may become a lexeme while the set stays so.
//! `"\"" [^"]* "\""` may; `[0-9]+` may not.

use super::{Node, Rules};
use llguidance::derivre::{RegexAst, RegexBuilder};
use std::collections::BTreeSet;

/// Parts of a lexeme, at most: rules are written out in it.
const MOST_PARTS: usize = 5_000;
/// Elements of a sequence that are tried as one lexeme.
const MOST_ELEMENTS: usize = 12;
/// Lexemes and tests, at most; what is beyond stays characters.
const MOST_LEXEMES: usize = 64;
const MOST_TESTS: usize = 400;
/// Work on one test, in llguidance's unit.
const FUEL: u64 = 100_000;

/// A grammar with its lexemes.
pub(super) struct Plan {
    pub(super) rules: Rules,
    /// Regular expressions in the syntax of the `regex` crate.
    pub(super) lexemes: Vec<String>,
}

/// Finds lexemes. A grammar without recursion is one.
pub(super) fn plan(rules: Rules) -> Plan {
    let recursive = recursive(&rules);
    if let Some(whole) = regex(&rules, &recursive, &Node::Rule(rules.root)) {
        let optional = nullable(&rules, &Node::Rule(rules.root), &mut vec![false; rules.bodies.len()]);
        let body = match optional {
            true => Node::Repeat(Box::new(Node::Lexeme(0)), 0, Some(1)),
            false => Node::Lexeme(0),
        };
        return Plan { rules: Rules { bodies: vec![body], root: 0 }, lexemes: vec![whole] };
    }
    let mut planner = Planner { rules: &rules, recursive: &recursive, lexemes: Vec::new(), tests: 0 };
    let bodies: Vec<Node> = rules.bodies.iter().map(|b| planner.node(b)).collect();
    let keep = planner.keep(&bodies);
    let lexemes: Vec<String> = planner.lexemes.iter().map(|l| l.regex.clone()).collect();
    let originals: Vec<Node> = planner.lexemes.iter().map(|l| l.original.clone()).collect();
    let bodies = bodies.into_iter().map(|b| restore(b, &keep, &originals)).collect();
    Plan { rules: Rules { bodies, root: rules.root }, lexemes }
}

struct Candidate {
    regex: String,
    /// What it is where it is not kept.
    original: Node,
}

struct Planner<'r> {
    rules: &'r Rules,
    recursive: &'r [bool],
    lexemes: Vec<Candidate>,
    tests: usize,
}

impl Planner<'_> {
    /// A node with its candidates in place.
    fn node(&mut self, node: &Node) -> Node {
        if let Some(lexeme) = self.candidate(node) {
            return lexeme;
        }
        match node {
            Node::Seq(list) => self.sequence(list),
            Node::Alt(list) => Node::Alt(list.iter().map(|n| self.node(n)).collect()),
            Node::Repeat(inner, least, most) => Node::Repeat(Box::new(self.node(inner)), *least, *most),
            other => other.clone(),
        }
    }

    /// The longest stretches first.
    fn sequence(&mut self, list: &[Node]) -> Node {
        let mut out = Vec::new();
        let mut at = 0;
        while at < list.len() {
            let longest = (at + MOST_ELEMENTS).min(list.len());
            let found = (at + 2..=longest).rev().find_map(|end| {
                let part = Node::Seq(list[at..end].to_vec());
                Some((end, self.candidate(&part)?))
            });
            let (end, node) = match found {
                Some(found) => found,
                None => (at + 1, self.node(&list[at])),
            };
            out.push(node);
            at = end;
        }
        Node::Seq(out)
    }

    fn candidate(&mut self, node: &Node) -> Option<Node> {
        let single = match node {
            Node::Literal(text) => text.chars().nth(1).is_none(),
            Node::Class { .. } => true,
            _ => false,
        };
        if single || self.lexemes.len() >= MOST_LEXEMES {
            return None;
        }
        let regex = regex(self.rules, self.recursive, node)?;
        if nullable(self.rules, node, &mut vec![false; self.rules.bodies.len()])
            || !self.prefix_free(&[&regex])
        {
            return None;
        }
        let at = self.lexemes.iter().position(|l| l.original == *node);
        let at = at.unwrap_or_else(|| {
            self.lexemes.push(Candidate { regex, original: node.clone() });
            self.lexemes.len() - 1
        });
        Some(Node::Lexeme(at))
    }

    /// Which candidates stay: the whole set, with the characters that are lexemes of their own, must be prefix-free.
    fn keep(&mut self, bodies: &[Node]) -> Vec<bool> {
        let n = self.lexemes.len();
        let mut keep = vec![true; n];
        let mut singles = BTreeSet::new();
        let mut seen = vec![false; bodies.len()];
        characters(bodies, &Node::Rule(self.rules.root), &mut seen, &mut singles);
        loop {
            let mut kept: Vec<usize> = Vec::new();
            let mut dropped = None;
            for at in (0..n).filter(|at| keep[*at]) {
                let lexemes = kept.iter().chain([&at]).map(|k| self.lexemes[*k].regex.clone());
                let set: Vec<String> = lexemes.chain(singles.iter().cloned()).collect();
                if self.prefix_free(&set.iter().map(String::as_str).collect::<Vec<_>>()) {
                    kept.push(at);
                } else {
                    dropped = Some(at);
                    break;
                }
            }
            // What is dropped brings characters that may disturb others, so all are looked at again.
            let Some(at) = dropped else { return keep };
            if self.tests > MOST_TESTS {
                return vec![false; n];
            }
            keep[at] = false;
            let original = self.lexemes[at].original.clone();
            characters(bodies, &original, &mut seen, &mut singles);
        }
    }

    /// Whether no word of these is the beginning of a longer one; no where that takes too long to say.
    fn prefix_free(&mut self, set: &[&str]) -> bool {
        self.tests += 1;
        if self.tests > MOST_TESTS {
            return false;
        }
        let words = RegexAst::Or(set.iter().map(|a| RegexAst::Regex((*a).into())).collect());
        let longer = RegexAst::Concat(vec![words.clone(), RegexAst::Regex("(?s:.)+".into())]);
        let mut builder = RegexBuilder::new();
        let Ok(both) = builder.mk(&RegexAst::And(vec![words, longer])) else { return false };
        builder.to_regex_limited(both, FUEL).is_ok_and(|mut r| r.always_empty())
    }
}

/// The characters below a node that are lexemes of their own. `seen` are rules whose characters are there.
fn characters(bodies: &[Node], node: &Node, seen: &mut [bool], out: &mut BTreeSet<String>) {
    match node {
        Node::Literal(text) => out.extend(text.chars().map(character)),
        Node::Class { .. } => {
            out.insert(class(node));
        }
        Node::Seq(list) | Node::Alt(list) => list.iter().for_each(|n| characters(bodies, n, seen, out)),
        Node::Repeat(inner, ..) => characters(bodies, inner, seen, out),
        Node::Rule(at) if !seen[*at] => {
            seen[*at] = true;
            characters(bodies, &bodies[*at], seen, out);
        }
        Node::Rule(_) | Node::Lexeme(_) => {}
    }
}

/// Rules that reach themselves.
fn recursive(rules: &Rules) -> Vec<bool> {
    let n = rules.bodies.len();
    let mut named = vec![Vec::new(); n];
    for (at, body) in rules.bodies.iter().enumerate() {
        collect(body, &mut named[at]);
    }
    // Rules from which every path ends, found from the ends inwards; the others reach a circle.
    let mut ends = vec![false; n];
    loop {
        let mut changed = false;
        for at in 0..n {
            if !ends[at] && named[at].iter().all(|r| ends[*r]) {
                ends[at] = true;
                changed = true;
            }
        }
        if !changed {
            return ends.into_iter().map(|e| !e).collect();
        }
    }
}

fn collect(node: &Node, out: &mut Vec<usize>) {
    match node {
        Node::Rule(at) => out.push(*at),
        Node::Seq(list) | Node::Alt(list) => list.iter().for_each(|n| collect(n, out)),
        Node::Repeat(inner, ..) => collect(inner, out),
        _ => {}
    }
}

/// A node as one regular expression; `None` where it is recursive or too large.
fn regex(rules: &Rules, recursive: &[bool], node: &Node) -> Option<String> {
    let mut out = String::new();
    write(rules, recursive, node, &mut MOST_PARTS.clone(), &mut out)?;
    Some(out)
}

fn write(rules: &Rules, recursive: &[bool], node: &Node, left: &mut usize, out: &mut String) -> Option<()> {
    *left = left.checked_sub(1)?;
    match node {
        Node::Literal(text) => {
            *left = left.checked_sub(text.len())?;
            out.extend(text.chars().map(character));
        }
        Node::Class { .. } => out.push_str(&class(node)),
        Node::Rule(at) if !recursive[*at] => write(rules, recursive, &rules.bodies[*at], left, out)?,
        Node::Rule(_) | Node::Lexeme(_) => return None,
        Node::Seq(list) => list.iter().try_for_each(|n| write(rules, recursive, n, left, out))?,
        Node::Alt(list) => {
            for (i, n) in list.iter().enumerate() {
                out.push_str(if i == 0 { "(?:" } else { "|" });
                write(rules, recursive, n, left, out)?;
            }
            out.push(')');
        }
        Node::Repeat(inner, least, most) => {
            out.push_str("(?:");
            write(rules, recursive, inner, left, out)?;
            out.push(')');
            out.push_str(&bounds(*least, *most));
        }
    }
    Some(())
}

/// A repetition's bounds, as Lark and regular expressions write them.
pub(super) fn bounds(least: u32, most: Option<u32>) -> String {
    match (least, most) {
        (0, None) => "*".into(),
        (1, None) => "+".into(),
        (0, Some(1)) => "?".into(),
        (least, None) => format!("{{{least},}}"),
        (least, Some(most)) => format!("{{{least},{most}}}"),
    }
}

/// Whether a node gives the empty text.
fn nullable(rules: &Rules, node: &Node, seen: &mut [bool]) -> bool {
    match node {
        Node::Literal(_) | Node::Class { .. } | Node::Lexeme(_) => false,
        Node::Seq(list) => list.iter().all(|n| nullable(rules, n, seen)),
        Node::Alt(list) => list.iter().any(|n| nullable(rules, n, seen)),
        Node::Repeat(inner, least, _) => *least == 0 || nullable(rules, inner, seen),
        Node::Rule(at) if seen[*at] => false,
        Node::Rule(at) => {
            seen[*at] = true;
            let result = nullable(rules, &rules.bodies[*at], seen);
            seen[*at] = false;
            result
        }
    }
}

/// Candidates that are not kept become characters again.
fn restore(node: Node, keep: &[bool], originals: &[Node]) -> Node {
    match node {
        Node::Lexeme(at) if !keep[at] => originals[at].clone(),
        Node::Seq(list) => Node::Seq(list.into_iter().map(|n| restore(n, keep, originals)).collect()),
        Node::Alt(list) => Node::Alt(list.into_iter().map(|n| restore(n, keep, originals)).collect()),
        Node::Repeat(inner, least, most) => {
            Node::Repeat(Box::new(restore(*inner, keep, originals)), least, most)
        }
        other => other,
    }
}

/// A character as a regular expression.
pub(super) fn character(c: char) -> String {
    format!("\\u{{{:X}}}", u32::from(c))
}

/// A class as a regular expression of one character.
pub(super) fn class(node: &Node) -> String {
    let Node::Class { negated, ranges } = node else { return String::new() };
    if ranges.is_empty() {
        return "(?s:.)".into();
    }
    let mut text = String::from(if *negated { "[^" } else { "[" });
    for (first, last) in ranges {
        text.push_str(&format!("{}-{}", character(*first), character(*last)));
    }
    text.push(']');
    text
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::plan;

    /// What makes masks of JSON quick: its strings and words are lexemes, its numbers and blanks are not.
    #[test]
    fn strings_are_one_lexeme() {
        let text = "root ::= value\nvalue ::= string | \"[\" (value (\",\" ws value)*)? \"]\" ws | [0-9]+ ws | \"true\" ws\n\
                    string ::= \"\\\"\" ([^\"\\\\\\x7F\\x00-\\x1F] | \"\\\\\" ([\"\\\\/bfnrt] | \"u\" [0-9a-fA-F]{4}))* \"\\\"\" ws\nws ::= [ \\n]*\n";
        let plan = plan(parse(text).unwrap_or_else(|e| unreachable!("{e}")));
        let used: Vec<bool> = (0..plan.lexemes.len())
            .map(|l| format!("{:?}", plan.rules.bodies).contains(&format!("Lexeme({l})")))
            .collect();
        assert_eq!(used, [true, true], "{:?}", plan.lexemes);
    }
}
