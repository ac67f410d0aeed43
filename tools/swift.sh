#!/usr/bin/env bash
# Builds and tests the Swift package against an installed C library, with SmolLM2 and tiny random models; then its binary-target form
# (tools/swift_bundle.sh). Ends with 77 where there is no Swift.
# Usage: tools/swift.sh [PROFILE]
set -euo pipefail
cd "$(dirname "$0")/.."
profile=${1:-release}
command -v swift >/dev/null || { echo "no swift: install a toolchain of 5.9 or newer"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools/capi.sh "$work/prefix" "$profile" >/dev/null
AKUNU_CONTRACT_OUT=$work/contract cargo nextest run --cargo-profile fast -p akunu-capi --run-ignored all \
    -E 'test(real_results_through_c_are_those_of_rust)'
AKUNU_MODEL=$(tools/fetch-model.sh)
cp tests/contract/cases.json "$work/contract/"
export AKUNU_TINY_BERT=$PWD/tests/fixtures/tiny-bert AKUNU_TINY_WHISPER=$PWD/tests/fixtures/tiny-whisper AKUNU_AUDIO=$PWD/tests/fixtures/audio
export AKUNU_MODEL AKUNU_TINY=$work/contract/tiny.gguf AKUNU_CONTRACT_OUT=$work/contract
export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig LD_LIBRARY_PATH=$work/prefix/lib
swift test --package-path bindings/swift --scratch-path "$work/build"
tools/swift_bundle_check.sh "$work/prefix" "$AKUNU_MODEL"
