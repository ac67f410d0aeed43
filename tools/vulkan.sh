#!/usr/bin/env bash
# Everything that is checked through Vulkan, on lavapipe: Mesa's driver that plays a GPU on the CPU. Kernels against their twins and
# whole models against the reference, at subgroups of 4, 8 and 16, with the validation layers on, which must stay silent. On Debian,
# as root, it installs what it needs. Leaves with 77, and says what it lacks, where that cannot be had.
#
#   tools/vulkan.sh [WIDTHS]      WIDTHS: "128 256 512" unless told, bits of a subgroup
#
# A width of 128 or 256 took 41 to 45 minutes on 2 cores, the tests started by hand with another allocator, which is quicker (it is used where
# it is installed: Debian's libjemalloc2). Nearly all the time, Mesa compiles kernels and the layers read them. AKUNU_TEST_EVERY=N runs every N-th case of the kernels, AKUNU_TEST_PROMPTS=N so many of SmolLM2's
# 20 prompts and of the recordings of speech (2 unless told).
set -euo pipefail
cd "$(dirname "$0")/.."
lacks() { echo "vulkan: not run here: $1"; exit 77; }

icd() { ls /usr/share/vulkan/icd.d/lvp_icd*.json 2>/dev/null | head -n 1; }
layer=/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json
if [ -z "$(icd)" ] || [ ! -f $layer ] || ! ldconfig -p | grep -q libvulkan.so.1; then
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || lacks "no lavapipe, loader or validation layers"
    { apt-get update -q && apt-get install -q -y --no-install-recommends mesa-vulkan-drivers libvulkan1 vulkan-validationlayers; } \
        >/dev/null 2>&1 || lacks "packages of lavapipe, the loader or the validation layers"
fi
command -v cargo-nextest >/dev/null || cargo install --locked cargo-nextest
tools/fetch-model.sh >/dev/null
tools/fetch-whisper.sh >/dev/null && tools/fetch-speech.sh >/dev/null

# The loader shows lavapipe alone.
export VK_DRIVER_FILES VK_ICD_FILENAMES XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/tmp}
VK_DRIVER_FILES=$(icd) VK_ICD_FILENAMES=$(icd)
export VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
export AKUNU_TEST_PROMPTS=${AKUNU_TEST_PROMPTS:-2}
jemalloc=$(ls /usr/lib/*/libjemalloc.so.2 2>/dev/null | head -n 1) || true
log=$(mktemp)
code=$(mktemp -d)
trap 'rm -rf "$log" "$code"' EXIT
failed=0
select='(package(akunu-conformance) or binary(vulkan_pipelines)) and test(/(^|::)vulkan(_|$)/)'
run() {
    env ${jemalloc:+LD_PRELOAD="$jemalloc"} "$@" cargo nextest run --no-fail-fast --workspace --cargo-profile fast --run-ignored all \
        --success-output immediate "${tests[@]}" -E "$select" >>"$log" 2>&1 || failed=1
}
for width in ${1:-128 256 512}; do
    start=$SECONDS
    : >"$log"
    # A case of a kernel runs for less time than Mesa takes to optimise it.
    tests=(--test kernels_on_device)
    run LP_NATIVE_VECTOR_WIDTH="$width" GALLIVM_PERF=nopt MESA_SHADER_CACHE_DISABLE=true
    # Tests of models share kernels, which run many times. Mesa's cache ignores the width and would give back code for another one.
    tests=(--test vulkan --test vulkan_pipelines --test steps --test batch --test structured --test encoders --test embedders --test speech --test drafts)
    run LP_NATIVE_VECTOR_WIDTH="$width" MESA_SHADER_CACHE_DIR="$code/$width"
    grep -E '^ *(PASS|FAIL|TIMEOUT|SIGABRT|SIGSEGV) |cases|^ *Summary|panicked|relative|equal to|diverges|error:' "$log" | sort -u || true
    if grep -q -m 1 'Validation Error\|VUID-' "$log"; then
        echo "the validation layers object:"
        grep -m 10 'Validation Error\|VUID-' "$log"
        failed=1
    fi
    echo "== subgroups of $((width / 32)): $((SECONDS - start)) s"
done
[ $failed = 0 ] && echo "all passed" || echo "FAILED"
exit $failed
