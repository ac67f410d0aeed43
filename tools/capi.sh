#!/usr/bin/env bash
# Builds the C library and installs it under a prefix: libakunu.so (with its version's names) and .a, akunu.h, akunu.pc and CMake's package.
# Where cargo-c is there, `cargo cinstall -p akunu-capi` does the same but for the last.
# Usage: tools/capi.sh PREFIX [PROFILE]
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { echo "usage: tools/capi.sh PREFIX [PROFILE]" >&2; exit 2; }
mkdir -p "$1"
prefix=$(cd "$1" && pwd) profile=${2:-release}
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
major=${version%%.*}
built=${CARGO_TARGET_DIR:-target}/$profile

# What the static library needs beside it, as rustc says.
libs=$(cargo rustc -q -p akunu-capi --profile "$profile" --crate-type staticlib -- --print native-static-libs 2>&1 |
    sed -n 's/^note: native-static-libs: //p' | tail -1)
cargo build -q -p akunu-capi --profile "$profile"

mkdir -p "$prefix"/{include,lib/pkgconfig,lib/cmake/akunu}
install -m 644 crates/capi/include/akunu.h "$prefix/include/"
install -m 644 "$built/libakunu_capi.a" "$prefix/lib/libakunu.a"
case "$(uname -s)" in
    Darwin)
        shared=libakunu.dylib
        install -m 755 "$built/libakunu_capi.dylib" "$prefix/lib/libakunu.$major.dylib"
        ln -sf "libakunu.$major.dylib" "$prefix/lib/$shared"
        ;;
    *)
        shared=libakunu.so
        install -m 755 "$built/libakunu_capi.so" "$prefix/lib/libakunu.so.$version"
        ln -sf "libakunu.so.$version" "$prefix/lib/libakunu.so.$major"
        ln -sf "libakunu.so.$major" "$prefix/lib/$shared"
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

cat >"$prefix/lib/cmake/akunu/akunuConfig.cmake" <<CMAKE
get_filename_component(_akunu "\${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET akunu::akunu)
  add_library(akunu::akunu SHARED IMPORTED)
  set_target_properties(akunu::akunu PROPERTIES
    IMPORTED_LOCATION "\${_akunu}/lib/$shared"
    INTERFACE_INCLUDE_DIRECTORIES "\${_akunu}/include")
endif()
CMAKE
cat >"$prefix/lib/cmake/akunu/akunuConfigVersion.cmake" <<CMAKE
set(PACKAGE_VERSION "$version")
if(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
CMAKE
echo "$prefix"
