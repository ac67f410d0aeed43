#!/usr/bin/env bash
# Compiles every kernel in Slang to the SPIR-V and to the text in Metal's language that are committed beside it; with --check compares
# instead. Leaves with 77, and says what it lacks, where the Slang compiler cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."
lacks() { echo "vulkan kernels: not compiled here: $1"; exit 77; }

version=0.43.1
home=${AKUNU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/akunu}/slang-$version
if [ ! -x "$home/slangc" ]; then
    command -v g++ >/dev/null || lacks "no g++"
    python3 -m venv "$home/venv" >/dev/null 2>&1 && "$home/venv/bin/pip" install -q "slangpy==$version" >/dev/null 2>&1 ||
        lacks "no Python package slangpy $version"
    package=$("$home/venv/bin/python" -c 'import importlib.util as u; print(u.find_spec("slangpy").submodule_search_locations[0])')
    g++ -std=c++17 -O1 -w tools/slang.cpp -I"$package/include" "$package"/libslang-compiler.so.* -Wl,-rpath,"$package" -o "$home/slangc"
fi

# The crate includes what is made of its kernels, also of a new one, which is not there yet.
grep -rlE 'include_(bytes|str)!\("\w+\.(spv|metal)"\)' crates/kernels/src --include='*.rs' | while read -r file; do
    grep -oE '\w+\.(spv|metal)"' "$file" | tr -d '"' | while read -r code; do
        [ -e "${file%/*}/$code" ] || : >"${file%/*}/$code"
    done
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo run --quiet --profile fast -p akunu-kernels --example slang_sources -- "$work" >"$work/list"
cat >"$work/strip.py" <<'PY'
# Names, sources and lines are of no use to a driver, and old tools refuse this language's number. The compiler loses `precise`, so every
# sum, product and quotient is marked as one that a driver may neither fuse nor rearrange; what may be fused says `mad` in its source.
# In Vulkan's memory model, which matrix units bring along, shared memory is an invocation's own unless each access says otherwise, and a
# barrier shows nothing that it is not asked to; the compiler says neither. Nothing here has a scope beyond a workgroup.
import struct, sys
VARIABLE, LOAD, STORE, CHAINS, POINTER, CONSTANT, BARRIER, UNITS_LOAD, UNITS_STORE = 59, 61, 62, (65, 66), 32, 43, 224, 4457, 4458
WORKGROUP, VULKAN, DEVICE_SCOPE, NON_PRIVATE, AVAILABLE_VISIBLE = 4, 3, 5346, 0x20, 0x6000
data = open(sys.argv[1], "rb").read()
words = struct.unpack(f"<{len(data) // 4}I", data)
out, i, exact, types = list(words[:5]), 5, [], None
vulkan, pointers, shared, constants, waits = False, set(), set(), {}, set()
while i < len(words):
    n, op = words[i] >> 16, words[i] & 0xFFFF
    one = list(words[i : i + n])
    i += n
    if op in (127, 129, 131, 133, 136):
        exact.append(one[2])
    if types is None and 19 <= op <= 39:
        types = len(out)
    if op in (2, 3, 4, 5, 6, 7, 8, 317, 330) or one == [2 << 16 | 17, DEVICE_SCOPE]:
        continue
    vulkan |= op == 14 and one[2] == VULKAN
    if op == POINTER and one[2] == WORKGROUP:
        pointers.add(one[1])
    if op in (VARIABLE, *CHAINS) and one[1] in pointers:
        shared.add(one[2])
    # Where the pointer is, and where what is said of the access would be.
    pointer, said = {LOAD: (3, 4), STORE: (1, 3), UNITS_LOAD: (3, 6), UNITS_STORE: (1, 5)}.get(op, (0, 0))
    if vulkan and pointer and one[pointer] in shared:
        one[said:] = [(one + [0])[said] | NON_PRIVATE, *one[said + 1 :]] if n > said else [NON_PRIVATE]
        one[0] = len(one) << 16 | op
    if op == CONSTANT:
        constants[one[2]] = len(out) + 3
    if op == BARRIER:
        waits.add(one[3])
    out += one
if vulkan:
    for constant in waits:
        out[constants[constant]] |= AVAILABLE_VISIBLE
# OpDecorate ID NoContraction, after the other decorations.
out[types:types] = [word for id in exact for word in (3 << 16 | 71, id, 42)]
open(sys.argv[1], "wb").write(struct.pack(f"<{len(out)}I", *out))
PY
cat >"$work/metal.awk" <<'AWK'
# Sums and products stay as they are written: Metal's compiler may fuse and rearrange them unless told otherwise. What the source calls
# `precise` is written by the Slang compiler as if Metal had that word, and numbers of 64 bits as if it had `long long`.
NR == 1 { print "// Made by tools/vulkan-kernels.sh of " name ".slang and what stands before it." }
/^[ \t]*$/ { next }
{ gsub(/^precise | precise /, " "); gsub(/ULL/, "UL"); sub(/[ \t]+$/, ""); print }
/^using namespace metal;/ {
    print "#if __METAL_VERSION__ >= 320"
    print "#pragma METAL fp math_mode(safe)"
    print "#pragma METAL fp contract(off)"
    print "#else"
    print "#pragma clang fp contract(off)"
    print "#endif"
}
AWK
place() { # MADE COMMITTED
    if [ -z "$check" ]; then
        cp "$1" "crates/kernels/src/$2"
    else
        cmp "$1" "crates/kernels/src/$2" || { echo "crates/kernels/src/$2 is not what its source gives"; return 1; }
    fi
}
one() { # NAME CODE METAL
    "$slangc" "$work/$1.slang" -entry main -stage compute -target spirv -profile spirv_1_5 -o "$work/$1.spv" || return 1
    python3 "$work/strip.py" "$work/$1.spv"
    place "$work/$1.spv" "$2" || return 1
    [ "$3" = metal ] || return 0
    # It warns that the entry point has another name.
    "$slangc" "$work/$1.slang" -entry main -stage compute -target metal -line-directive-mode none -o "$work/$1.raw" 2>"$work/$1.errors" ||
        { cat "$work/$1.errors"; return 1; }
    awk -v name="$1" -f "$work/metal.awk" "$work/$1.raw" >"$work/$1.metal"
    local text=${2%.spv}.metal
    # The device's own commands lie in the folder of each language.
    place "$work/$1.metal" "${text/#vulkan\//metal\/}"
}
export -f one place
export work slangc="$home/slangc" check=${1:-}
# The slowest first.
sort -k1,1 "$work/list" | xargs -P "$(nproc)" -L 1 bash -c 'one "$@" || { echo "failed: $1"; exit 1; }' one
