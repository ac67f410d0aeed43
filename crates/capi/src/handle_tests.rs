//! Tests of `handle.rs`, which is compiled elsewhere too (`tests/handles`: what threads do to one another).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::handle::{OneCall, Table, Why};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

struct H;

#[test]
fn a_freed_handle_is_none_though_its_place_is_taken() {
    let table = Table::new("thing", 3);
    let a: *mut H = table.insert(1);
    assert_eq!(*table.get(a).unwrap(), 1);
    assert_eq!(table.take(a).unwrap().as_deref(), Some(&1));
    let b: *mut H = table.insert(2);
    assert_eq!(b.addr() as u32, a.addr() as u32, "the place is the same");
    assert_eq!(table.get(a).unwrap_err().why, Why::Freed);
    assert_eq!(table.take(a).unwrap_err().why, Why::Freed);
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
        let why = if number == 0 { Why::Null } else { Why::Freed };
        assert_eq!(table.get(handle).unwrap_err().why, why, "{number:x}");
        match number {
            0 => assert!(table.take(handle).unwrap().is_none()),
            _ => assert_eq!(table.take(handle).unwrap_err().why, Why::Freed),
        }
    }
}

#[test]
fn a_place_whose_generations_are_used_up_is_not_given_again() {
    let table = Table::new("thing", 3);
    let a: *mut H = table.insert(1);
    table.take(a).unwrap();
    table.wear_out();
    let b: *mut H = table.insert(2);
    assert!(table.take(b).unwrap().is_some());
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
                    taken.fetch_add(usize::from(table.take(handle).is_ok()), Ordering::SeqCst);
                    drop(used);
                }
            });
        }
    });
    assert_eq!((taken.load(Ordering::SeqCst), DROPPED.load(Ordering::SeqCst)), (64, 64));
}

#[test]
fn one_call_at_a_time_until_it_is_closed() {
    let table = Table::new("thing", 3);
    let handle: *mut H = table.insert(OneCall::new(5, AtomicBool::new(false)));
    let one = table.get(handle).unwrap();
    let inside = table.enter(&one).unwrap();
    let refused = table.enter(&one).unwrap_err();
    assert_eq!(refused.why, Why::Busy);
    assert!(refused.to_string().contains("this thing; wait"), "{refused}");
    assert!(!one.beside.load(Ordering::SeqCst));
    table.cancel(handle).unwrap();
    assert!(one.beside.swap(false, Ordering::SeqCst));
    one.close();
    assert!(one.beside.load(Ordering::SeqCst), "who is inside is told");
    assert_eq!((*inside, one.enter().unwrap_err()), (5, Why::Busy));
    drop(inside);
    assert_eq!(table.enter(&one).unwrap_err().why, Why::Freed);
    table.take(handle).unwrap();
    assert_eq!(table.cancel(handle).unwrap_err().why, Why::Freed);
    // A panic inside leaves it usable.
    let one = std::sync::Arc::new(OneCall::new(6, AtomicBool::new(false)));
    let other = std::sync::Arc::clone(&one);
    let panics = std::thread::spawn(move || {
        let _inside = other.enter().unwrap();
        std::panic::resume_unwind(Box::new(()));
    });
    assert!(panics.join().is_err());
    assert_eq!(*one.enter().unwrap(), 6);
}
