#!/usr/bin/env bash
# The installed C library as programs outside of this repository see it: pkg-config, a shared and a static link, CMake where it is there;
# the same of what `cargo cinstall` installs, where cargo-c is there; the Swift module map where clang is, and an example under valgrind.
# Needs SmolLM2 (tools/fetch-model.sh).
# Usage: tools/capi_check.sh [PROFILE]
set -euo pipefail
cd "$(dirname "$0")/.."
profile=${1:-release}
for program in cc pkg-config; do
    command -v "$program" >/dev/null || { echo "no $program: install it (Debian: gcc, pkg-config)"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
model=$(tools/fetch-model.sh)
tools/capi.sh "$work/prefix" "$profile" >/dev/null

expect() { # WHAT OUTPUT
    case "$2" in *Paris*) echo "$1: ok" ;; *) echo "$1: no Paris in: $2" >&2; exit 1 ;; esac
}

# A shared link as the README has it, and CMake's package, of what lies under a prefix.
check_prefix() { # WHAT PREFIX LIBDIR
    export PKG_CONFIG_PATH=$3/pkgconfig LD_LIBRARY_PATH=$3
    # shellcheck disable=SC2046
    cc crates/capi/examples/complete.c $(pkg-config --cflags --libs akunu) -o "$work/shared"
    expect "$1: shared" "$("$work/shared" "$model" "The capital of France is")"
    # shellcheck disable=SC2046
    cc crates/capi/examples/complete.c $(pkg-config --cflags akunu) "$3/libakunu.a" \
        $(sed -n 's/^Libs.private: //p' "$3/pkgconfig/akunu.pc") -o "$work/static"
    expect "$1: static" "$(env -u LD_LIBRARY_PATH "$work/static" "$model" "The capital of France is")"
    command -v cmake >/dev/null || { echo "$1: cmake: not on this machine, left out"; return; }
    rm -rf "$work/cmake"
    mkdir "$work/cmake"
    cp crates/capi/examples/complete.c "$work/cmake/"
    cat >"$work/cmake/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(complete C)
find_package(akunu 0.1 REQUIRED)
add_executable(complete complete.c)
target_link_libraries(complete akunu::akunu)
CMAKE
    cmake -S "$work/cmake" -B "$work/cmake/build" -DCMAKE_PREFIX_PATH="$2" >/dev/null
    cmake --build "$work/cmake/build" >/dev/null
    expect "$1: cmake" "$("$work/cmake/build/complete" "$model" "The capital of France is")"
    # A version that it is not.
    sed -i 's/akunu 0.1/akunu 0.2/' "$work/cmake/CMakeLists.txt"
    ! cmake -S "$work/cmake" -B "$work/cmake/other" -DCMAKE_PREFIX_PATH="$2" >/dev/null 2>&1 ||
        { echo "$1: cmake takes version 0.1 for 0.2" >&2; exit 1; }
}

if cargo cinstall --version >/dev/null 2>&1; then
    # Into another folder first, as packages are made; then its place. It has a cargo of its own, of another version as a rule, which shares
    # nothing that was built.
    cargo cinstall -p akunu-capi --profile "$profile" --target-dir "${CARGO_TARGET_DIR:-target}/cinstall" \
        --prefix "$work/cinstalled" --libdir "$work/cinstalled/lib" --destdir "$work/staged" >"$work/cinstall.log" 2>&1 ||
        { cat "$work/cinstall.log" >&2; exit 1; }
    mv "$work/staged$work/cinstalled" "$work/cinstalled"
    check_prefix "cargo cinstall" "$work/cinstalled" "$work/cinstalled/lib"
else
    echo "cargo cinstall: no cargo-c on this machine, left out"
fi
check_prefix "tools/capi.sh" "$work/prefix" "$work/prefix/lib"

if command -v clang >/dev/null; then
    echo '@import CAkunu; int main(void) { return akunu_abi_version() == 0; }' >"$work/module.m"
    clang -fmodules -fsyntax-only -I "$work/prefix/include" -I bindings/swift/Sources/CAkunu "$work/module.m"
    echo "module map: ok"
else
    echo "module map: no clang on this machine, left out"
fi

if command -v valgrind >/dev/null; then
    # Valgrind knows no AVX-512, and runs one thread at a time: one worker spins for nobody. What it takes for uninitialised is how LLVM
    # orders the tests of a safe enum's tag and payload, so it looks for leaks and for reads and writes outside of what was allocated.
    one=()
    command -v taskset >/dev/null && one=(taskset -c 0)
    out=$(AKUNU_CPU=${AKUNU_VALGRIND_CPU:-avx2} "${one[@]}" valgrind -q --error-exitcode=9 --undef-value-errors=no --fair-sched=try \
        --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite "$work/shared" "$model" "The capital of France is")
    expect "valgrind" "$out"
else
    echo "valgrind: not on this machine, left out"
fi
