#!/usr/bin/env bash
# Builds the speed and quality peer, llama.cpp, for exactly this CPU, from the pinned source archive.
#
# Usage: tools/peer-llamacpp.sh       (JOBS=n for the number of compilers, default: all cores; CC and CXX name others)
# Leaves llama-bench, llama-batched-bench, llama-perplexity, the shared library libllama and build-info.txt in
# ${AKUNU_CACHE}/peer and prints that folder. Takes about 10 minutes on two cores.
set -euo pipefail

here="$(cd "$(dirname "$0")" && pwd)"
peer="${AKUNU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/akunu}/peer"
jobs="${JOBS:-$(nproc)}"
archive="$("$here/fetch-llamacpp-source.sh")"
# Its code for AMX as gcc 12 compiles it dies of an illegal instruction.
if grep -q -m 1 amx_tile /proc/cpuinfo 2>/dev/null && [ -z "${CXX:-}" ]; then
    if ! command -v clang++ >/dev/null; then
        echo "this processor has AMX, where the peer wants clang: install it, or name compilers in CC and CXX" >&2
        exit 1
    fi
    export CC=clang CXX=clang++
fi
stamp="$(basename "$archive") $(sha256sum "$0" | cut -d' ' -f1) ${CXX:-c++}"

# The stamp holds this script's own hash, so a changed build option builds again.
if [ -f "$peer/build-info.txt" ] && grep -qxF "stamp: $stamp" "$peer/build-info.txt"; then
    echo "$peer"
    exit 0
fi

mkdir -p "$peer"
source_dir="$peer/src"
build_dir="$peer/build"
rm -rf "$source_dir"
mkdir -p "$source_dir"
tar -xzf "$archive" -C "$source_dir" --strip-components=1
vendored="$source_dir/vendor/llama.cpp"

# The machine may have no cmake; the pinned wheels bring one without touching the system.
if [ ! -x "$peer/tools/bin/cmake" ]; then
    python3 -m venv "$peer/tools"
    "$peer/tools/bin/python" -m pip install --quiet --disable-pip-version-check cmake==4.4.4 ninja==1.13.2
fi
export PATH="$peer/tools/bin:$PATH"

# Native and optimized: a peer built for a generic CPU would flatter us. No network and no web page: the
# bench needs neither.
options=(
    -DCMAKE_BUILD_TYPE=Release
    -DGGML_NATIVE=ON
    -DGGML_OPENMP=ON
    -DBUILD_SHARED_LIBS=ON
    -DLLAMA_CURL=OFF
    -DLLAMA_OPENSSL=OFF
    -DLLAMA_BUILD_TESTS=OFF
    -DLLAMA_BUILD_EXAMPLES=OFF
    -DLLAMA_BUILD_SERVER=OFF
    -DLLAMA_BUILD_TOOLS=ON
)
nice -n 10 cmake -G Ninja -S "$vendored" -B "$build_dir" "${options[@]}" >&2
nice -n 10 cmake --build "$build_dir" -j "$jobs" --target llama-bench llama-batched-bench llama-perplexity >&2

{
    echo "stamp: $stamp"
    echo "commit: $(git -C "$vendored" rev-parse --short HEAD 2>/dev/null || echo unknown)"
    echo "options: ${options[*]}"
    echo "compiler: $("${CXX:-c++}" --version | head -n 1)"
    echo "cpu: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
} > "$peer/build-info.txt.new"
ln -sf build/bin/llama-bench build/bin/llama-batched-bench build/bin/llama-perplexity "$peer/"
mv -f "$peer/build-info.txt.new" "$peer/build-info.txt"
echo "$peer"
