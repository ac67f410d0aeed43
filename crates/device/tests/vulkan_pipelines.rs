//! What a driver has made of the kernels, from one device to the next, on a GPU with Vulkan or on a processor that plays one. The test
//! shows as ignored: tools/vulkan.sh runs it.
#![cfg(feature = "vulkan")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_device::Device;
use akunu_device::vulkan::{Found, Options, PipelineCache, VulkanDevice, Written};
use std::path::Path;
use std::time::Instant;

/// Opens GPU 0 with a folder for its pipelines, and makes some.
fn opened(folder: Option<&Path>) -> PipelineCache {
    let start = Instant::now();
    let device = VulkanDevice::with_folder(0, Options::default(), folder).unwrap();
    device.ready().unwrap();
    let state = device.pipeline_cache();
    println!("{:.1} ms: {state}", start.elapsed().as_secs_f64() * 1e3);
    state
}

fn bytes(state: &PipelineCache) -> u64 {
    match (&state.written, &state.found) {
        (Written::Bytes(n), _) | (Written::NotYet, Found::Bytes(n)) => *n,
        _ => panic!("nothing is kept: {state}"),
    }
}

#[test]
#[ignore = "needs a driver for Vulkan; tools/vulkan.sh"]
fn vulkan_pipelines_come_back_from_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("made/when/needed");
    assert_eq!(opened(None), PipelineCache::default());
    let first = opened(Some(&folder));
    assert_eq!(first.found, Found::Nothing);
    let (file, size) = (first.file.clone().unwrap(), bytes(&first));
    let second = opened(Some(&folder));
    assert!(matches!(second.found, Found::Bytes(_)), "{second}");
    assert_eq!(bytes(&second), size);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "one file, no parts");

    let whole = std::fs::read(&file).unwrap();
    let mut changed = whole.clone();
    *changed.last_mut().unwrap() ^= 1;
    let cut = whole[..whole.len() - 1].to_vec();
    let long = [&whole[..], &[0; 9]].concat();
    for (damage, why) in [
        (changed, "damaged"),
        (cut, "damaged"),
        (long, "damaged"),
        (whole[..20].to_vec(), "cut off"),
        (b"something else altogether".to_vec(), "another kind of file"),
        (Vec::new(), "another kind of file"),
    ] {
        std::fs::write(&file, damage).unwrap();
        let state = opened(Some(&folder));
        assert_eq!(state.found, Found::NoUse(why.into()));
        assert_eq!(bytes(&state), size, "{why}");
        assert!(matches!(opened(Some(&folder)).found, Found::Bytes(_)), "{why}: it is whole again");
    }
    // A folder in the file's place, and a file in the folder's.
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let state = opened(Some(&folder));
    assert_eq!(state.found, Found::NoUse("no file".into()));
    assert!(matches!(state.written, Written::Failed(_)), "{state}");
    std::fs::remove_dir(&file).unwrap();
    std::fs::write(&file, b"").unwrap();
    assert!(matches!(opened(Some(&file)).written, Written::Failed(_)));
}
