//! What no caller should do: NULL everywhere, freed handles, wrong sizes, text that is none, absurd counts, several threads at once.
#![allow(
    clippy::unwrap_used,
    clippy::undocumented_unsafe_blocks,
    reason = "a test fails by panicking; its calls keep the header's contract"
)]

use akunu::Token;
use akunu_capi::*;
use akunu_conformance::{TOOLS_TEMPLATE, tiny_gguf_chatting};
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};

fn last() -> String {
    unsafe { CStr::from_ptr(akunu_last_error()) }.to_str().unwrap().to_owned()
}

#[track_caller]
fn fails(status: akunu_status, code: akunu_status, what: &str) {
    assert_eq!(status, code, "{}", last());
    assert_eq!(akunu_last_error_code(), code);
    assert!(last().contains(what), "`{what}` is not in: {}", last());
}

#[track_caller]
fn works(status: akunu_status) {
    assert_eq!(status, AKUNU_OK, "{}", last());
}

fn write_tiny(dir: &Path) -> CString {
    let path = dir.join("tiny.gguf");
    std::fs::write(&path, tiny_gguf_chatting("tiny-llama:q8_0", Token(1023), &[], TOOLS_TEMPLATE).unwrap())
        .unwrap();
    CString::new(path.to_str().unwrap()).unwrap()
}

fn load_options() -> akunu_load_options {
    let mut o: akunu_load_options = unsafe { std::mem::zeroed() };
    works(unsafe { akunu_load_options_init(&mut o, size_of_val(&o)) });
    (o.context, o.threads, o.device) = (256, 1, c"cpu".as_ptr());
    o
}

fn load(path: &CStr) -> *mut akunu_model {
    let mut model = null_mut();
    works(unsafe { akunu_model_load(path.as_ptr(), &load_options(), &mut model) });
    model
}

/// A loaded tiny model; the folder of its file vanishes at once.
fn tiny() -> *mut akunu_model {
    let dir = tempfile::tempdir().unwrap();
    load(&write_tiny(dir.path()))
}

fn generate_options() -> akunu_generate_options {
    let mut o: akunu_generate_options = unsafe { std::mem::zeroed() };
    works(unsafe { akunu_generate_options_init(&mut o, size_of_val(&o)) });
    o
}

fn session(model: *mut akunu_model) -> *mut akunu_session {
    let mut session = null_mut();
    works(unsafe { akunu_session_new(model, null(), &mut session) });
    session
}

fn engine(model: *mut akunu_model) -> *mut akunu_engine {
    let mut engine = null_mut();
    works(unsafe { akunu_engine_new(model, null(), &mut engine) });
    engine
}

#[test]
fn null_is_an_error_everywhere() {
    let h = AKUNU_ERROR_HANDLE;
    let a = AKUNU_ERROR_ARGUMENT;
    unsafe {
        fails(akunu_model_load(null(), null(), &mut null_mut()), a, "`name` is NULL");
        fails(akunu_model_load(c"x".as_ptr(), null(), null_mut()), a, "`model` is NULL");
        fails(akunu_model_get_info(null(), null_mut()), h, "akunu_model is NULL");
        fails(akunu_model_get_memory(null(), null_mut()), h, "NULL");
        fails(akunu_model_get_region(null(), 0, null_mut()), h, "NULL");
        fails(akunu_model_render_chat(null(), null(), null(), null_mut(), 0, null_mut()), h, "NULL");
        fails(akunu_tokenizer_load(null(), &mut null_mut()), a, "`name` is NULL");
        fails(akunu_tokenizer_new(null(), &mut null_mut()), h, "NULL");
        fails(akunu_tokenizer_encode(null(), null(), 0, 0, null_mut(), 0, null_mut()), h, "NULL");
        fails(akunu_tokenizer_decode(null(), null(), 0, null_mut(), 0, null_mut()), h, "NULL");
        fails(akunu_tokenizer_eos(null(), null_mut(), 0, null_mut()), h, "NULL");
        fails(akunu_grammar_new(null(), 1, null(), 0, &mut null_mut()), h, "NULL");
        fails(akunu_sampling_init(null_mut(), size_of::<akunu_sampling>(), null()), a, "NULL");
        fails(akunu_generate_options_init(null_mut(), 64), a, "NULL");
        fails(akunu_load_options_init(null_mut(), 64), a, "NULL");
        fails(akunu_session_new(null(), null(), &mut null_mut()), h, "NULL");
        fails(akunu_session_append(null(), null(), 0), h, "NULL");
        fails(akunu_session_append_text(null(), null(), 0), h, "NULL");
        fails(akunu_session_generate(null(), null(), None, null_mut(), null_mut()), h, "NULL");
        fails(akunu_session_decode(null(), null(), null_mut(), 0, null_mut()), h, "NULL");
        fails(akunu_session_prefill(null()), h, "NULL");
        fails(akunu_session_tokens(null(), null_mut(), 0, null_mut()), h, "NULL");
        fails(akunu_session_rewind(null(), 0), h, "NULL");
        fails(akunu_session_shift(null(), 0, 0), h, "NULL");
        fails(akunu_session_logits(null(), null_mut(), 0, null_mut()), h, "NULL");
        fails(akunu_session_save(null(), null()), h, "NULL");
        fails(akunu_session_load(null(), null()), h, "NULL");
        fails(akunu_session_profile(null(), 1, 1, 1, &mut null_mut()), h, "NULL");
        fails(akunu_session_cancel(null()), h, "NULL");
        fails(akunu_profile_get_row(null(), 0, null_mut()), h, "NULL");
        fails(akunu_engine_new(null(), null(), &mut null_mut()), h, "NULL");
        fails(akunu_engine_submit(null(), null(), 0, null(), &mut null_mut()), h, "NULL");
        fails(akunu_engine_submit_text(null(), null(), 0, null(), &mut null_mut()), h, "NULL");
        fails(akunu_engine_submit_chat(null(), null(), null(), null(), null(), &mut null_mut()), h, "NULL");
        fails(akunu_engine_get_status(null(), null_mut()), h, "NULL");
        fails(akunu_answer_next(null(), 0, null_mut()), a, "`event` is NULL");
        fails(akunu_answer_cancel(null()), h, "NULL");
        fails(akunu_embedder_new(null(), null(), &mut null_mut()), h, "NULL");
        fails(akunu_embedder_dimensions(null(), null_mut()), h, "NULL");
        fails(akunu_embedder_embed(null(), null(), 0, null_mut(), 0), h, "NULL");
        works(akunu_set_log(None, null_mut()));
    }
    assert_eq!(akunu_profile_step_seconds(null()), 0.0);
    akunu_model_free(null_mut());
    akunu_session_free(null_mut());
    akunu_engine_free(null_mut());
    akunu_answer_free(null_mut());
    akunu_tokenizer_free(null_mut());
    akunu_grammar_free(null_mut());
    akunu_profile_free(null_mut());
    akunu_embedder_free(null_mut());
    // With handles that are good, the other pointers.
    let model = tiny();
    let (s, e) = (session(model), engine(model));
    unsafe {
        fails(akunu_model_get_info(model, null_mut()), a, "akunu_model_info");
        fails(akunu_session_new(model, null(), null_mut()), a, "`session` is NULL");
        fails(akunu_session_append(s, null(), 3), a, "`tokens` is NULL and should have 3 values");
        fails(akunu_session_append_text(s, null(), 3), a, "`text` is NULL");
        works(akunu_session_append_text(s, null(), 0));
        works(akunu_session_tokens(s, null_mut(), 0, null_mut()));
        works(akunu_session_append_text(s, c"abc".as_ptr(), AKUNU_NUL));
        fails(akunu_session_decode(s, null(), null_mut(), 4, null_mut()), a, "`tokens` is NULL");
        fails(akunu_session_save(s, null()), a, "`path` is NULL");
        fails(akunu_engine_submit_text(e, null(), AKUNU_NUL, null(), &mut null_mut()), a, "`text` is NULL");
        fails(
            akunu_engine_submit_chat(e, null(), null(), null(), null(), &mut null_mut()),
            a,
            "`messages` is NULL",
        );
        fails(akunu_engine_submit_text(e, c"a".as_ptr(), 1, null(), null_mut()), a, "`answer` is NULL");
    }
    akunu_session_free(s);
    akunu_engine_free(e);
    akunu_model_free(model);
}

#[test]
fn freed_and_wrong_handles_are_errors() {
    let model = tiny();
    let (s, e) = (session(model), engine(model));
    akunu_model_free(model);
    fails(unsafe { akunu_session_new(model, null(), &mut null_mut()) }, AKUNU_ERROR_HANDLE, "was freed");
    // What was made of it goes on.
    works(unsafe { akunu_session_append_text(s, c"abc".as_ptr(), AKUNU_NUL) });
    let mut tokens = [0u32; 4];
    works(unsafe { akunu_session_decode(s, null(), tokens.as_mut_ptr(), 4, null_mut()) });
    let mut answer = null_mut();
    works(unsafe { akunu_engine_submit_text(e, c"abc".as_ptr(), 3, null(), &mut answer) });
    // One kind for another, and numbers that are none.
    fails(
        unsafe { akunu_session_append(e.cast(), null(), 0) },
        AKUNU_ERROR_HANDLE,
        "akunu_session was freed",
    );
    fails(akunu_answer_cancel(s.cast()), AKUNU_ERROR_HANDLE, "");
    fails(akunu_session_rewind(std::ptr::without_provenance(16), 0), AKUNU_ERROR_HANDLE, "");
    // Twice.
    akunu_session_free(s);
    akunu_session_free(s);
    assert_eq!(akunu_last_error_code(), AKUNU_ERROR_HANDLE);
    fails(akunu_session_prefill(s), AKUNU_ERROR_HANDLE, "was freed");
    // An engine that is freed ends its answers.
    akunu_engine_free(e);
    let mut event: akunu_event = unsafe { std::mem::zeroed() };
    event.size = size_of_val(&event);
    let mut n = 0;
    let end = loop {
        match unsafe { akunu_answer_next(answer, 10_000, &mut event) } {
            AKUNU_OK => n += 1,
            end => break end,
        }
    };
    assert!(end == AKUNU_DONE || end == AKUNU_ERROR_STOPPED, "{end} after {n}: {}", last());
    akunu_answer_free(answer);
    fails(unsafe { akunu_answer_next(answer, 0, &mut event) }, AKUNU_ERROR_HANDLE, "was freed");
}

#[test]
fn sizes_that_are_none_are_errors_and_others_work() {
    let model = tiny();
    unsafe {
        let mut info: akunu_model_info = std::mem::zeroed();
        for size in [0, 7, 1 << 20, usize::MAX] {
            info.size = size;
            fails(akunu_model_get_info(model, &mut info), AKUNU_ERROR_ARGUMENT, "sizeof(akunu_model_info)");
        }
        info.size = size_of_val(&info);
        works(akunu_model_get_info(model, &mut info));
        assert_eq!((info.context, info.vocabulary, info.has_chat_template), (256, 1024, 1));
        assert_eq!(CStr::from_ptr(info.architecture), c"llama");

        // A program that knows a later version: works as long as it asks for nothing new.
        #[repr(C)]
        struct Later {
            options: akunu_generate_options,
            new: u64,
        }
        let mut later: Later = std::mem::zeroed();
        works(akunu_generate_options_init(&raw mut later.options, size_of::<Later>()));
        assert_eq!(later.options.size, size_of::<Later>());
        later.options.max_tokens = 2;
        let e = engine(model);
        let mut answer = null_mut();
        works(akunu_engine_submit_text(e, c"abc".as_ptr(), 3, (&raw const later).cast(), &mut answer));
        akunu_answer_free(answer);
        later.new = 1;
        let status = akunu_engine_submit_text(e, c"abc".as_ptr(), 3, (&raw const later).cast(), &mut answer);
        fails(status, AKUNU_ERROR_ARGUMENT, "use a newer library");
        akunu_engine_free(e);

        // A result with more room than there is to say.
        let mut wide = [0xffu8; 128];
        let to: *mut akunu_memory = wide.as_mut_ptr().cast();
        if to.is_aligned() {
            to.cast::<usize>().write(128);
            works(akunu_model_get_memory(model, to));
            assert!((*to).weights > 0 && (*to).session_cache > 0 && wide[64..].iter().all(|b| *b == 0));
        }
        let odd: *mut akunu_model_info = std::ptr::without_provenance_mut(4097);
        fails(akunu_model_get_info(model, odd), AKUNU_ERROR_ARGUMENT, "odd address");
    }
    akunu_model_free(model);
}

#[test]
fn texts_that_are_none_and_absurd_counts_are_errors() {
    let model = tiny();
    let (s, e) = (session(model), engine(model));
    let bad = [b'a', b'b', 0xc3, 0x28, 0];
    unsafe {
        let text: *const c_char = bad.as_ptr().cast();
        fails(akunu_session_append_text(s, text, AKUNU_NUL), AKUNU_ERROR_ARGUMENT, "no UTF-8 from byte 2 on");
        fails(akunu_model_load(text, null(), &mut null_mut()), AKUNU_ERROR_ARGUMENT, "`name` is no UTF-8");
        fails(akunu_session_append_text(s, text, usize::MAX - 1), AKUNU_ERROR_ARGUMENT, "check the count");
        let token = [1u32];
        for count in [usize::MAX, usize::MAX / 2, 1 << 61] {
            fails(akunu_session_append(s, token.as_ptr(), count), AKUNU_ERROR_ARGUMENT, "check the count");
            let status = akunu_engine_submit(e, token.as_ptr(), count, null(), &mut null_mut());
            fails(status, AKUNU_ERROR_CONTEXT_FULL, "do not fit");
        }
        fails(akunu_session_append(s, [5000u32].as_ptr(), 1), AKUNU_ERROR_ARGUMENT, "outside the vocabulary");
        fails(akunu_session_append(s, [7u32; 300].as_ptr(), 300), AKUNU_ERROR_CONTEXT_FULL, "context of 256");
        fails(akunu_session_generate(s, null(), None, null_mut(), null_mut()), AKUNU_ERROR_ARGUMENT, "empty");
        fails(akunu_session_rewind(s, 9), AKUNU_ERROR_ARGUMENT, "rewind");
        fails(akunu_session_shift(s, u32::MAX, u32::MAX), AKUNU_ERROR_ARGUMENT, "cannot keep");
        fails(akunu_session_profile(s, 0, 0, 0, &mut null_mut()), AKUNU_ERROR_ARGUMENT, "at least 1");

        let mut o = generate_options();
        let submit =
            |o: &akunu_generate_options| akunu_engine_submit_text(e, c"a".as_ptr(), 1, o, &mut null_mut());
        (o.stop_count, o.stop) = (usize::MAX, null());
        fails(submit(&o), AKUNU_ERROR_ARGUMENT, "at most 64");
        o.stop_count = 2;
        fails(submit(&o), AKUNU_ERROR_ARGUMENT, "`stop` is NULL");
        (o.stop_count, o.overflow) = (0, 9);
        fails(submit(&o), AKUNU_ERROR_ARGUMENT, "AKUNU_OVERFLOW_");
        (o.overflow, o.ignore_eos) = (0, 2);
        fails(submit(&o), AKUNU_ERROR_ARGUMENT, "choose 0 or 1");
        (o.ignore_eos, o.reasoning_budget) = (0, 5);
        fails(submit(&o), AKUNU_ERROR_ARGUMENT, "no thoughts");
        let mut sampling: akunu_sampling = std::mem::zeroed();
        let p = &raw mut sampling;
        works(akunu_sampling_init(p, size_of::<akunu_sampling>(), model));
        (o.reasoning_budget, o.sampling) = (0, p);
        (*p).temperature = f32::NAN;
        fails(submit(&o), AKUNU_ERROR_ARGUMENT, "temperature");
        ((*p).temperature, (*p).samplers) = (1.0, c"top_k;nonsense".as_ptr());
        fails(submit(&o), AKUNU_ERROR_ARGUMENT, "nonsense");
        ((*p).samplers, (*p).logit_bias_count) = (null(), usize::MAX);
        fails(submit(&o), AKUNU_ERROR_ARGUMENT, "`logit_bias` is NULL");
        ((*p).logit_bias_count, (*p).grammar) = (0, std::ptr::without_provenance(5));
        fails(submit(&o), AKUNU_ERROR_HANDLE, "akunu_grammar");

        fails(
            akunu_grammar_new(model, 0, c"x".as_ptr(), 1, &mut null_mut()),
            AKUNU_ERROR_ARGUMENT,
            "AKUNU_GRAMMAR_",
        );
        fails(
            akunu_grammar_new(model, 2, c"(".as_ptr(), 1, &mut null_mut()),
            AKUNU_ERROR_GRAMMAR,
            "regular expression",
        );
        fails(
            akunu_model_load(c"/no/such.gguf".as_ptr(), null(), &mut null_mut()),
            AKUNU_ERROR_MODEL,
            "/no/such.gguf",
        );
        let mut lo = load_options();
        lo.device = c"toaster".as_ptr();
        fails(
            akunu_model_load(c"synthetic:tiny-llama:q8_0".as_ptr(), &lo, &mut null_mut()),
            AKUNU_ERROR_ARGUMENT,
            "toaster",
        );
        let chat = akunu_engine_submit_chat(e, c"[{}]".as_ptr(), null(), null(), null(), &mut null_mut());
        fails(chat, AKUNU_ERROR_ARGUMENT, "`role` at index 0");
        fails(akunu_embedder_new(model, null(), &mut null_mut()), AKUNU_ERROR_ARGUMENT, "encoder");
    }
    akunu_session_free(s);
    akunu_engine_free(e);
    akunu_model_free(model);
}

#[test]
fn buffers_that_are_too_small_say_what_they_need() {
    let model = tiny();
    let mut t = null_mut();
    unsafe {
        works(akunu_tokenizer_new(model, &mut t));
        let mut n = 0;
        let encode = |to: *mut u32, capacity, n: &mut usize| {
            akunu_tokenizer_encode(t, c"hello".as_ptr(), AKUNU_NUL, 3, to, capacity, n)
        };
        fails(encode(null_mut(), 0, &mut n), AKUNU_ERROR_BUFFER, "give a larger one");
        let mut ids = vec![0u32; n];
        works(encode(ids.as_mut_ptr(), n, &mut n));
        let mut text = [1 as c_char; 6];
        let status = akunu_tokenizer_decode(t, ids.as_ptr(), ids.len(), text.as_mut_ptr(), 5, &mut n);
        fails(status, AKUNU_ERROR_BUFFER, "needs 6");
        assert_eq!((n, text), (5, [1; 6]), "nothing is written");
        works(akunu_tokenizer_decode(t, ids.as_ptr(), ids.len(), text.as_mut_ptr(), 6, &mut n));
        assert_eq!(CStr::from_ptr(text.as_ptr()), c"hello");
        let s = session(model);
        fails(akunu_session_logits(s, null_mut(), 0, &mut n), AKUNU_ERROR_BUFFER, "1024");
        works(akunu_session_append(s, ids.as_ptr(), ids.len()));
        let mut logits = vec![0f32; n];
        works(akunu_session_logits(s, logits.as_mut_ptr(), n, &mut n));
        assert!(logits.iter().all(|v| v.is_finite()) && logits.iter().any(|v| *v != 0.0));
        akunu_session_free(s);
    }
    akunu_tokenizer_free(t);
    akunu_model_free(model);
}

#[test]
fn a_session_serves_one_call_at_a_time_and_its_callback_may_only_cancel() {
    unsafe extern "C-unwind" fn inside(token: *const akunu_token, data: *mut c_void) -> i32 {
        let s: *const akunu_session = data.cast();
        unsafe {
            assert_eq!((*token).size, size_of::<akunu_token>());
            fails(akunu_session_append(s, null(), 0), AKUNU_ERROR_BUSY, "cancel it");
            works(akunu_session_cancel(s));
        }
        0
    }
    let model = tiny();
    let s = session(model);
    let mut g: akunu_generation = unsafe { std::mem::zeroed() };
    g.size = size_of_val(&g);
    unsafe {
        works(akunu_session_append_text(s, c"once upon a time".as_ptr(), AKUNU_NUL));
        works(akunu_session_generate(s, null(), Some(inside), s.cast(), &mut g));
    }
    assert_eq!(g.finish, AKUNU_FINISH_CANCELLED);
    // It goes on from there.
    let (mut more, mut n) = ([0u32; 5], 0);
    unsafe {
        let before = {
            let _ = akunu_session_tokens(s, null_mut(), 0, &mut n);
            n
        };
        works(akunu_session_decode(s, null(), more.as_mut_ptr(), 5, &mut g));
        let _ = akunu_session_tokens(s, null_mut(), 0, &mut n);
        assert_eq!((n, g.tokens), (before + 5, 5));
    }
    // Freed from another thread while it runs: the call ends by itself.
    let number = s.addr();
    std::thread::scope(|scope| {
        let running = scope.spawn(move || unsafe {
            akunu_session_generate(std::ptr::without_provenance(number), null(), None, null_mut(), null_mut())
        });
        akunu_session_free(s);
        let status = running.join().unwrap();
        assert!([AKUNU_OK, AKUNU_ERROR_HANDLE].contains(&status), "{status}");
    });
    akunu_model_free(model);
}

#[test]
fn tools_are_called_and_answers_wait_no_longer_than_asked() {
    let model = tiny();
    let e = engine(model);
    let tools = c"[{\"name\": \"add\", \"parameters\": {\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"boolean\"}}, \"required\": [\"a\"], \"additionalProperties\": false}}]";
    let messages = c"[{\"role\": \"user\", \"content\": \"do it\"}]";
    let mut answer = null_mut();
    let mut event: akunu_event = unsafe { std::mem::zeroed() };
    event.size = size_of_val(&event);
    let text = |p: *const c_char, n: usize| unsafe {
        std::str::from_utf8(std::slice::from_raw_parts(p.cast::<u8>(), n)).unwrap().to_owned()
    };
    let mut calls = Vec::new();
    unsafe {
        works(akunu_engine_submit_chat(
            e,
            messages.as_ptr(),
            tools.as_ptr(),
            c"add".as_ptr(),
            null(),
            &mut answer,
        ));
        loop {
            match akunu_answer_next(answer, 0, &mut event) {
                AKUNU_TIMED_OUT => std::thread::yield_now(),
                AKUNU_DONE => break,
                status => {
                    works(status);
                    if event.kind == AKUNU_EVENT_CALL {
                        calls
                            .push((text(event.name, event.name_length), text(event.text, event.text_length)));
                    }
                }
            }
        }
        akunu_answer_free(answer);
        let status = akunu_engine_submit_chat(
            e,
            messages.as_ptr(),
            tools.as_ptr(),
            c"sub".as_ptr(),
            null(),
            &mut answer,
        );
        fails(status, AKUNU_ERROR_ARGUMENT, "not among them");
    }
    assert_eq!(calls.len(), 1, "{calls:?}");
    let arguments: serde_json::Value = serde_json::from_str(&calls[0].1).unwrap();
    assert!(calls[0].0 == "add" && arguments["a"].is_boolean(), "{calls:?}");
    akunu_engine_free(e);
    akunu_model_free(model);
}

#[test]
fn profiles_and_regions_have_rows_with_names() {
    let model = tiny();
    let s = session(model);
    let mut profile = null_mut();
    unsafe {
        works(akunu_session_profile(s, 1, 8, 2, &mut profile));
        let mut row: akunu_profile_row = std::mem::zeroed();
        row.size = size_of_val(&row);
        let mut labels = Vec::new();
        while akunu_profile_get_row(profile, labels.len(), &mut row) == AKUNU_OK {
            assert!(row.seconds >= 0.0 && !CStr::from_ptr(row.kernel).is_empty());
            labels.push(CStr::from_ptr(row.label).to_str().unwrap().to_owned());
        }
        assert!(labels.iter().any(|l| l == "layers.1.attention.qkv"), "{labels:?}");
        assert!(akunu_profile_step_seconds(profile) > 0.0);
        let (mut region, mut weights, mut n): (akunu_region, u64, usize) = (std::mem::zeroed(), 0, 0);
        region.size = size_of_val(&region);
        while akunu_model_get_region(model, n, &mut region) == AKUNU_OK {
            weights += if region.kind == AKUNU_REGION_WEIGHTS { region.bytes } else { 0 };
            n += 1;
        }
        let mut memory: akunu_memory = std::mem::zeroed();
        memory.size = size_of_val(&memory);
        works(akunu_model_get_memory(model, &mut memory));
        assert!(n > 5 && weights == memory.weights);
    }
    akunu_profile_free(profile);
    akunu_session_free(s);
    akunu_model_free(model);
}

#[test]
fn a_progress_callback_can_end_the_loading() {
    unsafe extern "C-unwind" fn stop(_: u64, _: u64, data: *mut c_void) -> i32 {
        unsafe { *data.cast::<u32>() += 1 };
        1
    }
    let dir = tempfile::tempdir().unwrap();
    let path = write_tiny(dir.path());
    let mut calls = 0u32;
    let mut o = load_options();
    o.progress = Some(stop);
    o.user_data = (&raw mut calls).cast();
    let mut model = null_mut();
    fails(unsafe { akunu_model_load(path.as_ptr(), &o, &mut model) }, AKUNU_ERROR_CANCELLED, "callback");
    assert!(model.is_null() && calls == 1);
}

/// Everything that one load makes and frees comes back: memory does not grow over 1,000 of them.
#[test]
#[cfg(target_os = "linux")]
fn a_thousand_loads_leave_nothing() {
    let resident = || {
        let pages: u64 =
            std::fs::read_to_string("/proc/self/statm").unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        pages * 4096
    };
    let tasks = || std::fs::read_dir("/proc/self/task").unwrap().count();
    let dir = tempfile::tempdir().unwrap();
    let path = write_tiny(dir.path());
    let once = || {
        let model = load(&path);
        let (s, e) = (session(model), engine(model));
        let mut answer = null_mut();
        let mut token = [0u32; 1];
        unsafe {
            works(akunu_session_append_text(s, c"ab".as_ptr(), 2));
            works(akunu_session_decode(s, null(), token.as_mut_ptr(), 1, null_mut()));
            works(akunu_engine_submit_text(e, c"ab".as_ptr(), 2, null(), &mut answer));
        }
        akunu_answer_free(answer);
        akunu_engine_free(e);
        akunu_session_free(s);
        akunu_model_free(model);
    };
    (0..100).for_each(|_| once());
    let (before, threads) = (resident(), tasks());
    (0..900).for_each(|_| once());
    let grown = resident().saturating_sub(before);
    // A leak of one session's or engine's memory (over 100 KB) would be over 90 MB.
    assert!(grown < 24 << 20, "{grown} bytes more after 900 loads");
    assert!(tasks() <= threads, "{} threads after {threads}", tasks());
}

/// 64 threads ask one engine; some cancel, some free their answers in the middle. What is read to its end is what it is alone, and nothing
/// runs on.
#[test]
fn many_threads_ask_cancel_and_free() {
    let model = tiny();
    let mut engine_options: akunu_engine_options = unsafe { std::mem::zeroed() };
    let mut e = null_mut();
    unsafe {
        works(akunu_engine_options_init(&mut engine_options, size_of_val(&engine_options)));
        engine_options.deterministic = 1;
        works(akunu_engine_new(model, &engine_options, &mut e));
    }
    let number = e.addr();
    let submit = move |max_tokens, overflow| {
        let o = akunu_generate_options { max_tokens, overflow, ignore_eos: 1, ..generate_options() };
        let mut answer = null_mut();
        let e: *const akunu_engine = std::ptr::without_provenance(number);
        works(unsafe { akunu_engine_submit_text(e, c"once upon".as_ptr(), AKUNU_NUL, &o, &mut answer) });
        answer
    };
    // Tokens, and why it ended.
    let read = |answer: *mut akunu_answer, cancel: bool| {
        let (mut tokens, mut finish) = (Vec::new(), 0);
        let mut event: akunu_event = unsafe { std::mem::zeroed() };
        event.size = size_of_val(&event);
        loop {
            match unsafe { akunu_answer_next(answer, 60_000, &mut event) } {
                AKUNU_DONE => break,
                status => works(status),
            }
            match event.kind {
                AKUNU_EVENT_TOKEN => tokens.push(event.token),
                AKUNU_EVENT_END => finish = event.finish,
                _ => {}
            }
            if cancel {
                works(akunu_answer_cancel(answer));
            }
        }
        akunu_answer_free(answer);
        (tokens, finish)
    };
    let want = read(submit(20, AKUNU_OVERFLOW_END), false);
    assert_eq!((want.0.len(), want.1), (20, AKUNU_FINISH_LENGTH));
    std::thread::scope(|scope| {
        for thread in 0..64 {
            let (want, read) = (&want, &read);
            scope.spawn(move || {
                for round in 0..3 {
                    match (thread + round) % 3 {
                        0 => assert_eq!(read(submit(20, AKUNU_OVERFLOW_END), false), *want),
                        1 => {
                            assert_eq!(read(submit(0, AKUNU_OVERFLOW_SHIFT), true).1, AKUNU_FINISH_CANCELLED)
                        }
                        _ => akunu_answer_free(submit(0, AKUNU_OVERFLOW_SHIFT)),
                    }
                }
            });
        }
    });
    let mut status: akunu_engine_status = unsafe { std::mem::zeroed() };
    status.size = size_of_val(&status);
    for _ in 0..1000 {
        works(unsafe { akunu_engine_get_status(e, &mut status) });
        if status.running == 0 && status.waiting == 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!((status.running, status.waiting), (0, 0));
    akunu_engine_free(e);
    akunu_model_free(model);
}
