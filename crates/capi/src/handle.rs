//! Handles: numbers that look like pointers to C, and the tables that they are looked up in.
//!
//! A handle is a kind (8 bits), a generation (24 bits) and a place (32 bits). A place that is given anew has another generation, so a freed
//! handle is never taken for the object that has its place now; a place whose generations are used up is not given again.

use crate::status::{AKUNU_ERROR_FORKED, AKUNU_ERROR_HANDLE, Failure, remember};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

const GENERATIONS: u32 = 1 << 24;

/// Objects of one kind, by their handles.
pub(crate) struct Table<T> {
    /// What messages call it.
    name: &'static str,
    kind: u8,
    places: RwLock<Places<T>>,
}

struct Places<T> {
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

impl<T> Table<T> {
    /// `kind` is not 0 and differs from table to table.
    pub(crate) const fn new(name: &'static str, kind: u8) -> Self {
        Self { name, kind, places: RwLock::new(Places { all: Vec::new(), free: Vec::new() }) }
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
    pub(crate) fn get<H>(&self, handle: *const H) -> Result<Arc<T>, Failure> {
        let places = self.read();
        let (at, generation) = self.parts(handle.addr())?;
        let place = places.all.get(at as usize).filter(|p| p.generation == generation);
        let held = place.and_then(|p| p.held.as_ref()).ok_or_else(|| self.stale())?;
        if held.process != std::process::id() {
            let message = format!(
                "this {} was made before the process forked, and its threads are not here; load the model after forking",
                self.name
            );
            return Err(Failure::new(AKUNU_ERROR_FORKED, message));
        }
        Ok(Arc::clone(&held.object))
    }

    /// Takes an object out; `None` for NULL. A handle that is none becomes the thread's last error.
    pub(crate) fn take<H>(&self, handle: *mut H) -> Option<Arc<T>> {
        if handle.is_null() {
            return None;
        }
        let taken = self.parts(handle.addr()).and_then(|(at, generation)| {
            let mut places = self.write();
            let place = places.all.get_mut(at as usize).filter(|p| p.generation == generation);
            let place = place.filter(|p| p.held.is_some()).ok_or_else(|| self.stale())?;
            let held = place.held.take();
            place.generation += 1;
            if place.generation < GENERATIONS {
                places.free.push(at);
            }
            Ok(held)
        });
        match taken {
            // The threads that it would end are the parent's.
            Ok(Some(held)) if held.process != std::process::id() => {
                std::mem::forget(held.object);
                None
            }
            Ok(held) => held.map(|h| h.object),
            Err(failure) => {
                remember(failure);
                None
            }
        }
    }

    fn parts(&self, number: usize) -> Result<(u32, u32), Failure> {
        let number = number as u64;
        if number == 0 {
            return Err(Failure::new(AKUNU_ERROR_HANDLE, format!("the {} is NULL", self.name)));
        }
        match (number >> 56) as u8 == self.kind {
            true => Ok((number as u32, (number >> 32) as u32 & (GENERATIONS - 1))),
            false => Err(self.stale()),
        }
    }

    fn stale(&self) -> Failure {
        Failure::new(
            AKUNU_ERROR_HANDLE,
            format!(
                "this {} was freed, or never was one; use each until it is freed, and free it once",
                self.name
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct H;

    #[test]
    fn a_freed_handle_is_none_though_its_place_is_taken() {
        let table = Table::new("thing", 3);
        let a: *mut H = table.insert(1);
        assert_eq!(*table.get(a).unwrap(), 1);
        assert_eq!(table.take(a).as_deref(), Some(&1));
        let b: *mut H = table.insert(2);
        assert_eq!(b.addr() as u32, a.addr() as u32, "the place is the same");
        assert_eq!(table.get(a).unwrap_err().code, AKUNU_ERROR_HANDLE);
        assert!(table.take(a).is_none());
        assert_eq!(*table.get(b).unwrap(), 2);
    }

    #[test]
    fn numbers_that_are_no_handles_are_refused() {
        let table = Table::new("thing", 3);
        let a: *mut H = table.insert(1);
        let other: Table<i32> = Table::new("other", 4);
        let b: *mut H = other.insert(1);
        for number in [0, 1, 8, usize::MAX, a.addr() + 1, a.addr() ^ 1 << 40, b.addr()] {
            let handle: *mut H = std::ptr::without_provenance_mut(number);
            assert_eq!(table.get(handle).unwrap_err().code, AKUNU_ERROR_HANDLE, "{number:x}");
            assert!(table.take(handle).is_none());
        }
    }

    #[test]
    fn a_place_whose_generations_are_used_up_is_not_given_again() {
        let table = Table::new("thing", 3);
        let a: *mut H = table.insert(1);
        table.take(a);
        table.write().all[0].generation = GENERATIONS - 1;
        let b: *mut H = table.insert(2);
        assert!(table.take(b).is_some());
        let c: *mut H = table.insert(3);
        assert_eq!(c.addr() as u32, 1);
        assert!(table.get(b).is_err());
    }

    #[test]
    fn what_another_thread_frees_lives_until_it_is_not_used() {
        static DROPPED: AtomicUsize = AtomicUsize::new(0);
        struct Counted;
        impl Drop for Counted {
            fn drop(&mut self) {
                DROPPED.fetch_add(1, Ordering::SeqCst);
            }
        }
        let table = Table::new("thing", 3);
        // Handles are numbers; pointers do not go to other threads by themselves.
        let numbers: Vec<usize> = (0..64).map(|_| table.insert::<H>(Counted).addr()).collect();
        let taken = AtomicUsize::new(0);
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| {
                    for n in &numbers {
                        let handle: *mut H = std::ptr::without_provenance_mut(*n);
                        let used = table.get(handle);
                        taken.fetch_add(usize::from(table.take(handle).is_some()), Ordering::SeqCst);
                        drop(used);
                    }
                });
            }
        });
        assert_eq!((taken.load(Ordering::SeqCst), DROPPED.load(Ordering::SeqCst)), (64, 64));
    }
}
