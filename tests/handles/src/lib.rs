//! The handles of the C library (`crates/capi/src/handle.rs`, compiled here once more) with the locks of `loom`, which runs each model below
//! under every order of events that the memory model allows. It fails where an assertion can fail, where an object is used while it is
//! dropped, where one is never dropped, and where all threads could wait for ever.
//!
//! A package of its own, so that the models need nothing but `loom`, and run with all other tests.
#![cfg(test)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

/// What `handle.rs` takes for its locks.
mod sync {
    pub(crate) use loom::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic};
}

#[path = "../../../crates/capi/src/handle.rs"]
#[allow(dead_code, reason = "not all of it is of interest to several threads")]
mod handle;

use handle::{OneCall, Places, Table, Why};
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::sync::{Arc, RwLock};
use loom::thread;

/// What handles of C point to: nothing.
struct H;

/// Handles are numbers; a pointer does not go to another thread by itself.
fn handle(number: usize) -> *mut H {
    std::ptr::without_provenance_mut(number)
}

fn table<T>() -> Arc<Table<T>> {
    Arc::new(Table::over("thing", 3, RwLock::new(Places::new())))
}

/// An object that says who it is, and when it goes.
struct Object {
    /// Overwritten when it goes.
    number: AtomicUsize,
    dropped: Arc<AtomicUsize>,
}

impl Object {
    fn new(number: usize, dropped: &Arc<AtomicUsize>) -> Self {
        Self { number: AtomicUsize::new(number), dropped: Arc::clone(dropped) }
    }

    fn number(&self) -> usize {
        self.number.load(Ordering::Relaxed)
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        self.number.store(usize::MAX, Ordering::Relaxed);
        self.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn what_is_found_lives_until_its_finder_lets_it_go() {
    loom::model(|| {
        let (table, dropped) = (table(), Arc::new(AtomicUsize::new(0)));
        let number = table.insert::<H>(Object::new(7, &dropped)).addr();
        let other = Arc::clone(&table);
        let user = thread::spawn(move || match other.get(handle(number)) {
            Ok(object) => assert_eq!(object.number(), 7),
            Err(refused) => assert_eq!(refused.why, Why::Freed),
        });
        drop(table.take(handle(number)).unwrap());
        assert_eq!(table.get(handle(number)).err().unwrap().why, Why::Freed, "after a free nobody finds it");
        user.join().unwrap();
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn of_two_frees_one_is_an_error() {
    loom::model(|| {
        let (table, dropped) = (table(), Arc::new(AtomicUsize::new(0)));
        let number = table.insert::<H>(Object::new(7, &dropped)).addr();
        let other = Arc::clone(&table);
        let free = move || other.take(handle(number)).is_ok();
        let theirs = thread::spawn(free);
        let ours = table.take(handle(number)).is_ok();
        assert!(ours ^ theirs.join().unwrap());
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn a_freed_handle_never_finds_what_has_its_place_now() {
    loom::model(|| {
        let (table, dropped) = (table(), Arc::new(AtomicUsize::new(0)));
        let old = table.insert::<H>(Object::new(7, &dropped)).addr();
        let other = Arc::clone(&table);
        let user = thread::spawn(move || {
            if let Ok(object) = other.get(handle(old)) {
                assert_eq!(object.number(), 7);
            }
            // A second free of the old one does nothing to the new one.
            drop(other.take(handle(old)));
        });
        drop(table.take(handle(old)));
        let new = table.insert::<H>(Object::new(8, &dropped));
        assert_eq!(table.get(new).unwrap().number(), 8);
        user.join().unwrap();
        assert_eq!(table.get(new).unwrap().number(), 8);
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn objects_made_at_once_have_handles_of_their_own() {
    loom::model(|| {
        let (table, dropped) = (table(), Arc::new(AtomicUsize::new(0)));
        let (other, theirs) = (Arc::clone(&table), Object::new(8, &dropped));
        let maker = thread::spawn(move || other.insert::<H>(theirs).addr());
        let a = table.insert::<H>(Object::new(7, &dropped)).addr();
        let b = maker.join().unwrap();
        assert_ne!(a, b);
        assert_eq!(table.get(handle(a)).unwrap().number(), 7);
        assert_eq!(table.get(handle(b)).unwrap().number(), 8);
    });
}

/// A session as the C library has it: a call runs until somebody cancels, and forgets the cancel at its end.
type Session = OneCall<Object, AtomicBool>;

/// `akunu_session_generate`: without an end of its own.
fn generate(session: &Session) -> Result<(), Why> {
    let object = session.enter()?;
    while !session.beside.load(Ordering::Acquire) {
        assert_eq!(object.number(), 7);
        thread::yield_now();
    }
    assert_eq!(object.number(), 7);
    session.beside.swap(false, Ordering::AcqRel);
    Ok(())
}

fn session(dropped: &Arc<AtomicUsize>) -> (Arc<Table<Session>>, usize) {
    let table = table();
    let session = OneCall::new(Object::new(7, dropped), AtomicBool::new(false));
    let number = table.insert::<H>(session).addr();
    (table, number)
}

/// `akunu_session_free`, as `free_after` in `options.rs` has it.
fn free(table: &Table<Session>, number: usize) {
    if let Some(session) = table.take(handle(number)).unwrap() {
        session.close();
    }
}

#[test]
fn a_cancel_from_another_thread_ends_a_call() {
    loom::model(|| {
        let dropped = Arc::new(AtomicUsize::new(0));
        let (table, number) = session(&dropped);
        let other = Arc::clone(&table);
        let runs = thread::spawn(move || generate(&other.get(handle(number)).unwrap()));
        table.cancel(handle(number)).unwrap();
        assert_eq!(runs.join().unwrap(), Ok(()));
        free(&table, number);
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
    });
}

/// A free ends the call that runs, and those that have found the object and have not begun; all of them before the object goes.
fn free_while(calls: usize, switches: usize) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(switches);
    model.check(move || {
        let dropped = Arc::new(AtomicUsize::new(0));
        let (table, number) = session(&dropped);
        let call = || {
            let table = Arc::clone(&table);
            thread::spawn(move || {
                if let Ok(session) = table.get(handle(number)) {
                    // Runs and is ended, or is refused.
                    let _ = generate(&session);
                }
            })
        };
        let calls: Vec<_> = (0..calls).map(|_| call()).collect();
        free(&table, number);
        calls.into_iter().for_each(|c| c.join().unwrap());
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn a_free_ends_what_runs() {
    free_while(1, 4);
}

#[test]
fn a_free_ends_what_was_about_to_run() {
    free_while(2, 3);
}
