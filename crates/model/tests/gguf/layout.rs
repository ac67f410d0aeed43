//! Where tensors lie in a file: they tile its data section, whatever their order.

use crate::tiny;
use akunu_kernels::DType;
use akunu_model::gguf::types::TensorType;
use akunu_model::gguf::write::Writer;
use akunu_model::gguf::{GgufFile, GgufSource};

/// One tensor of F32, as it is written, and the numbers in its description that follow the name.
#[derive(Clone, Copy)]
struct Described {
    name: &'static str,
    cols: u64,
    type_id: u32,
    offset: u64,
}

const fn f32s(name: &'static str, cols: u64, offset: u64) -> Described {
    Described { name, cols, type_id: 0, offset }
}

/// A file of these descriptions, with `bytes` bytes of data and the data section's first byte.
fn file(tensors: &[Described], bytes: usize) -> (Vec<u8>, usize) {
    let mut out = b"GGUF\x03\0\0\0".to_vec();
    out.extend((tensors.len() as u64).to_le_bytes());
    out.extend(0u64.to_le_bytes());
    for t in tensors {
        out.extend((t.name.len() as u64).to_le_bytes());
        out.extend(t.name.as_bytes());
        out.extend(1u32.to_le_bytes());
        out.extend(t.cols.to_le_bytes());
        out.extend(t.type_id.to_le_bytes());
        out.extend(t.offset.to_le_bytes());
    }
    let start = out.len().next_multiple_of(32);
    out.resize(start + bytes, 0);
    (out, start)
}

fn opened(tensors: &[Described], bytes: usize) -> Result<(), String> {
    let (bytes, _) = file(tensors, bytes);
    GgufFile::open(tiny::file(&bytes).path()).map(|_| ()).map_err(|e| e.to_string())
}

/// What writers of the field produce: padding after every tensor or only between them, and tensors described in another
/// order than they lie in.
#[test]
fn tensors_that_tile_the_file_are_accepted() {
    let (a, b, c) = (f32s("a", 8, 0), f32s("b", 3, 32), f32s("c", 8, 64));
    for order in [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]] {
        assert_eq!(opened(&order, 96), Ok(()));
    }
    assert_eq!(opened(&[a, b], 44), Ok(()), "the last tensor is not padded");
    assert_eq!(opened(&[a, b], 64), Ok(()), "the last tensor is padded");
    assert_eq!(opened(&[], 0), Ok(()), "a vocabulary alone has no tensor");
    let odd = Described { type_id: 777, ..a };
    assert_eq!(opened(&[odd, f32s("b", 3, 4096)], 4108), Ok(()), "nobody knows how long an unknown type is");
    assert_eq!(opened(&[f32s("b", 3, 0), Described { offset: 32, ..odd }], 4096), Ok(()));
}

#[test]
fn gaps_and_overlaps_name_tensors_and_offsets() {
    let (a, b) = (f32s("a", 256, 0), f32s("b", 8, 1024));
    // What is wrong, the tensors, the bytes of data; words of the message, and offsets in the data that it names.
    type Case<'a> = (&'a str, &'a [Described], usize, &'a [&'a str], &'a [usize]);
    let cases: &[Case<'_>] = &[
        // 256 values are 1024 bytes of F32 and 210 of Q6_K.
        (
            "a type that is too small",
            &[Described { type_id: 14, ..a }, b],
            1056,
            &["`a`", "Q6_K", "`b`"],
            &[210, 1024, 224],
        ),
        ("a shape that is too small", &[f32s("a", 128, 0), b], 1056, &["`a`", "`b`"], &[512, 1024]),
        (
            "the last type is too small",
            &[a, b, Described { type_id: 1, ..f32s("c", 32, 1056) }],
            1184,
            &["`c`", "F16", "the end of the file"],
            &[1056, 1120, 1184],
        ),
        ("a gap at the start", &[f32s("a", 8, 32)], 64, &["`a`", "first of the file"], &[0, 32]),
        (
            "a type that is too large",
            &[f32s("a", 257, 0), b],
            1056,
            &["`b`", "after those of `a`"],
            &[1024, 1028],
        ),
        ("the same place", &[f32s("a", 8, 0), f32s("b", 8, 0)], 32, &["after those of"], &[0, 32]),
        (
            "an unknown type in the same place",
            &[Described { type_id: 777, ..a }, f32s("b", 8, 0)],
            32,
            &["after those of"],
            &[0],
        ),
        ("bytes after the end", &[f32s("a", 8, 0)], 65, &["`a`", "the end of the file"], &[32, 65]),
    ];
    for (what, tensors, bytes, words, offsets) in cases {
        let e = opened(tensors, *bytes).expect_err(what);
        let (_, start) = file(tensors, 0);
        let offsets = offsets.iter().map(|o| (start + o).to_string());
        for part in words.iter().map(|w| (*w).to_owned()).chain(offsets) {
            assert!(e.contains(&part), "{what}: `{part}` is not in: {e}");
        }
        assert!(e.contains("fetch") || e.contains("convert"), "{what}: {e}");
    }
}

/// The model that a wrong type makes: it would run, and print garbage.
#[test]
fn a_model_with_a_wrong_type_is_refused() {
    let bytes = tiny::bytes();
    let name = b"blk.0.attn_output.weight";
    let at = bytes.windows(name.len()).position(|w| w == name).expect("described") + name.len();
    // After the name: the count of dimensions, two dimensions, the type.
    let at = at + 4 + 16;
    assert_eq!(bytes[at], DType::Bf16 as u8);
    for smaller in [DType::Q4_0, DType::Q8_0] {
        let mut wrong = bytes.clone();
        wrong[at] = smaller as u8;
        let e = GgufSource::open(tiny::file(&wrong).path()).expect_err("a gap").to_string();
        assert!(e.contains("`blk.0.attn_output.weight`") && e.contains("`blk.0.ffn_norm.weight`"), "{e}");
    }
}

/// Every part of a split model has a data section of its own, and every type its own size.
#[test]
fn the_writer_leaves_no_gap_in_any_type() {
    for alignment in [8, 32, 4096] {
        let mut w = Writer::new().alignment(alignment);
        let mut data = Vec::new();
        for t in akunu_model::gguf::types::TENSOR_TYPES {
            w = w.tensor_of_type(t.name, &[t.block * 3, 5], TensorType { ..*t });
            data.push(vec![0; t.bytes(5, t.block * 3).expect("small") as usize]);
        }
        let disk = tiny::file(&w.to_bytes(data).expect("written"));
        GgufFile::open(disk.path()).expect("valid");
    }
}
