#!/usr/bin/env bash
# Builds the C library and installs it under a prefix: libakunu.so (with its version's names) and .a, akunu.h, akunu.pc and CMake's package.
# Where cargo-c is there, `cargo cinstall -p akunu-capi --prefix PREFIX` does the same.
# Usage: tools/capi.sh PREFIX [PROFILE [TARGET]]      TARGET is another one of Rust's, whose compiler and linker are there
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { echo "usage: tools/capi.sh PREFIX [PROFILE [TARGET]]" >&2; exit 2; }
mkdir -p "$1"
prefix=$(cd "$1" && pwd) profile=${2:-release} target=${3:-}
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
major=${version%%.*}
built=${CARGO_TARGET_DIR:-target}${target:+/$target}/$profile

# What the static library needs beside it, as rustc says.
libs=$(cargo rustc -q -p akunu-capi --profile "$profile" ${target:+--target "$target"} --crate-type staticlib -- --print native-static-libs 2>&1 |
    sed -n 's/^note: native-static-libs: //p' | tail -1)
cargo build -q -p akunu-capi --profile "$profile" ${target:+--target "$target"}

mkdir -p "$prefix"/{include,lib/pkgconfig,lib/cmake/akunu}
install -m 644 crates/capi/include/akunu.h "$prefix/include/"
install -m 644 "$built/libakunu_capi.a" "$prefix/lib/libakunu.a"
case "${target:-$(uname -s)}" in
    Darwin | *-apple-*)
        install -m 755 "$built/libakunu_capi.dylib" "$prefix/lib/libakunu.$major.dylib"
        ln -sf "libakunu.$major.dylib" "$prefix/lib/libakunu.dylib"
        ;;
    *)
        install -m 755 "$built/libakunu_capi.so" "$prefix/lib/libakunu.so.$version"
        ln -sf "libakunu.so.$version" "$prefix/lib/libakunu.so.$major"
        ln -sf "libakunu.so.$major" "$prefix/lib/libakunu.so"
        ;;
esac

cat >"$prefix/lib/pkgconfig/akunu.pc" <<PC
prefix=$prefix
Name: akunu
Description: A language-model inference engine
Version: $version
Cflags: -I\${prefix}/include
Libs: -L\${prefix}/lib -lakunu
Libs.private: $libs
PC

install -m 644 crates/capi/cmake/*.cmake "$prefix/lib/cmake/akunu/"
echo "$prefix"
