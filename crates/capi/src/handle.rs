//! Handles: numbers that look like pointers to C, and the tables that they are looked up in.
//!
//! A handle is a kind (8 bits), a generation (24 bits) and a place (32 bits). A place that is given anew has another generation, so a freed
//! handle is never taken for the object that has its place now; a place whose generations are used up is not given again.
//!
//! This file knows nothing of the rest of the library but `sync.rs`, since `tests/handles` compiles it with the locks of `loom`.

use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::fmt;
use std::sync::{PoisonError, TryLockError};

const GENERATIONS: u32 = 1 << 24;

/// Objects of one kind, by their handles.
pub(crate) struct Table<T> {
    /// What messages call it.
    name: &'static str,
    kind: u8,
    places: RwLock<Places<T>>,
}

/// Where the objects are.
pub(crate) struct Places<T> {
    all: Vec<Place<T>>,
    free: Vec<u32>,
}

struct Place<T> {
    generation: u32,
    held: Option<Held<T>>,
}

struct Held<T> {
    object: Arc<T>,
    /// The process that made it.
    process: u32,
}

/// Why a handle gives no object; shown as a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) why: Why,
    name: &'static str,
}

/// What is wrong with a handle, or why its object cannot be used now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    Null,
    Freed,
    Forked,
    /// Another call uses it.
    Busy,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name;
        match self.why {
            Why::Null => write!(f, "the {name} is NULL"),
            Why::Freed => write!(
                f,
                "this {name} was freed, or never was one; use each until it is freed, and free it once"
            ),
            Why::Busy => write!(f, "another call uses this {name}; wait for its end, or cancel it"),
            Why::Forked => write!(
                f,
                "this {name} was made before the process forked, and its threads are not here; load the model after forking"
            ),
        }
    }
}

impl<T> Places<T> {
    pub(crate) const fn new() -> Self {
        Self { all: Vec::new(), free: Vec::new() }
    }
}

impl<T> Table<T> {
    /// `kind` is not 0 and differs from table to table.
    pub(crate) const fn over(name: &'static str, kind: u8, places: RwLock<Places<T>>) -> Self {
        Self { name, kind, places }
    }

    fn read(&self) -> RwLockReadGuard<'_, Places<T>> {
        self.places.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Places<T>> {
        self.places.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// A handle for an object.
    pub(crate) fn insert<H>(&self, object: T) -> *mut H {
        let held = Some(Held { object: Arc::new(object), process: std::process::id() });
        let mut places = self.write();
        let at = match places.free.pop() {
            Some(at) => at,
            None => {
                places.all.push(Place { generation: 0, held: None });
                (places.all.len() - 1) as u32
            }
        };
        let place = &mut places.all[at as usize];
        place.held = held;
        let number = u64::from(self.kind) << 56 | u64::from(place.generation) << 32 | u64::from(at);
        std::ptr::without_provenance_mut(number as usize)
    }

    /// The object of a handle, which lives on for as long as somebody has it.
    pub(crate) fn get<H>(&self, handle: *const H) -> Result<Arc<T>, Refused> {
        let (at, generation) = self.parts(handle.addr())?;
        let places = self.read();
        let place = places.all.get(at as usize).filter(|p| p.generation == generation);
        let held = place.and_then(|p| p.held.as_ref()).ok_or(self.refused(Why::Freed))?;
        if held.process != std::process::id() {
            return Err(self.refused(Why::Forked));
        }
        Ok(Arc::clone(&held.object))
    }

    /// Takes an object out; `None` for NULL, and for one whose threads are another process's, which is never dropped here.
    pub(crate) fn take<H>(&self, handle: *mut H) -> Result<Option<Arc<T>>, Refused> {
        if handle.is_null() {
            return Ok(None);
        }
        let (at, generation) = self.parts(handle.addr())?;
        let held = {
            let mut places = self.write();
            let place = places.all.get_mut(at as usize).filter(|p| p.generation == generation);
            let place = place.ok_or(self.refused(Why::Freed))?;
            let held = place.held.take().ok_or(self.refused(Why::Freed))?;
            place.generation += 1;
            if place.generation < GENERATIONS {
                places.free.push(at);
            }
            held
        };
        if held.process != std::process::id() {
            std::mem::forget(held.object);
            return Ok(None);
        }
        Ok(Some(held.object))
    }

    fn parts(&self, number: usize) -> Result<(u32, u32), Refused> {
        let number = number as u64;
        if number == 0 {
            return Err(self.refused(Why::Null));
        }
        match (number >> 56) as u8 == self.kind {
            true => Ok((number as u32, (number >> 32) as u32 & (GENERATIONS - 1))),
            false => Err(self.refused(Why::Freed)),
        }
    }

    fn refused(&self, why: Why) -> Refused {
        Refused { why, name: self.name }
    }

    /// Uses up all generations but one of the places that are free.
    #[cfg(test)]
    pub(crate) fn wear_out(&self) {
        let mut places = self.write();
        let free = places.free.clone();
        free.into_iter().for_each(|at| places.all[at as usize].generation = GENERATIONS - 1);
    }
}

impl<T, C: Cancel> Table<OneCall<T, C>> {
    /// What an object of this table holds, for this call alone, until the guard goes.
    pub(crate) fn enter<'a>(&self, object: &'a OneCall<T, C>) -> Result<MutexGuard<'a, T>, Refused> {
        object.enter().map_err(|why| self.refused(why))
    }

    /// Ends the call that uses an object, or the next one where none does.
    pub(crate) fn cancel<H>(&self, handle: *const H) -> Result<(), Refused> {
        self.get(handle)?.beside.cancel();
        Ok(())
    }
}

/// What ends a call, from any thread.
pub(crate) trait Cancel {
    /// Ends the call that runs, or the next one where none does.
    fn cancel(&self);
}

/// A word that the call looks at.
impl Cancel for AtomicBool {
    fn cancel(&self) {
        self.store(true, Ordering::SeqCst);
    }
}

/// What one call at a time may use, until it is closed.
pub(crate) struct OneCall<T, C> {
    inner: Mutex<T>,
    closed: AtomicBool,
    /// What any thread may use meanwhile.
    pub(crate) beside: C,
}

impl<T, C: Cancel> OneCall<T, C> {
    pub(crate) fn new(inner: T, beside: C) -> Self {
        Self { inner: Mutex::new(inner), closed: AtomicBool::new(false), beside }
    }

    /// For this call alone, until the guard goes.
    pub(crate) fn enter(&self) -> Result<MutexGuard<'_, T>, Why> {
        let guard = match self.inner.try_lock() {
            Ok(guard) => guard,
            // A panic has unwound through the engine, which leaves a session at its last accepted token.
            Err(TryLockError::Poisoned(p)) => p.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(Why::Busy),
        };
        // With the lock: a call that `close` came too late for is cancelled by it, and one that comes after that call sees this.
        match self.closed.load(Ordering::SeqCst) {
            true => Err(Why::Freed),
            false => Ok(guard),
        }
    }

    /// No call enters any more, and the one that is inside is told to end. In this order: a call that entered after the cancel and before
    /// the close would not be told.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.beside.cancel();
    }
}
