#!/usr/bin/env bash
# What takes long and rarely breaks: the protocols between threads, kernels for an older GPU, the installed C library, Python's and
# Swift's packages, Vulkan, Metal, all tests of aarch64, and every fuzz target for SECONDS (3600 unless told). They take a night:
# tools/nightly.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/.."
export AKUNU_FUZZ_WORK=${AKUNU_FUZZ_WORK:-$PWD/fuzz/work}
bash tools/fetch-vocabs.sh
bash tools/loom.sh
# Of sm_90a tools/test.sh has all but the other formats of the cache.
tools/fetch-nvrtc.sh
cargo nextest run --cargo-profile fast -p akunu-conformance --run-ignored all -E 'test(/_compiles?_for_sm_80|formats_compile/)'
tools/fetch-model.sh
cargo nextest run --cargo-profile fast -p akunu-conformance --run-ignored all -E 'test(real_prefill_equals_single_steps_reference)'
tools/fetch-whisper.sh
! tools/fetch-speech.sh || cargo nextest run --cargo-profile fast -p akunu-conformance --test speech --run-ignored all -E 'test(real_long_speech)'

# 77: what it needs cannot be had here, as it says.
# (Debian's cargo-c is a quick way to it from trixie on.)
cargo cinstall --version >/dev/null 2>&1 || cargo install -q --locked cargo-c || echo "no cargo-c: the check leaves cargo cinstall out"
tools/capi_check.sh fast || [ $? = 77 ]
tools/python.sh fast || [ $? = 77 ]
tools/swift.sh fast || [ $? = 77 ]
tools/vulkan-kernels.sh --check || [ $? = 77 ]
tools/vulkan.sh || [ $? = 77 ]
tools/metal.sh || [ $? = 77 ]
bash tools/test-aarch64.sh || [ $? = 77 ]

tools/fuzz.sh build
export AKUNU_FUZZ_BUILT=1
failed=0
for target in $(tools/fuzz.sh list); do
    # A finding in one target says nothing about the next.
    tools/fuzz.sh "$target" "${1:-3600}" || failed=1
done
echo "table for docs/fuzzing.md: $AKUNU_FUZZ_WORK/table.tsv"
exit $failed
