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

/// What is wrong with a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    Null,
    Freed,
    Forked,
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
        let held = place.and_then(|p| p.held.as_ref()).ok_or_else(|| self.freed())?;
        if held.process != std::process::id() {
            return Err(Refused { why: Why::Forked, name: self.name });
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
            let place = place.ok_or_else(|| self.freed())?;
            let held = place.held.take().ok_or_else(|| self.freed())?;
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
            return Err(Refused { why: Why::Null, name: self.name });
        }
        match (number >> 56) as u8 == self.kind {
            true => Ok((number as u32, (number >> 32) as u32 & (GENERATIONS - 1))),
            false => Err(self.freed()),
        }
    }

    /// What a call says whose object was freed.
    pub(crate) fn freed(&self) -> Refused {
        Refused { why: Why::Freed, name: self.name }
    }

    /// Uses up all generations but one of the places that are free.
    #[cfg(test)]
    pub(crate) fn wear_out(&self) {
        let mut places = self.write();
        let free = places.free.clone();
        free.into_iter().for_each(|at| places.all[at as usize].generation = GENERATIONS - 1);
    }
}

/// What one call at a time may use, until it is closed.
pub(crate) struct OneCall<T> {
    inner: Mutex<T>,
    closed: AtomicBool,
}

/// Why a call may not use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shut {
    /// Another call does.
    Busy,
    /// It was freed after this call had found it.
    Closed,
}

impl<T> OneCall<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self { inner: Mutex::new(inner), closed: AtomicBool::new(false) }
    }

    /// For this call alone, until the guard goes.
    pub(crate) fn enter(&self) -> Result<MutexGuard<'_, T>, Shut> {
        let guard = match self.inner.try_lock() {
            Ok(guard) => guard,
            // A panic has unwound through the engine, which leaves a session at its last accepted token.
            Err(TryLockError::Poisoned(p)) => p.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(Shut::Busy),
        };
        // With the lock: a call that `close` came too late for is told to end by who closes, and one that comes after that call sees this.
        match self.closed.load(Ordering::SeqCst) {
            true => Err(Shut::Closed),
            false => Ok(guard),
        }
    }

    /// No call enters any more. The one that is inside must be told to end after this.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }
}
