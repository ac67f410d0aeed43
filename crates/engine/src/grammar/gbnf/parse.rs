//! GBNF text to rules.

use super::{GbnfError, MAX_NESTING, MAX_REPETITIONS, MAX_RULES, Node, Rules};
use std::collections::HashMap;

/// Reads a grammar; every rule that is named is defined, and `root` gives at least one text.
pub(super) fn parse(text: &str) -> Result<Rules, GbnfError> {
    let mut parser =
        Parser { text, at: 0, numbers: HashMap::new(), bodies: Vec::new(), named_at: Vec::new(), depth: 0 };
    parser.skip(Lines::Cross);
    while parser.peek().is_some() {
        parser.rule()?;
        parser.skip(Lines::Cross);
    }
    parser.finish()
}

/// Whether white space goes beyond the line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    Cross,
    Stay,
}

struct Parser<'t> {
    text: &'t str,
    /// Byte offset.
    at: usize,
    numbers: HashMap<&'t str, usize>,
    /// `None` for rules that are only named so far.
    bodies: Vec<Option<Node>>,
    /// Where each rule was named first.
    named_at: Vec<usize>,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn rule(&mut self) -> Result<(), GbnfError> {
        let start = self.at;
        let name = self.name();
        if name.is_empty() {
            return Err(self.error(start, "expected the name of a rule (letters, digits and hyphens)"));
        }
        self.skip(Lines::Stay);
        if !self.take("::=") {
            return Err(self.error(self.at, &format!("expected ::= after the name {name:?}")));
        }
        let number = self.number(name, start)?;
        if self.bodies[number].is_some() {
            return Err(self.error(start, &format!("the rule {name:?} is defined twice")));
        }
        self.skip(Lines::Cross);
        let body = self.alternates(Lines::Stay)?;
        self.bodies[number] = Some(body);
        match self.peek() {
            None | Some('\n') => Ok(()),
            _ if self.text[..self.at].trim_end_matches([' ', '\t', '\r']).ends_with('\n') => Ok(()),
            Some(')') => Err(self.error(self.at, "a parenthesis that was never opened")),
            Some(c) => {
                Err(self.error(self.at, &format!("{c:?} begins nothing; expected the end of the rule")))
            }
        }
    }

    fn alternates(&mut self, lines: Lines) -> Result<Node, GbnfError> {
        let mut list = vec![self.sequence(lines)?];
        loop {
            // A line that begins with a bar goes on with the rule before it.
            let here = self.at;
            self.skip(Lines::Cross);
            if !self.take("|") {
                self.at = if lines == Lines::Cross { self.at } else { here };
                break;
            }
            self.skip(Lines::Cross);
            list.push(self.sequence(lines)?);
        }
        Ok(if list.len() == 1 { list.swap_remove(0) } else { Node::Alt(list) })
    }

    fn sequence(&mut self, lines: Lines) -> Result<Node, GbnfError> {
        let mut list: Vec<Node> = Vec::new();
        loop {
            let start = self.at;
            let node = match self.peek() {
                Some('"') => self.literal()?,
                Some('[') => self.class()?,
                Some('.') => {
                    self.at += 1;
                    Node::Class { negated: true, ranges: Vec::new() }
                }
                Some('(') => self.group()?,
                Some('<' | '!') => {
                    return Err(
                        self.error(start, "tokens by name or number are not supported; write their text")
                    );
                }
                Some('*' | '+' | '?' | '{') => {
                    return Err(self.error(start, "there is nothing before it to repeat"));
                }
                Some(c) if is_name(c) => {
                    let name = self.name();
                    if self.text[self.at..].trim_start_matches([' ', '\t']).starts_with("::=") {
                        // After an empty alternative the next rule begins.
                        self.at = start;
                        break;
                    }
                    Node::Rule(self.number(name, start)?)
                }
                _ => break,
            };
            let node = self.repeated(node)?;
            list.push(node);
            self.skip(lines);
        }
        Ok(if list.len() == 1 { list.swap_remove(0) } else { Node::Seq(list) })
    }

    fn group(&mut self) -> Result<Node, GbnfError> {
        let start = self.at;
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(self.error(start, &format!("more than {MAX_NESTING} groups within each other")));
        }
        self.at += 1;
        self.skip(Lines::Cross);
        let inner = self.alternates(Lines::Cross)?;
        if !self.take(")") {
            return Err(self.error(self.at, &format!("expected ) for the group of {}", self.place(start))));
        }
        self.depth -= 1;
        Ok(inner)
    }

    /// What follows a node: any number of `*`, `+`, `?`, `{m,n}`.
    fn repeated(&mut self, mut node: Node) -> Result<Node, GbnfError> {
        for _ in 0..MAX_NESTING {
            let (least, most) = match self.peek() {
                Some('*') => (0, None),
                Some('+') => (1, None),
                Some('?') => (0, Some(1)),
                Some('{') => {
                    let start = self.at;
                    let bounds = self.bounds()?;
                    node = Node::Repeat(Box::new(node), bounds.0, bounds.1);
                    if times(&node) > u64::from(MAX_REPETITIONS) * 100 {
                        return Err(self.error(start, "repetitions of repetitions count too far"));
                    }
                    continue;
                }
                _ => return Ok(node),
            };
            self.at += 1;
            node = Node::Repeat(Box::new(node), least, most);
        }
        Err(self.error(self.at, "too many repetitions of one another"))
    }

    fn bounds(&mut self) -> Result<(u32, Option<u32>), GbnfError> {
        let start = self.at;
        let end = self.text[start..].find('}').map(|n| start + n);
        let Some(end) = end else { return Err(self.error(start, "a repetition without }")) };
        let inside = self.text[start + 1..end].trim();
        let number = |text: &str| match text.trim().parse::<u32>() {
            Ok(n) if n <= MAX_REPETITIONS => Ok(n),
            Ok(n) => Err(self.error(start, &format!("{n} repetitions are more than {MAX_REPETITIONS}"))),
            Err(_) => Err(self.error(start, "expected {m}, {m,} or {m,n} with numbers")),
        };
        let bounds = match inside.split_once(',') {
            None => (number(inside)?, Some(number(inside)?)),
            Some((least, most)) if most.trim().is_empty() => (number(least)?, None),
            Some((least, most)) if least.trim().is_empty() => (0, Some(number(most)?)),
            Some((least, most)) => (number(least)?, Some(number(most)?)),
        };
        if bounds.1.is_some_and(|most| most < bounds.0) {
            return Err(self.error(start, "the upper bound is below the lower one"));
        }
        self.at = end + 1;
        Ok(bounds)
    }

    fn literal(&mut self) -> Result<Node, GbnfError> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.peek() {
                None | Some('\n') => return Err(self.error(start, "a text without its closing quote")),
                Some('"') => break,
                Some(_) => text.push(self.character()?),
            }
        }
        self.at += 1;
        Ok(if text.is_empty() { Node::Seq(Vec::new()) } else { Node::Literal(text) })
    }

    fn class(&mut self) -> Result<Node, GbnfError> {
        let start = self.at;
        self.at += 1;
        let negated = self.take("^");
        let mut ranges = Vec::new();
        loop {
            match self.peek() {
                None | Some('\n') => return Err(self.error(start, "a class without its ]")),
                Some(']') => break,
                Some(_) => {}
            }
            let at = self.at;
            let first = self.character()?;
            let rest = &self.text[self.at..];
            let is_range = rest.starts_with('-') && !rest[1..].starts_with(']') && rest.len() > 1;
            let last = if is_range {
                self.at += 1;
                self.character()?
            } else {
                first
            };
            if last < first {
                return Err(self.error(at, &format!("the range {first:?} to {last:?} is empty")));
            }
            ranges.push((first, last));
        }
        self.at += 1;
        if ranges.is_empty() && !negated {
            return Err(self.error(start, "a class of no characters"));
        }
        Ok(Node::Class { negated, ranges })
    }

    /// One character of a literal or a class, with its escapes.
    fn character(&mut self) -> Result<char, GbnfError> {
        let start = self.at;
        let Some(c) = self.peek() else { return Err(self.error(start, "the grammar ends within a text")) };
        self.at += c.len_utf8();
        if c != '\\' {
            return Ok(c);
        }
        let Some(c) = self.peek() else { return Err(self.error(start, "the grammar ends within an escape")) };
        self.at += c.len_utf8();
        let digits = match c {
            'n' => return Ok('\n'),
            'r' => return Ok('\r'),
            't' => return Ok('\t'),
            '\\' | '"' | '[' | ']' | '-' | '^' | '/' => return Ok(c),
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => return Err(self.error(start, &format!("\\{c} is no escape"))),
        };
        let hex =
            self.text.get(self.at..self.at + digits).filter(|h| h.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = hex.and_then(|h| u32::from_str_radix(h, 16).ok()).and_then(char::from_u32);
        let Some(code) = code else {
            return Err(self.error(start, &format!("\\{c} needs {digits} hexadecimal digits of a character")));
        };
        self.at += digits;
        Ok(code)
    }

    fn name(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn number(&mut self, name: &'t str, at: usize) -> Result<usize, GbnfError> {
        let next = self.bodies.len();
        if next >= MAX_RULES && !self.numbers.contains_key(name) {
            return Err(self.error(at, &format!("more than {MAX_RULES} rules")));
        }
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.bodies.push(None);
            self.named_at.push(at);
        }
        Ok(number)
    }

    /// White space and comments.
    fn skip(&mut self, lines: Lines) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\n') if lines == Lines::Cross => self.at += 1,
                Some('#') => {
                    let rest = &self.text[self.at..];
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.text[self.at..].starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn finish(self) -> Result<Rules, GbnfError> {
        let Some(&root) = self.numbers.get("root") else {
            return Err(self.error(self.text.len(), "there is no rule called root, where every text begins"));
        };
        let missing = self.bodies.iter().position(Option::is_none);
        if let Some(missing) = missing {
            let name = self.numbers.iter().find(|(_, n)| **n == missing).map_or("", |(name, _)| *name);
            return Err(self.error(self.named_at[missing], &format!("the rule {name:?} is not defined")));
        }
        let at = self.named_at[root];
        let error = self.error(at, "no text follows this grammar: its rules never end");
        let rules = Rules { bodies: self.bodies.into_iter().flatten().collect(), root };
        if rules.ends() { Ok(rules) } else { Err(error) }
    }

    fn error(&self, at: usize, what: &str) -> GbnfError {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |n| n + 1);
        GbnfError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            what: what.into(),
        }
    }

    fn place(&self, at: usize) -> String {
        let e = self.error(at, "");
        format!("line {}, column {}", e.line, e.column)
    }
}

/// How far repetitions within each other count.
fn times(node: &Node) -> u64 {
    match node {
        Node::Seq(list) | Node::Alt(list) => list.iter().map(times).max().unwrap_or(1),
        Node::Repeat(inner, least, most) => {
            times(inner).saturating_mul(u64::from(most.unwrap_or(*least)).max(1))
        }
        _ => 1,
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

impl Rules {
    /// Whether `root` gives a text of finite length.
    fn ends(&self) -> bool {
        let mut ends = vec![false; self.bodies.len()];
        loop {
            let mut changed = false;
            for (at, body) in self.bodies.iter().enumerate() {
                if !ends[at] && node_ends(body, &ends) {
                    ends[at] = true;
                    changed = true;
                }
            }
            if !changed {
                return ends[self.root];
            }
        }
    }
}

fn node_ends(node: &Node, rules: &[bool]) -> bool {
    match node {
        Node::Rule(at) => rules[*at],
        Node::Seq(list) => list.iter().all(|n| node_ends(n, rules)),
        Node::Alt(list) => list.iter().any(|n| node_ends(n, rules)),
        Node::Repeat(inner, least, _) => *least == 0 || node_ends(inner, rules),
        Node::Literal(_) | Node::Class { .. } | Node::Lexeme(_) => true,
    }
}
