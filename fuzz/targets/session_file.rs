//! A saved session: header, tokens, bytes of the caller's own; zeros stand for keys and values.
//!
//! Input: a byte, the file without its hash, and how many zeros follow. Bit 0 of the byte asks for the right hash after them, bit 1 for
//! the fingerprint of the model; without these no input would get far.
#![no_main]

use akunu::device::cpu::CpuDevice;
use akunu::files::synthetic::Synthetic;
use akunu::kernels::cpu::Level;
use akunu::{Control, DecodeOptions, Eos, LoadOptions, Model, Sampling, Session, Token};
use akunu_fuzz::{Budget, Folder, padded};
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};
use std::sync::{Arc, LazyLock, Mutex};

/// Where the header has the model's fingerprint.
const FINGERPRINT: std::ops::Range<usize> = 16..48;
/// What the session holds before each file.
const BEFORE: [Token; 3] = [Token(1), Token(7), Token(5)];

struct Rig {
    folder: Folder,
    session: Session,
    fingerprint: Vec<u8>,
}

static RIG: LazyLock<Mutex<Rig>> = LazyLock::new(|| {
    let device = Arc::new(CpuDevice::with_level(Level::Portable, Some(1)).expect("every machine has it"));
    let source = Box::new(Synthetic::parse("tiny-llama:q8_0").expect("a shape"));
    let options = LoadOptions { context: Some(300), ..LoadOptions::default() };
    let model = Model::load_on(source, device, &options, &mut |_| {}).expect("it fits");
    let session = model.session().expect("it fits");
    let folder = Folder::new();
    let path = folder.write("session", &[], 0);
    session.save(&path, b"").expect("written");
    let fingerprint = std::fs::read(&path).expect("read")[FINGERPRINT].to_vec();
    Mutex::new(Rig { folder, session, fingerprint })
});

fuzz_target!(|data: &[u8]| {
    let Some((flags, data)) = data.split_first() else { return };
    let (head, zeros) = padded(data);
    let mut rig = RIG.lock().expect("nothing has panicked");
    let Rig { folder, session, fingerprint } = &mut *rig;
    let mut file = head.to_vec();
    file.resize(head.len() + zeros as usize, 0);
    if let Some(own) = file.get_mut(FINGERPRINT).filter(|_| flags & 2 != 0) {
        own.copy_from_slice(fingerprint);
    }
    if flags & 1 != 0 {
        let hash = Sha256::digest(&file);
        file.extend_from_slice(&hash);
    }
    let path = folder.write("session", &file, 0);
    session.reset();
    session.append(&BEFORE).expect("three tokens");
    session.prefill(&mut |_, _| Control::Continue).expect("two steps");

    let _budget = Budget::of((4 << 20) + 4 * file.len());
    let Ok(attached) = session.load(&path) else {
        assert_eq!((session.tokens(), session.kv_len()), (&BEFORE[..], 2), "a refused file has changed the session");
        return;
    };
    // What was read is what is written.
    let copy = folder.write("copy", &[], 0);
    session.save(&copy, &attached).expect("written");
    assert!(std::fs::read(&copy).expect("read") == file, "saved again, it is another file");
    if session.position() > 0 && session.position() <= session.context() {
        let options =
            DecodeOptions { max_tokens: 2, sampling: Sampling::greedy(), eos: Eos::Ignore, chunk: None };
        let _ = std::hint::black_box(session.decode(&options, &mut |_| Control::Continue));
        assert!(session.kv_len() < session.position());
    }
});
