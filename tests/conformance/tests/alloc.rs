//! After load the token path does not allocate, on any thread.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::device::null::NullDevice;
use akunu::files::synthetic::Synthetic;
use akunu::kernels::Machine;
use akunu::kernels::cpu::{LEVELS, Level};
use akunu::plan::Target;
use akunu::{Control, DecodeOptions, Eos, LoadOptions, Model, Sampling};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(ptr, layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test, because the counter counts every thread of the process.
#[test]
fn decoding_128_tokens_does_not_allocate() {
    let mut devices: Vec<(String, Arc<dyn Device>)> =
        vec![("null".into(), Arc::new(NullDevice::new(Target::of(Machine::Cpu(Level::Portable)))))];
    // The reference twins are plain on purpose and allocate; they are not a token path anyone waits for.
    for level in LEVELS.iter().copied().filter(|l| *l != Level::Reference && l.available()) {
        devices.push((level.to_string(), Arc::new(CpuDevice::with_level(level, Some(2)).unwrap())));
    }
    for (name, device) in devices {
        for spec in
            ["tiny-llama:q4_0", "tiny-llama:q4_1", "tiny-llama:q8_0", "tiny-llama:bf16", "tiny-llama:f16"]
        {
            let options = LoadOptions { context: Some(300), ..LoadOptions::default() };
            let source = Box::new(Synthetic::parse(spec).unwrap());
            let model = Model::load_on(source, Arc::clone(&device), &options, &mut |_| {}).unwrap();
            let mut session = model.session().unwrap();
            session.append(&[1, 2, 3]).unwrap();
            let before = ALLOCATIONS.load(Ordering::SeqCst);
            let mut sum = 0u64;
            for sampling in [Sampling::greedy(), Sampling::DEFAULT] {
                let options = DecodeOptions { max_tokens: 64, sampling, eos: Eos::Ignore, chunk: None };
                let decoded = session
                    .decode(&options, &mut |t| {
                        sum += u64::from(t);
                        Control::Continue
                    })
                    .unwrap();
                assert_eq!(decoded.tokens, 64);
            }
            let made = ALLOCATIONS.load(Ordering::SeqCst) - before;
            assert_eq!(made, 0, "{name} {spec}: allocations in 128 tokens (token sum {sum})");
        }
    }
}
