//! Models in several files.

use crate::tiny;
use akunu_model::gguf::write::Writer;
use akunu_model::gguf::{GgufFile, GgufSource};
use akunu_model::{ModelError, WeightSource};
use std::fs;
use std::path::{Path, PathBuf};

fn part_path(folder: &Path, index: u16) -> PathBuf {
    folder.join(format!("tiny-{:05}-of-00003.gguf", index + 1))
}

fn split_keys(w: Writer, no: u16, count: u16) -> Writer {
    w.metadata("split.no", no)
        .metadata("split.count", count)
        .metadata("split.tensors.count", tiny::TENSORS.len() as i32)
}

/// The tiny model in three parts; metadata in the first, as llama.cpp's `gguf-split` has it.
fn write_parts(folder: &Path) {
    for (index, tensors) in tiny::TENSORS.chunks(4).enumerate() {
        let w = if index == 0 { tiny::writer(&[]) } else { Writer::new() };
        let bytes = tiny::with_tensors(split_keys(w, index as u16, 3), tensors);
        fs::write(part_path(folder, index as u16), bytes).expect("written");
    }
}

#[test]
fn any_part_opens_the_model() {
    let folder = tempfile::tempdir().expect("a folder");
    write_parts(folder.path());
    for index in 0..3 {
        let source = GgufSource::open(&part_path(folder.path(), index)).expect("valid");
        assert_eq!(source.file().path(), part_path(folder.path(), 0));
        assert_eq!(source.file().paths().count(), 3);
        assert_eq!(source.config().name.as_deref(), Some("Tiny"));
        let names: Vec<_> = source.tensors().iter().map(|t| t.file_name.as_str()).collect();
        assert_eq!(names, tiny::TENSORS.iter().map(|t| t.0).collect::<Vec<_>>());
        let last = source.tensors().last().expect("tensors");
        assert_eq!(source.path_of(last), part_path(folder.path(), 2));
        let mut bytes = vec![0; last.bytes as usize];
        source.read(last, 0, &mut bytes).expect("read");
        // tiny::with_tensors counts tensors within a part: this is its third.
        assert_eq!(bytes[1], (7 + 2) & 0x3b);
    }
}

#[test]
fn a_missing_part_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    write_parts(folder.path());
    fs::remove_file(part_path(folder.path(), 1)).expect("removed");
    let e = GgufFile::open(&part_path(folder.path(), 2)).expect_err("missing");
    assert!(
        matches!(&e, ModelError::MissingPart { part: 2, count: 3, path } if *path == part_path(folder.path(), 1))
    );
    assert!(e.to_string().contains("tiny-00002-of-00003.gguf"), "{e}");
}

#[test]
fn parts_that_disagree() {
    let cases: &[(&str, u16, u16, u16)] =
        &[("number", 1, 2, 3), ("count", 1, 1, 4), ("name and count", 0, 0, 2), ("too many", 0, 0, 60_000)];
    for &(what, index, no, count) in cases {
        let folder = tempfile::tempdir().expect("a folder");
        write_parts(folder.path());
        let bytes = tiny::with_tensors(split_keys(Writer::new(), no, count), &[]);
        fs::write(part_path(folder.path(), index), bytes).expect("written");
        let e = GgufFile::open(&part_path(folder.path(), 0)).expect_err(what);
        assert!(matches!(e, ModelError::Split { .. } | ModelError::BadValue { .. }), "{what}: {e}");
        assert!(e.to_string().contains(&format!("tiny-{:05}", index + 1)), "{what}: {e}");
    }
}

#[test]
fn a_part_of_an_unsplit_file_a_lost_tensor_and_a_double_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let second = part_path(folder.path(), 1);
    let open = || GgufFile::open(&part_path(folder.path(), 0)).expect_err("bad");

    write_parts(folder.path());
    fs::write(&second, tiny::bytes()).expect("written");
    assert!(open().to_string().contains("no split.count"));

    fs::write(&second, tiny::with_tensors(split_keys(Writer::new(), 1, 3), &[])).expect("written");
    let e = open().to_string();
    assert!(e.contains("7 tensors") && e.contains("11"), "{e}");

    fs::write(&second, tiny::with_tensors(split_keys(Writer::new(), 1, 3), &tiny::TENSORS[..4]))
        .expect("written");
    assert!(matches!(open(), ModelError::Duplicate { what: "tensor", .. }));
}

#[test]
fn a_renamed_part_says_how_it_should_be_called() {
    let folder = tempfile::tempdir().expect("a folder");
    write_parts(folder.path());
    let renamed = folder.path().join("model.gguf");
    fs::rename(part_path(folder.path(), 0), &renamed).expect("renamed");
    let e = GgufFile::open(&renamed).expect_err("renamed").to_string();
    assert!(e.contains("-00001-of-00003.gguf"), "{e}");
}
