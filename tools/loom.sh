#!/usr/bin/env bash
# The protocols between threads (crates/device/src/cpu/loom.rs) under every order of events that the memory model allows.
# Arguments go to the test program: a name runs that model alone.
set -euo pipefail
cd "$(dirname "$0")/.."

# Another target folder: the flag would have everything else built again.
export RUSTFLAGS="${RUSTFLAGS:-} --cfg loom" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/loom"
cargo test --profile loom -p akunu-device --no-default-features --lib -- "${@:-cpu::loom}"
