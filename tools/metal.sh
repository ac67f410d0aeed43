#!/usr/bin/env bash
# Everything that is checked through Metal's emulator: its own tests, kernels against their twins in several orders of threads, whole
# models against the reference, and SmolLM2's 64 greedy tokens. On Debian, as root, it installs clang. Leaves with 77, and says what
# it lacks, where that cannot be had.
#
# It took four minutes on 2 cores after the build, of which SmolLM2's 64 tokens took 40 seconds; encoders, speech and drafts take six more.
# AKUNU_TEST_EVERY=N runs every N-th case of the kernels (5 unless told), AKUNU_TEST_PROMPTS=N so many of SmolLM2's 20 prompts (1
# unless told).
set -euo pipefail
cd "$(dirname "$0")/.."
lacks() { echo "metal: not run here: $1"; exit 77; }

clang() { for n in 19 18 17 16; do command -v clang-$n && return; done; }
if [ -z "$(clang)" ]; then
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || lacks "no clang 16 or later"
    { apt-get update -q && { apt-get install -q -y --no-install-recommends clang-19 || apt-get install -q -y --no-install-recommends clang; }; } \
        >/dev/null 2>&1 || lacks "no package clang-19"
fi
command -v cargo-nextest >/dev/null || cargo install --locked cargo-nextest
tools/fetch-model.sh >/dev/null
export AKUNU_TEST_EVERY=${AKUNU_TEST_EVERY:-5} AKUNU_TEST_PROMPTS=${AKUNU_TEST_PROMPTS:-1}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
start=$SECONDS
cargo nextest run --no-fail-fast --cargo-profile fast --run-ignored all -p akunu-device -p akunu-conformance \
    --features akunu-device/metal-emulator --lib --test metal --test kernels_on_device --test steps --test batch --test structured \
    --test encoders --test embedders --test speech --test drafts \
    --success-output immediate -E 'test(/(^|::)metal(_|$)/)' >"$log" 2>&1 || failed=1
grep -E '^ *(PASS|FAIL|TIMEOUT|SIGABRT|SIGSEGV) |cases|^ *Summary|panicked|relative|diverges|oracle|error' "$log" | sort -u || true
echo "$((SECONDS - start)) s"
[ $failed = 0 ] && echo "all passed" || echo "FAILED"
exit $failed
