//! The emulator finds what it is there for. These tests need clang; tools/metal.sh runs them.

use super::*;

/// A kernel's text: `body` has `t`, the thread, `x`, 64 words of the device, and `s`, 64 of the threadgroup.
macro_rules! kernel {
    ($body:literal) => {
        concat!(
            "#include <metal_stdlib>\nusing namespace metal;\nstruct Args_0\n{\n    uint device* x_0;\n};\n",
            "[[kernel]] void main_0(uint3 t_0 [[thread_position_in_threadgroup]], Args_0 constant* args_1 [[buffer(0)]])\n{\n",
            "    threadgroup array<uint, int(64)> s_0;\n    array<uint, int(64)> threadgroup* s;\n    s = &s_0;\n",
            "    uint t = t_0.x;\n    uint device* x = args_1->x_0;\n",
            $body,
            "\n}\n"
        )
    };
}

/// What 64 threads of a kernel leave in 64 words, which were 0 to 63, in an order.
fn left(text: &'static str, order: u32) -> Result<Vec<u32>, String> {
    let device =
        EmulatedDevice::emulated(Options { order, ..Options::default() }).map_err(|e| e.to_string())?;
    let gpu = &device.context.gpu;
    let run = || -> Result<(Arc<Bytes>, State), DeviceError> {
        let (words, args) = (gpu.buffer("words", 256)?, gpu.buffer("args", 8)?);
        for i in 0..64u32 {
            // SAFETY: 64 aligned words of a new buffer.
            unsafe { Emulator::contents(&words).cast::<u32>().add(i as usize).write(i) };
        }
        // SAFETY: 8 aligned bytes of a new buffer.
        unsafe { Emulator::contents(&args).cast::<u64>().write(Emulator::address(&words)) };
        let pipeline = gpu.pipeline("test", text, &[], 64)?;
        let command = Encoded { pipeline: &pipeline, args: 0, groups: [1; 3], threads: 64, barrier: true };
        let table = gpu.encode(&[command], &args, &[&words])?;
        let run = Run { table: &table, begin: 0..1, step: 0..0, steps: 0, signalled: 0 };
        let work = gpu.commit(&run, &gpu.event()?)?;
        Ok((words, gpu.finish(&work)))
    };
    let (words, state) = run().map_err(|e| e.to_string())?;
    match state {
        State::Ended(_) => {
            // SAFETY: 64 aligned words that nothing writes any more.
            let words = unsafe { std::slice::from_raw_parts(Emulator::contents(&words).cast::<u32>(), 64) };
            Ok(words.to_vec())
        }
        State::Failed(what) => Err(what),
        State::Running => Err("it has not ended".into()),
    }
}

#[test]
#[ignore = "needs clang and time; tools/metal.sh"]
fn metal_a_missing_barrier_shows_in_another_order() {
    let whole =
        kernel!("(*s)[t] = x[t];\nthreadgroup_barrier(mem_flags::mem_threadgroup);\nx[t] = (*s)[63U - t];");
    let wanted: Vec<u32> = (0..64).rev().collect();
    for order in 0..4 {
        assert_eq!(left(whole, order).as_ref(), Ok(&wanted), "order {order}");
    }
    let without = kernel!("(*s)[t] = x[t];\nx[t] = (*s)[63U - t];");
    assert_ne!(left(without, 0), left(without, 1));
}

/// What the Slang compiler once made of a reduction: the result was read after the barrier that lets others overwrite it.
#[test]
#[ignore = "needs clang and time; tools/metal.sh"]
fn metal_a_read_after_the_last_barrier_shows() {
    let moved = kernel!(
        "(*s)[t] = x[t];\nthreadgroup_barrier(mem_flags::mem_threadgroup);\nx[t] = (*s)[0U];\n(*s)[t] = 7U;\n\
         threadgroup_barrier(mem_flags::mem_threadgroup);"
    );
    assert_ne!(left(moved, 0), left(moved, 1));
}

#[test]
#[ignore = "needs clang and time; tools/metal.sh"]
fn metal_a_barrier_that_some_do_not_reach_is_an_error() {
    let some = kernel!("if(t < 32U)\n{\nthreadgroup_barrier(mem_flags::mem_threadgroup);\n}\nx[t] = 1U;");
    let e = left(some, 0).unwrap_err();
    assert!(
        e.contains("`test`") && e.contains("not all threads") && e.contains("threadgroup_barrier"),
        "{e}"
    );
    let two = kernel!(
        "if(t < 32U)\n{\nthreadgroup_barrier(mem_flags::mem_threadgroup);\n}\nelse\n{\n\
         threadgroup_barrier(mem_flags::mem_threadgroup);\n}"
    );
    assert!(left(two, 0).unwrap_err().contains("not all threads"));
}

#[test]
#[ignore = "needs clang and time; tools/metal.sh"]
fn metal_pointers_of_another_address_space_are_refused() {
    let e = left(kernel!("uint threadgroup* p = x;\nx[t] = *p;"), 0).unwrap_err();
    assert!(e.contains("address space") && e.contains("test.metal"), "{e}");
}

#[test]
#[ignore = "needs clang and time; tools/metal.sh"]
fn metal_too_much_threadgroup_memory_is_an_error() {
    let e = left(kernel!("threadgroup array<uint, int(8192)> more_0;\nx[t] = 0U;"), 0).unwrap_err();
    assert!(e.contains("32 KiB"), "{e}");
}

/// A weak exchange may fail although nobody was quicker, so who relies on one alone is found.
#[test]
#[ignore = "needs clang and time; tools/metal.sh"]
fn metal_weak_exchanges_fail_now_and_then() {
    let once = kernel!(
        "(*s)[t] = 0U;\nuint expected = 0U;\natomic_compare_exchange_weak_explicit(((atomic_uint threadgroup*)(&(*s)[t])), \
         &expected, 5U, memory_order_relaxed, memory_order_relaxed);\nx[t] = (*s)[t];"
    );
    let all = left(once, 0).unwrap();
    assert!(all.contains(&5) && all.contains(&0), "{all:?}");
}
