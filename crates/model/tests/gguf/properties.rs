//! Mutations of a valid file: whatever comes of them, no panic, and no allocation that the file's size does not
//! justify.

use crate::tiny;
use akunu_model::WeightSource;
use akunu_model::gguf::{GgufFile, GgufSource};
use proptest::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Remembers each thread's largest allocation.
struct Watching;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on unchanged to the system's allocator, which upholds the trait's contract; the
// counter is a constant-initialised thread local without destructor, so touching it never allocates.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.with(|l| l.set(l.get().max(layout.size())));
        // SAFETY: the caller upholds `alloc`'s contract.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds `dealloc`'s contract, and `alloc` took `ptr` from the same allocator.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static WATCHING: Watching = Watching;

#[derive(Clone, Debug)]
enum Mutation {
    Flip(u8),
    Overwrite(u64),
    Insert(u64),
    Remove(usize),
    Cut,
}

fn huge() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(1 << 63),
        Just(u64::MAX),
        Just(u64::MAX - 31),
        Just(1 << 32),
        Just(0),
        (0u32..64).prop_map(|s| 1 << s),
        any::<u64>()
    ]
}

fn mutation() -> impl Strategy<Value = Mutation> {
    prop_oneof![
        4 => any::<u8>().prop_map(Mutation::Flip),
        3 => huge().prop_map(Mutation::Overwrite),
        2 => huge().prop_map(Mutation::Insert),
        1 => (1usize..64).prop_map(Mutation::Remove),
        1 => Just(Mutation::Cut),
    ]
}

fn mutate(bytes: &mut Vec<u8>, at: usize, m: &Mutation) {
    let at = at % bytes.len();
    match *m {
        Mutation::Flip(bits) => bytes[at] ^= bits,
        Mutation::Overwrite(v) => {
            let n = (bytes.len() - at).min(8);
            bytes[at..at + n].copy_from_slice(&v.to_le_bytes()[..n]);
        }
        Mutation::Insert(v) => drop(bytes.splice(at..at, v.to_le_bytes())),
        Mutation::Remove(n) => drop(bytes.drain(at..(at + n).min(bytes.len()))),
        Mutation::Cut => bytes.truncate(at.max(1)),
    }
    if bytes.is_empty() {
        bytes.push(0);
    }
}

/// Uses all of a file that opened.
fn use_everything(file: GgufFile) {
    for (key, value) in file.metadata() {
        std::hint::black_box((key, value.to_string()));
        let _ = (file.get_strs(key), file.get_i64s(key), file.get_f32s(key), file.get_str(key));
    }
    for t in file.tensors() {
        if let Some(n) = t.bytes() {
            let mut out = vec![0; usize::try_from(n).expect("inside the file")];
            file.read(t, 0, &mut out).expect("inside the file");
        }
    }
    if let Ok(source) = GgufSource::new(file) {
        for t in source.tensors() {
            let mut out = vec![0; t.bytes as usize];
            source.read(t, 0, &mut out).expect("inside the file");
            let _ = source.check_finite(t, 0, &out);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_mutation_panics_or_allocates_beyond_the_file(
        changes in prop::collection::vec((any::<prop::sample::Index>(), mutation()), 1..6)
    ) {
        let mut bytes = tiny::bytes();
        // The rest of the file is weights, where a change means nothing to the reader.
        let header = tiny::header_bytes();
        for (at, m) in &changes {
            mutate(&mut bytes, at.index(header), m);
        }
        let disk = tiny::file(&bytes);
        LARGEST.with(|l| l.set(0));
        if let Ok(file) = GgufFile::open(disk.path()) {
            use_everything(file);
        }
        // A decoded value takes 32 bytes at most for each byte in the file.
        let largest = LARGEST.with(Cell::get);
        prop_assert!(largest <= 32 * bytes.len() + 4096, "{largest} bytes for a file of {}", bytes.len());
    }
}
