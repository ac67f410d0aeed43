#!/usr/bin/env bash
# What takes long and rarely breaks: the protocols between threads, kernels for an older GPU, the installed C library, Python's and
# Swift's packages, Vulkan, Metal, all tests of aarch64, and every fuzz target for SECONDS (3600 unless told). They take a night:
# tools/nightly.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/.."
export AKUNU_FUZZ_WORK=${AKUNU_FUZZ_WORK:-$PWD/fuzz/work}
failed=0
# A finding in one says nothing about the next. 77: what it needs cannot be had here, as it says.
try() {
    printf '\n== %s (%ss)\n' "$*" "$SECONDS"
    "$@" || [ $? = 77 ] || { echo "FAILED: $*"; failed=1; }
}
ignored() { cargo nextest run --cargo-profile fast -p akunu-conformance --run-ignored all "${@:2}" -E "test($1)"; }
speech() { ! tools/fetch-speech.sh || ignored real_long_speech --test speech; }

bash tools/fetch-vocabs.sh
try bash tools/loom.sh
# Of sm_90a tools/test.sh has all but the other formats of the cache.
tools/fetch-nvrtc.sh
try ignored '/_compiles?_for_sm_80|formats_compile/'
tools/fetch-model.sh
try ignored real_prefill_equals_single_steps_reference
tools/fetch-whisper.sh
try speech

# (Debian's cargo-c is a quick way to it from trixie on.)
cargo cinstall --version >/dev/null 2>&1 || cargo install -q --locked cargo-c || echo "no cargo-c: the check leaves cargo cinstall out"
try tools/capi_check.sh fast
try tools/python.sh fast
try tools/swift.sh fast
try tools/vulkan-kernels.sh --check
try tools/vulkan.sh
try tools/metal.sh
try bash tools/test-aarch64.sh

try tools/fuzz.sh build
export AKUNU_FUZZ_BUILT=1
for target in $(tools/fuzz.sh list); do
    try tools/fuzz.sh "$target" "${1:-3600}"
done
echo "table for docs/fuzzing.md: $AKUNU_FUZZ_WORK/table.tsv"
exit $failed
