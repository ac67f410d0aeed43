//! What a rendering may make: every text and every list that comes out of an operator, a filter, a method or a capture
//! is counted, and what could be large is estimated before it is made.
//!
//! The engine does not say when a value is dropped. Long texts share their memory by counted references, which say
//! it, so they are taken off the account once nothing else holds them; everything else stays on it until the rendering
//! ends. So a rendering holds at most what is on its account.

use super::syntax::{DECLARED, LITERAL, MADE, PAIRS, PRINTED, SLICED, SPREAD, STORED, SUM, TIMES};
use minijinja::filters as f;
use minijinja::value::{ObjectRepr, Rest, Tuple, ValueKind, ValueOrKwargs};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, Value, functions};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Bytes that a rendering may make beside what the conversation allows.
const MAKES: u64 = 16 << 20;
/// Bytes that it may make for each byte of the conversation: templates cut, strip and join a message some ten times.
const PER_BYTE: u64 = 64;
/// Values that may be looked at to find out their size.
const LOOKS: u64 = 50_000_000;
/// Lists within lists.
const DEPTH: usize = 64;
/// Bytes of an element of a list, of a dictionary's entry, and of what a macro encloses.
const ELEMENT: u64 = 32;
const ENTRY: u64 = 128;
const CLOSURE: u64 = 1024;
/// Texts from this length on are taken off the account when they are dropped, in bytes.
const LONG: usize = 1024;
/// An entry that every namespace has and no template can name, so that one is known for what it is.
const NAMESPACE: &str = "\0namespace";
/// Bytes of a text that is taken apart into arguments or names.
const SPREADS: usize = 64 << 10;
/// Bytes that a byte of a value may take when it is printed or escaped.
const PRINTED_BYTES: u64 = 8;

/// Which limit a rendering went over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Over {
    Nothing = 0,
    Bytes,
    Looks,
}

/// The account of one rendering.
#[derive(Debug)]
pub(super) struct Account {
    limit: u64,
    made: AtomicU64,
    looks: AtomicU64,
    over: AtomicU8,
    /// Long texts on the account, and their bytes. Their memory is kept until they leave this list.
    long: Mutex<Vec<(Weak<str>, u64)>>,
}

impl Account {
    /// For a conversation of so many bytes.
    pub(super) fn new(conversation: u64) -> Arc<Self> {
        Arc::new(Self {
            limit: MAKES.saturating_add(PER_BYTE.saturating_mul(conversation)),
            made: AtomicU64::new(0),
            looks: AtomicU64::new(0),
            over: AtomicU8::new(Over::Nothing as u8),
            long: Mutex::default(),
        })
    }

    /// The limit that was exceeded, and of what.
    pub(super) fn exceeded(&self) -> Option<(u64, &'static str)> {
        match self.over.load(Ordering::Relaxed) {
            n if n == Over::Bytes as u8 => Some((self.limit, "bytes of text and lists")),
            n if n == Over::Looks as u8 => Some((LOOKS, "looks at values")),
            _ => None,
        }
    }

    fn stop(&self, over: Over) -> Error {
        self.over.store(over as u8, Ordering::Relaxed);
        Error::new(ErrorKind::InvalidOperation, "the template makes too much")
    }

    fn charge(&self, bytes: u64) -> Result<(), Error> {
        self.allows(bytes)?;
        self.made.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Whether so many more bytes may be made.
    fn allows(&self, bytes: u64) -> Result<(), Error> {
        let fits = || bytes <= self.limit.saturating_sub(self.made.load(Ordering::Relaxed));
        if fits() {
            return Ok(());
        }
        self.sweep()?;
        if fits() { Ok(()) } else { Err(self.stop(Over::Bytes)) }
    }

    /// Takes the long texts off the account that nobody holds any more.
    fn sweep(&self) -> Result<(), Error> {
        let mut long = self.long.lock().unwrap_or_else(PoisonError::into_inner);
        self.look_at(long.len() as u64)?;
        long.retain(|(text, bytes)| {
            let held = text.strong_count() > 0;
            if !held {
                self.made.fetch_sub(*bytes, Ordering::Relaxed);
            }
            held
        });
        Ok(())
    }

    fn look(&self) -> Result<(), Error> {
        self.look_at(1)
    }

    fn look_at(&self, values: u64) -> Result<(), Error> {
        let looks = self.looks.fetch_add(values, Ordering::Relaxed).saturating_add(values);
        if looks > LOOKS { Err(self.stop(Over::Looks)) } else { Ok(()) }
    }

    /// Bytes of a value with all that is in it, counted as often as it is in it: what printing, comparing or copying
    /// all of it meets.
    fn weigh(&self, v: &Value) -> Result<u64, Error> {
        let mut bytes = 0;
        self.walk(v, DEPTH, &mut bytes)?;
        Ok(bytes)
    }

    /// Adds the weight of a value to `bytes`.
    fn walk(&self, v: &Value, depth: usize, bytes: &mut u64) -> Result<(), Error> {
        self.look()?;
        let Some(object) = v.as_object() else {
            *bytes += v.as_str().map_or(ELEMENT, |s| ELEMENT + s.len() as u64);
            return if *bytes > self.limit { Err(self.stop(Over::Bytes)) } else { Ok(()) };
        };
        *bytes += ELEMENT;
        let Some(depth) = depth.checked_sub(1) else {
            let e = format!("lists are nested more than {DEPTH} deep");
            return Err(Error::new(ErrorKind::InvalidOperation, e));
        };
        match object.repr() {
            ObjectRepr::Map => {
                for (key, value) in object.try_iter_pairs().into_iter().flatten() {
                    self.walk(&key, depth, bytes)?;
                    self.walk(&value, depth, bytes)?;
                }
            }
            ObjectRepr::Seq | ObjectRepr::Iterable => {
                for item in object.try_iter().into_iter().flatten() {
                    self.walk(&item, depth, bytes)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Counts a value that was just made. Its parts are not new, but for texts, which may be.
    fn made(&self, v: Value) -> Result<Value, Error> {
        if let Some(s) = v.as_str() {
            let bytes = s.len() as u64;
            self.charge(bytes)?;
            if let Some(text) = v.to_str().filter(|s| s.len() >= LONG) {
                let mut long = self.long.lock().unwrap_or_else(PoisonError::into_inner);
                long.push((Arc::downgrade(&text), bytes));
            }
            return Ok(v);
        }
        let Some(object) = v.as_object() else { return Ok(v) };
        match object.repr() {
            ObjectRepr::Map => self.charge(ENTRY.saturating_mul(v.len().unwrap_or(0) as u64))?,
            ObjectRepr::Seq => self.charge_items(&v)?,
            ObjectRepr::Iterable => return self.list(&v),
            _ => {}
        }
        Ok(v)
    }

    fn charge_items(&self, v: &Value) -> Result<(), Error> {
        for item in v.try_iter()?.checked() {
            self.charge_item(&item?)?;
        }
        Ok(())
    }

    fn charge_item(&self, item: &Value) -> Result<(), Error> {
        self.look()?;
        self.charge(item.as_str().map_or(ELEMENT, |s| ELEMENT + s.len() as u64))
    }

    /// A value that is computed anew at each use, as a list: such values could be stacked until the call stack ends,
    /// or be longer than memory.
    fn list(&self, v: &Value) -> Result<Value, Error> {
        let mut items = Vec::new();
        for item in v.try_iter()?.checked() {
            let item = item?;
            self.charge_item(&item)?;
            items.push(item);
        }
        Ok(Value::from(items))
    }

    /// A literal, whose depth shows here.
    fn literal(&self, v: Value) -> Result<Value, Error> {
        let Some(object) = v.as_object() else { return self.made(v) };
        match object.repr() {
            ObjectRepr::Map => {
                let mut pairs = object.try_iter_pairs().into_iter().flatten();
                pairs.try_for_each(|(_, value)| no_namespace(&value))?;
            }
            _ => v.try_iter()?.try_for_each(|item| no_namespace(&item))?,
        }
        self.weigh(&v)?;
        self.made(v)
    }

    /// A sum. Sums of lists share their parts, and the engine keeps them shallow; only their length is new.
    fn sum(&self, v: Value) -> Result<Value, Error> {
        if v.as_object().is_none_or(|o| o.repr() != ObjectRepr::Iterable) {
            return self.made(v);
        }
        self.charge(4 * ELEMENT)?;
        let bytes = (v.len().unwrap_or(0) as u64).saturating_mul(ELEMENT);
        if bytes > self.limit { Err(self.stop(Over::Bytes)) } else { Ok(v) }
    }

    /// What `~` prints.
    fn printed(&self, v: Value) -> Result<Value, Error> {
        if v.as_object().is_some() {
            self.allows(self.weigh(&v)?.saturating_mul(PRINTED_BYTES))?;
        }
        Ok(v)
    }

    /// Python's `value[start:stop:step]`; the engine's own panics on an empty text with a negative step.
    fn slice(&self, v: &Value, bounds: [&Value; 3]) -> Result<Value, Error> {
        let [start, stop, step] = bounds.map(|b| match b.is_none() || b.is_undefined() {
            true => Ok(None),
            false => i64::try_from(b.clone()).map(Some),
        });
        let (start, stop, step) = (start?, stop?, step?.unwrap_or(1));
        if step == 0 {
            return Err(Error::new(ErrorKind::InvalidOperation, "cannot slice by steps of 0"));
        }
        if let Some(s) = v.as_str() {
            if step == 1 {
                let (from, to) = range(s.chars().count(), start, stop, step);
                let count = usize::try_from(to - from).unwrap_or(0);
                return self.made(Value::from(s.chars().skip(from as usize).take(count).collect::<String>()));
            }
            self.allows((s.len() as u64).saturating_mul(PRINTED_BYTES))?;
            let chars: Vec<char> = s.chars().collect();
            return self.made(Value::from(picked(&chars, start, stop, step).collect::<String>()));
        }
        if v.is_none() || v.is_undefined() {
            return Ok(Value::from(Vec::<Value>::new()));
        }
        if !matches!(v.kind(), ValueKind::Seq | ValueKind::Iterable) {
            return Err(Error::new(ErrorKind::InvalidOperation, format!("cannot slice a {}", v.kind())));
        }
        let items: Vec<Value> = v.try_iter()?.checked().collect::<Result<_, _>>()?;
        let part: Vec<Value> = picked(&items, start, stop, step).collect();
        self.made(if v.is_tuple() { Value::from(Tuple::from(part)) } else { Value::from(part) })
    }

    /// Python's `*`.
    fn times(&self, a: &Value, b: &Value) -> Result<Value, Error> {
        let repeats = |v: &Value| v.as_str().is_some() || v.as_object().is_some();
        let (what, n) = if repeats(b) && !repeats(a) { (b, a) } else { (a, b) };
        if !repeats(what) {
            return product(a, b);
        }
        let Some(n) = n.as_usize() else {
            return Err(Error::new(
                ErrorKind::InvalidOperation,
                format!("cannot multiply a {} by a {}", a.kind(), b.kind()),
            ));
        };
        if let Some(s) = what.as_str() {
            self.charge((s.len() as u64).saturating_mul(n as u64))?;
            return Ok(Value::from(s.repeat(n)));
        }
        if !matches!(what.kind(), ValueKind::Seq | ValueKind::Iterable) {
            return Err(Error::new(ErrorKind::InvalidOperation, format!("cannot repeat a {}", what.kind())));
        }
        self.weigh(what)?;
        let once: Vec<Value> = what.try_iter()?.checked().collect::<Result<_, _>>()?;
        self.charge((once.len() as u64).saturating_mul(n as u64).saturating_mul(ELEMENT))?;
        let all: Vec<Value> = once.iter().cycle().take(once.len().saturating_mul(n)).cloned().collect();
        Ok(if what.is_tuple() { Value::from(Tuple::from(all)) } else { Value::from(all) })
    }

    /// Checks what a filter or method is about to make of its arguments.
    fn before(&self, grows: Grows, args: &[Value]) -> Result<(), Error> {
        let mut bytes = 0u64;
        // What cannot grow is bounded by the values that are there already.
        let small = matches!(grows, Grows::Not | Grows::Iterates | Grows::Splits);
        for a in args.iter().filter(|_| !small) {
            bytes = bytes.saturating_add(self.weigh(a)?);
        }
        let text = |i: usize| args.get(i).and_then(Value::as_str).unwrap_or("");
        let number = |v: &Value| v.as_i64().map_or(0, i64::unsigned_abs);
        let makes = match grows {
            Grows::Not => 0,
            // A character of one byte becomes a value.
            Grows::Iterates => ELEMENT.saturating_mul(text(0).len() as u64),
            Grows::Splits => {
                let pieces = match text(1) {
                    "" => text(0).len(),
                    mark => text(0).matches(mark).count() + 1,
                };
                ELEMENT.saturating_mul(pieces as u64).saturating_add(text(0).len() as u64)
            }
            Grows::Prints => bytes.saturating_mul(PRINTED_BYTES),
            Grows::Replaces => {
                let places = text(0).len() / text(1).len().max(1) + 1;
                (places as u64).saturating_mul(text(2).len() as u64).saturating_add(bytes)
            }
            // The separator is among the arguments wherever it stands.
            Grows::Joins => {
                let longest = args.iter().filter_map(Value::as_str).map(str::len).max().unwrap_or(0) as u64;
                let named = args.last().filter(|a| a.is_kwargs()).and_then(|k| k.get_attr("d").ok());
                let named = named.and_then(|d| Some(d.as_str()?.len() as u64)).unwrap_or(0);
                let items = args.iter().filter_map(Value::len).max().unwrap_or(0) as u64;
                items.saturating_mul(longest.max(named)).saturating_add(bytes.saturating_mul(PRINTED_BYTES))
            }
            Grows::Indents => {
                let named = args.last().filter(|a| a.is_kwargs()).and_then(|k| k.get_attr("width").ok());
                let width = args.iter().skip(1).chain(&named).map(number).max().unwrap_or(0).max(4);
                let lines = text(0).bytes().filter(|b| *b == b'\n').count() as u64 + 1;
                lines.saturating_mul(width).saturating_add(bytes)
            }
            Grows::Formats => {
                if let Some(key) = broken_key(text(0)) {
                    let what = format!("the format has a key outside ASCII at byte {key}");
                    return Err(Error::new(ErrorKind::InvalidOperation, what));
                }
                // A width stands in the format or, after `*` or within inner braces, among the arguments.
                let given = text(0).contains('*') || text(0).matches('{').count() > 1;
                let given = args.iter().skip(1).filter(|_| given).map(number).max().unwrap_or(0);
                let fields = text(0).bytes().filter(|b| matches!(b, b'%' | b'{')).count() as u64;
                let padding = fields.saturating_mul(largest_number(text(0)).max(given));
                padding.saturating_add(bytes.saturating_mul(PRINTED_BYTES))
            }
        };
        self.allows(makes)
    }
}

/// Where a key of a format (`%(key)s`, `{name[key]}`) has a character outside ASCII: the template engine looks for the key's end
/// byte by byte, and would stop within that character.
fn broken_key(format: &str) -> Option<usize> {
    let inside = |open: usize, close: char| {
        let key = format[open..].split(close).next().unwrap_or_default();
        key.find(|c: char| !c.is_ascii()).map(|at| open + at)
    };
    let printf = format.match_indices("%(").find_map(|(at, _)| inside(at, ')'));
    let in_field = |at: usize| format[..at].rfind(['{', '}']).is_some_and(|b| format.as_bytes()[b] == b'{');
    let mut brackets = format.match_indices('[').filter(|(at, _)| in_field(*at));
    printf.or_else(|| brackets.find_map(|(at, _)| inside(at, ']')))
}

/// Where a slice of `n` items begins, and where it has ended.
fn range(n: usize, start: Option<i64>, stop: Option<i64>, step: i64) -> (i64, i64) {
    let n = n as i64;
    let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
    let within = |i: i64| if i < 0 { (i + n).max(low) } else { i.min(high) };
    let (first, last) = if step > 0 { (low, high) } else { (high, low) };
    (start.map_or(first, within), stop.map_or(last, within))
}

/// The items of a slice.
fn picked<T: Clone>(
    items: &[T],
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
) -> impl Iterator<Item = T> + '_ {
    let (from, to) = range(items.len(), start, stop, step);
    std::iter::successors(Some(from), move |i| i.checked_add(step))
        .take_while(move |i| if step > 0 { *i < to } else { *i > to })
        .filter_map(|i| items.get(usize::try_from(i).ok()?).cloned())
}

/// Refuses to take a long text apart into arguments or names: every character would become a value first.
fn spreads(v: &Value) -> Result<(), Error> {
    match v.as_str() {
        Some(s) if s.len() > SPREADS => {
            Err(Error::new(ErrorKind::CannotUnpack, format!("a text of more than {SPREADS} bytes")))
        }
        _ => Ok(()),
    }
}

/// Refuses a namespace as part of another value. A namespace is the only value that can change, so otherwise one could
/// come to hold itself: it would never be freed, and printing it would never end.
fn no_namespace(v: &Value) -> Result<(), Error> {
    if v.as_object().is_some_and(|o| o.repr() == ObjectRepr::Map) && v.get_attr(NAMESPACE)?.is_true() {
        return Err(Error::new(ErrorKind::InvalidOperation, "a namespace cannot be part of another value"));
    }
    Ok(())
}

/// The largest number that stands in a text.
fn largest_number(text: &str) -> u64 {
    let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty());
    numbers.map(|n| n.parse().unwrap_or(u64::MAX)).max().unwrap_or(0)
}

/// A product of numbers, whole where both are.
fn product(a: &Value, b: &Value) -> Result<Value, Error> {
    let failed = || {
        let what = format!("cannot multiply {} by {}", a.kind(), b.kind());
        Error::new(ErrorKind::InvalidOperation, what)
    };
    let whole = |v: &Value| v.is_integer() || v.kind() == ValueKind::Bool;
    if whole(a) && whole(b) {
        let (a, b) = (i128::try_from(a.clone())?, i128::try_from(b.clone())?);
        let n = a.checked_mul(b).ok_or_else(failed)?;
        return Ok(i64::try_from(n).map_or_else(|_| Value::from(n), Value::from));
    }
    match (f64::try_from(a.clone()), f64::try_from(b.clone())) {
        (Ok(a), Ok(b)) => Ok(Value::from(a * b)),
        _ => Err(failed()),
    }
}

/// How much larger than its arguments what a filter makes may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grows {
    Not,
    Iterates,
    Splits,
    Prints,
    Replaces,
    Joins,
    Indents,
    Formats,
}

/// The engine's filters that templates get. Those that no real template uses and that could make much of little
/// (`batch`, `slice`, `chain`, `zip`, `pprint`) are left out.
fn filters() -> Vec<(&'static str, Grows, Value)> {
    use Grows::{Formats, Indents, Iterates, Joins, Not, Prints, Replaces, Splits};
    vec![
        ("safe", Not, Value::from_function(f::safe)),
        ("escape", Prints, Value::from_function(f::escape)),
        ("e", Prints, Value::from_function(f::escape)),
        ("lower", Prints, Value::from_function(f::lower)),
        ("upper", Prints, Value::from_function(f::upper)),
        ("title", Prints, Value::from_function(f::title)),
        ("capitalize", Prints, Value::from_function(f::capitalize)),
        ("replace", Replaces, Value::from_function(f::replace)),
        ("length", Not, Value::from_function(f::length)),
        ("count", Not, Value::from_function(f::length)),
        ("dictsort", Not, Value::from_function(f::dictsort)),
        ("items", Not, Value::from_function(f::items)),
        ("reverse", Not, Value::from_function(f::reverse)),
        ("trim", Not, Value::from_function(f::trim)),
        ("join", Joins, Value::from_function(f::join)),
        ("split", Splits, Value::from_function(f::split)),
        ("lines", Iterates, Value::from_function(f::lines)),
        ("default", Not, Value::from_function(f::default)),
        ("d", Not, Value::from_function(f::default)),
        ("round", Not, Value::from_function(f::round)),
        ("abs", Not, Value::from_function(f::abs)),
        ("int", Not, Value::from_function(f::int)),
        ("float", Not, Value::from_function(f::float)),
        ("attr", Not, Value::from_function(f::attr)),
        ("first", Not, Value::from_function(f::first)),
        ("last", Not, Value::from_function(f::last)),
        ("min", Iterates, Value::from_function(f::min)),
        ("max", Iterates, Value::from_function(f::max)),
        ("sort", Iterates, Value::from_function(f::sort)),
        ("list", Iterates, Value::from_function(f::list)),
        ("string", Prints, Value::from_function(f::string)),
        ("bool", Not, Value::from_function(f::bool)),
        ("sum", Prints, Value::from_function(f::sum)),
        ("indent", Indents, Value::from_function(f::indent)),
        ("select", Iterates, Value::from_function(f::select)),
        ("reject", Iterates, Value::from_function(f::reject)),
        ("selectattr", Iterates, Value::from_function(f::selectattr)),
        ("rejectattr", Iterates, Value::from_function(f::rejectattr)),
        ("map", Iterates, Value::from_function(f::map)),
        ("groupby", Iterates, Value::from_function(f::groupby)),
        ("unique", Iterates, Value::from_function(f::unique)),
        ("format", Formats, Value::from_function(f::format)),
        ("tojson", Prints, Value::from_function(super::json::to_json)),
    ]
}

/// How much larger than its arguments what a method makes may be.
fn method_grows(name: &str) -> Grows {
    match name {
        "replace" => Grows::Replaces,
        "join" => Grows::Joins,
        "split" => Grows::Splits,
        "splitlines" => Grows::Iterates,
        "format" => Grows::Formats,
        "upper" | "lower" | "title" | "capitalize" => Grows::Prints,
        _ => Grows::Not,
    }
}

/// Has an environment keep the account.
pub(super) fn install(env: &mut Environment<'_>, account: &Arc<Account>) {
    for name in ["batch", "slice", "chain", "zip", "pprint"] {
        env.remove_filter(name);
    }
    env.remove_global("debug");
    for (name, grows, filter) in filters() {
        let account = account.clone();
        env.add_filter(name, move |state: &mut State<'_, '_>, args: Rest<ValueOrKwargs>| {
            let args = args.into_values();
            account.before(grows, &args)?;
            account.made(filter.call(state, &args)?)
        });
    }
    let to = account.clone();
    env.add_filter(MADE, move |v: Value| to.made(v));
    let to = account.clone();
    env.add_filter(LITERAL, move |v: Value| to.literal(v));
    let to = account.clone();
    env.add_filter(SUM, move |v: Value| to.sum(v));
    let to = account.clone();
    env.add_filter(PRINTED, move |v: Value| to.printed(v));
    let to = account.clone();
    env.add_filter(TIMES, move |a: Value, b: Value| to.times(&a, &b));
    let to = account.clone();
    env.add_filter(SLICED, move |v: Value, start: Value, stop: Value, step: Value| {
        to.slice(&v, [&start, &stop, &step])
    });
    env.add_filter(SPREAD, |v: Value| spreads(&v).map(|()| v));
    env.add_filter(PAIRS, |v: Value| {
        v.try_iter().into_iter().flatten().try_for_each(|item| spreads(&item))?;
        Ok::<Value, Error>(v)
    });
    env.add_filter(STORED, |v: Value| no_namespace(&v).map(|()| v));
    let to = account.clone();
    env.add_function(DECLARED, move || to.charge(CLOSURE).map(|()| ""));
    let (to, dict) = (account.clone(), Value::from_function(functions::dict));
    env.add_function("dict", move |state: &mut State<'_, '_>, args: Rest<ValueOrKwargs>| {
        to.literal(dict.call(state, &args.into_values())?)
    });
    let (to, namespace) = (account.clone(), Value::from_function(functions::namespace));
    env.add_function("namespace", move |state: &mut State<'_, '_>, args: Rest<ValueOrKwargs>| {
        let args = args.into_values();
        if args.len() > 1 || args.iter().any(|a| a.kind() != ValueKind::Map) {
            // It says what is wrong.
            return namespace.call(state, &args);
        }
        let mut entries = vec![(Value::from(NAMESPACE), Value::from(true))];
        for map in args.iter().filter_map(Value::as_object) {
            entries.extend(map.try_iter_pairs().into_iter().flatten());
        }
        entries.iter().try_for_each(|(_, v)| no_namespace(v))?;
        to.made(namespace.call(state, &[Value::from_pairs(entries)])?)
    });
    let to = account.clone();
    env.set_unknown_method_callback(move |state, value, name, args| {
        let mut all = vec![value.clone()];
        all.extend_from_slice(args);
        to.before(method_grows(name), &all)?;
        to.made(minijinja_contrib::pycompat::unknown_method_callback(state, value, name, args)?)
    });
    let to = account.clone();
    env.set_formatter(move |out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value| {
        let escaped = if *state.auto_escape() == AutoEscape::None { 1 } else { PRINTED_BYTES };
        to.charge(match value.as_str() {
            Some(s) => escaped.saturating_mul(s.len() as u64),
            None if value.as_object().is_none() => ELEMENT,
            None => PRINTED_BYTES.saturating_mul(to.weigh(value)?),
        })?;
        minijinja::escape_formatter(out, state, value)
    });
}
