//! A template's syntax tree with a check after everything that makes text or lists.
//!
//! The engine has no hook in its operators, so the tree is rebuilt before it is compiled: `a + b` becomes what
//! `(a + b) | made` would be, with a filter whose name no template can write. [`super::budget`] has the filters.

use super::ChatError;
use minijinja::Value;
use minijinja::machinery::ast::*;
use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;

/// The filter that a literal passes through.
pub(super) const LITERAL: &str = "literal:";
/// The filter that a concatenation passes through.
pub(super) const MADE: &str = "made:";
/// The filter that the result of `+` passes through.
pub(super) const SUM: &str = "sum:";
/// The filter before `~`.
pub(super) const PRINTED: &str = "printed:";
/// The filter before a value is taken apart into arguments or names, and the one for a list of such values.
pub(super) const SPREAD: &str = "spread:";
pub(super) const PAIRS: &str = "pairs:";
/// The filter that slices.
pub(super) const SLICED: &str = "sliced:";
/// The filter that multiplies.
pub(super) const TIMES: &str = "times:";
/// The filter before a value becomes an attribute of a namespace.
pub(super) const STORED: &str = "stored:";
/// The function beside each macro's declaration.
pub(super) const DECLARED: &str = "declared:";

/// Words and signs of one tag; real templates have some 50. The engine's compiler is recursive, and a chain of
/// operators is as deep as it is long.
const WORDS: usize = 500;
/// `elif`s of a template, which nest without any limit of the engine's; real ones have 20.
const BRANCHES: usize = 500;

/// Refuses what would exhaust the stack before any limit of the engine's stops it.
pub(super) fn check_depth(source: &str, syntax: &SyntaxConfig) -> Result<(), ChatError> {
    let (mut words, mut branches) = (0, 0);
    for token in tokenize(source, false, syntax.clone()) {
        let Ok((token, _)) = token else { return Ok(()) };
        match token {
            Token::BlockStart | Token::VariableStart => words = 0,
            Token::Str(_) | Token::String(_) | Token::Int(_) | Token::Comma | Token::Colon => {}
            token => {
                words += 1;
                branches += usize::from(matches!(token, Token::Ident("elif")));
            }
        }
        if words > WORDS {
            return Err(ChatError::Endless { limit: WORDS as u64, what: "words in one tag" });
        }
        if branches > BRANCHES {
            return Err(ChatError::Endless { limit: BRANCHES as u64, what: "branches" });
        }
    }
    Ok(())
}

/// The tree with its checks.
pub(super) fn bounded<'a>(tree: &Stmt<'a>) -> Result<Stmt<'a>, ChatError> {
    match tree {
        Stmt::Template(t) => {
            Ok(Stmt::Template(Spanned::new(Template { children: stmts(&t.children)? }, t.span())))
        }
        other => stmt(other),
    }
}

fn stmts<'a>(body: &[Stmt<'a>]) -> Result<Vec<Stmt<'a>>, ChatError> {
    let mut out = Vec::with_capacity(body.len());
    for s in body {
        // What a macro encloses lives until the rendering ends, and a loop may declare it again and again.
        if let Stmt::Macro(m) = s {
            out.push(declared(m.span()));
        } else if let Stmt::CallBlock(c) = s {
            out.push(declared(c.span()));
        }
        out.push(stmt(s)?);
    }
    Ok(out)
}

fn declared<'a>(span: minijinja::machinery::Span) -> Stmt<'a> {
    let call = Call { expr: Expr::Var(Spanned::new(Var { id: DECLARED }, span)), args: Vec::new() };
    Stmt::EmitExpr(Spanned::new(EmitExpr { expr: Expr::Call(Spanned::new(call, span)) }, span))
}

fn stmt<'a>(s: &Stmt<'a>) -> Result<Stmt<'a>, ChatError> {
    Ok(match s {
        Stmt::EmitExpr(s) => Stmt::EmitExpr(Spanned::new(EmitExpr { expr: expr(&s.expr) }, s.span())),
        // Text between tags goes the way of all text, which is counted.
        Stmt::EmitRaw(s) => {
            let text = Expr::Const(Spanned::new(Const { value: Value::from(s.raw) }, s.span()));
            Stmt::EmitExpr(Spanned::new(EmitExpr { expr: text }, s.span()))
        }
        Stmt::ForLoop(s) => {
            let node = ForLoop {
                target: target(&s.target),
                iter: if is_name(&s.target) {
                    expr(&s.iter)
                } else {
                    filter(PAIRS, expr(&s.iter), Vec::new())
                },
                filter_expr: s.filter_expr.as_ref().map(expr),
                recursive: s.recursive,
                body: stmts(&s.body)?,
                else_body: stmts(&s.else_body)?,
            };
            Stmt::ForLoop(Spanned::new(node, s.span()))
        }
        Stmt::IfCond(s) => {
            let (true_body, false_body) = (stmts(&s.true_body)?, stmts(&s.false_body)?);
            Stmt::IfCond(Spanned::new(IfCond { expr: expr(&s.expr), true_body, false_body }, s.span()))
        }
        Stmt::WithBlock(s) => {
            let assignments = s
                .assignments
                .iter()
                .map(|(t, e)| {
                    let value = if is_name(t) { expr(e) } else { filter(SPREAD, expr(e), Vec::new()) };
                    (target(t), value)
                })
                .collect();
            Stmt::WithBlock(Spanned::new(WithBlock { assignments, body: stmts(&s.body)? }, s.span()))
        }
        Stmt::Set(s) => {
            let value = match &s.target {
                Expr::GetAttr(_) => filter(STORED, expr(&s.expr), Vec::new()),
                name if is_name(name) => expr(&s.expr),
                _ => filter(SPREAD, expr(&s.expr), Vec::new()),
            };
            Stmt::Set(Spanned::new(Set { target: target(&s.target), expr: value }, s.span()))
        }
        Stmt::SetBlock(s) => {
            let node = SetBlock {
                target: target(&s.target),
                filter: s.filter.as_ref().map(expr),
                body: stmts(&s.body)?,
            };
            Stmt::SetBlock(Spanned::new(node, s.span()))
        }
        Stmt::AutoEscape(s) => {
            let node = AutoEscape { enabled: expr(&s.enabled), body: stmts(&s.body)? };
            Stmt::AutoEscape(Spanned::new(node, s.span()))
        }
        Stmt::FilterBlock(s) => {
            let node = FilterBlock { filter: expr(&s.filter), body: stmts(&s.body)? };
            Stmt::FilterBlock(Spanned::new(node, s.span()))
        }
        Stmt::Macro(s) => Stmt::Macro(macro_of(s)?),
        Stmt::CallBlock(s) => {
            let node = CallBlock { call: call(&s.call), macro_decl: macro_of(&s.macro_decl)? };
            Stmt::CallBlock(Spanned::new(node, s.span()))
        }
        Stmt::Continue(s) => Stmt::Continue(Spanned::new(Continue, s.span())),
        Stmt::Break(s) => Stmt::Break(Spanned::new(Break, s.span())),
        Stmt::Do(s) => Stmt::Do(Spanned::new(Do { call: call(&s.call) }, s.span())),
        // Blocks and other files, where somebody else's build has switched them on.
        _ => {
            let message = "blocks, includes and imports have no place in a chat template".into();
            return Err(ChatError::Syntax { message });
        }
    })
}

fn macro_of<'a>(m: &Spanned<Macro<'a>>) -> Result<Spanned<Macro<'a>>, ChatError> {
    let node = Macro {
        name: m.name,
        args: m.args.iter().map(target).collect(),
        defaults: m.defaults.iter().map(expr).collect(),
        body: stmts(&m.body)?,
    };
    Ok(Spanned::new(node, m.span()))
}

fn is_name(target: &Expr<'_>) -> bool {
    matches!(target, Expr::Var(_))
}

/// What is assigned to: names, lists of them and attributes of namespaces.
fn target<'a>(e: &Expr<'a>) -> Expr<'a> {
    match e {
        Expr::List(e) => {
            Expr::List(Spanned::new(List { items: e.items.iter().map(target).collect() }, e.span()))
        }
        Expr::Tuple(e) => {
            Expr::Tuple(Spanned::new(Tuple { items: e.items.iter().map(target).collect() }, e.span()))
        }
        other => expr(other),
    }
}

fn filter<'a>(name: &'a str, e: Expr<'a>, args: Vec<Expr<'a>>) -> Expr<'a> {
    let span = e.span();
    let args = args.into_iter().map(CallArg::Pos).collect();
    Expr::Filter(Spanned::new(Filter { name, expr: Some(e), args }, span))
}

fn made<'a>(e: Expr<'a>) -> Expr<'a> {
    filter(MADE, e, Vec::new())
}

fn literal<'a>(e: Expr<'a>) -> Expr<'a> {
    filter(LITERAL, e, Vec::new())
}

fn all<'a>(list: &[Expr<'a>]) -> Vec<Expr<'a>> {
    list.iter().map(expr).collect()
}

fn maybe<'a>(e: &Option<Expr<'a>>) -> Option<Expr<'a>> {
    e.as_ref().map(expr)
}

fn expr<'a>(e: &Expr<'a>) -> Expr<'a> {
    match e {
        Expr::Var(e) => Expr::Var(Spanned::new(Var { id: e.id }, e.span())),
        Expr::Const(e) => Expr::Const(Spanned::new(Const { value: e.value.clone() }, e.span())),
        Expr::Slice(e) => {
            let none = || Expr::Const(Spanned::new(Const { value: Value::from(()) }, e.span()));
            let bound = |b: &Option<Expr<'a>>| b.as_ref().map_or_else(none, expr);
            filter(SLICED, expr(&e.expr), vec![bound(&e.start), bound(&e.stop), bound(&e.step)])
        }
        Expr::UnaryOp(e) => {
            let not = matches!(e.op, UnaryOpKind::Not);
            let op = if not { UnaryOpKind::Not } else { UnaryOpKind::Neg };
            Expr::UnaryOp(Spanned::new(UnaryOp { op, expr: expr(&e.expr) }, e.span()))
        }
        Expr::BinOp(e) => binary(e),
        Expr::Compare(e) => {
            let ops = e.ops.iter().map(|o| CompareOp { op: o.op, expr: expr(&o.expr) }).collect();
            Expr::Compare(Spanned::new(Compare { expr: expr(&e.expr), ops }, e.span()))
        }
        Expr::IfExpr(e) => {
            let node = IfExpr {
                test_expr: expr(&e.test_expr),
                true_expr: expr(&e.true_expr),
                false_expr: maybe(&e.false_expr),
            };
            Expr::IfExpr(Spanned::new(node, e.span()))
        }
        Expr::Filter(e) => {
            let node = Filter { name: e.name, expr: maybe(&e.expr), args: args(&e.args) };
            Expr::Filter(Spanned::new(node, e.span()))
        }
        Expr::Test(e) => {
            let node = Test { name: e.name, expr: expr(&e.expr), args: args(&e.args) };
            Expr::Test(Spanned::new(node, e.span()))
        }
        Expr::GetAttr(e) => {
            Expr::GetAttr(Spanned::new(GetAttr { expr: expr(&e.expr), name: e.name }, e.span()))
        }
        Expr::GetItem(e) => {
            let node = GetItem { expr: expr(&e.expr), subscript_expr: expr(&e.subscript_expr) };
            Expr::GetItem(Spanned::new(node, e.span()))
        }
        Expr::Call(e) => Expr::Call(call(e)),
        Expr::List(e) => literal(Expr::List(Spanned::new(List { items: all(&e.items) }, e.span()))),
        Expr::Tuple(e) => literal(Expr::Tuple(Spanned::new(Tuple { items: all(&e.items) }, e.span()))),
        Expr::Map(e) => {
            literal(Expr::Map(Spanned::new(Map { keys: all(&e.keys), values: all(&e.values) }, e.span())))
        }
    }
}

fn binary<'a>(e: &Spanned<BinOp<'a>>) -> Expr<'a> {
    let (left, right) = (expr(&e.left), expr(&e.right));
    let plain = |left, right| Expr::BinOp(Spanned::new(BinOp { op: e.op, left, right }, e.span()));
    match e.op {
        BinOpKind::Add => filter(SUM, plain(left, right), Vec::new()),
        BinOpKind::Concat => {
            let (left, right) = (filter(PRINTED, left, Vec::new()), filter(PRINTED, right, Vec::new()));
            made(plain(left, right))
        }
        // Checked before it is done. The compiler would multiply constants even earlier.
        BinOpKind::Mul => filter(TIMES, left, vec![right]),
        _ => plain(left, right),
    }
}

fn call<'a>(c: &Spanned<Call<'a>>) -> Spanned<Call<'a>> {
    Spanned::new(Call { expr: expr(&c.expr), args: args(&c.args) }, c.span())
}

fn args<'a>(list: &[CallArg<'a>]) -> Vec<CallArg<'a>> {
    let one = |a: &CallArg<'a>| match a {
        CallArg::Pos(e) => CallArg::Pos(expr(e)),
        CallArg::Kwarg(name, e) => CallArg::Kwarg(name, expr(e)),
        CallArg::PosSplat(e) => CallArg::PosSplat(filter(SPREAD, expr(e), Vec::new())),
        CallArg::KwargSplat(e) => CallArg::KwargSplat(expr(e)),
    };
    list.iter().map(one).collect()
}
