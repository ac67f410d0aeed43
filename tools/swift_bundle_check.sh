#!/usr/bin/env bash
# The binary-target form of the Swift package (tools/swift_bundle.sh), as far as it can be tried on this system: SwiftPM reads the manifest with
# an xcframework, and with an artifact bundle where it knows those of libraries (6.2 and later); the Swift sources, a program and the bundle's
# static library are compiled, linked and run, by SwiftPM or, before 6.2, by the compiler with the same search paths; bad calls are told what
# is wrong with them.
# Usage: tools/swift_bundle_check.sh PREFIX MODEL      PREFIX as tools/capi.sh makes it
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# = 2 ] || { echo "usage: tools/swift_bundle_check.sh PREFIX MODEL" >&2; exit 2; }
prefix=$1 model=$2
command -v swift >/dev/null || { echo "no swift: install a toolchain of 5.9 or newer"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
triple=$(swift -print-target-info | sed -n 's/^ *"unversionedTriple": "\(.*\)",*$/\1/p')
cp -r bindings/swift "$work/package"
unset PKG_CONFIG_PATH LD_LIBRARY_PATH

# What is wrong is said.
refused() { # WORD ARGUMENTS
    local word=$1 out
    shift
    if out=$(tools/swift_bundle.sh "$@" 2>&1); then echo "swift_bundle.sh takes $*" >&2; exit 1; fi
    case "$out" in *"$word"*) ;; *) echo "swift_bundle.sh $* says: $out" >&2; exit 1 ;; esac
}
refused "usage" "$work/none"
refused "no TRIPLE=PREFIX" "$work/none" "$triple"
refused "there is no" "$work/none" "$triple=$work/none"
refused "macOS alone" "$work/none" "arm64-apple-ios=$prefix"

version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -1)
libraries=$([ "$(printf '6.2\n%s\n' "$version" | sort -V | head -1)" = 6.2 ] && echo yes || echo no)

# Both bundles, of this machine's library: SwiftPM does not look into it to read the manifest.
tools/swift_bundle.sh "$work/package" "$triple=$prefix" arm64-apple-macosx="$prefix" >/dev/null
own=CAkunu.artifactbundle
case "$triple" in *-apple-macos*) own=CAkunu.xcframework ;; esac
for bundle in CAkunu.xcframework CAkunu.artifactbundle; do
    [ -d "$work/package/$bundle" ] || continue
    [ $bundle.$libraries != CAkunu.artifactbundle.no ] || { echo "swift package describe, $bundle: not with Swift $version, left out"; continue; }
    out=$(AKUNU_BUNDLE=$bundle swift package --package-path "$work/package" --scratch-path "$work/build" describe --type json)
    case "$out" in
        *'"type" : "binary"'*) echo "swift package describe, $bundle: ok" ;;
        *) echo "swift package describe, $bundle: $out" >&2; exit 1 ;;
    esac
done
if command -v clang >/dev/null; then
    for headers in "$work/package"/*/*/[iH]*; do
        [ -f "$headers/CAkunu/module.modulemap" ] || continue
        echo '@import CAkunu; int main(void) { return akunu_abi_version() == 0; }' >"$work/module.m"
        clang -fmodules -fmodules-cache-path="$work/modules" -fsyntax-only -I "$headers" "$work/module.m"
    done
    echo "module maps: ok"
fi

# A program over the package.
mkdir -p "$work/program/Sources/program"
cat >"$work/program/Package.swift" <<'SWIFT'
// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "program", platforms: [.macOS(.v13)], dependencies: [.package(path: "../package")],
    targets: [.executableTarget(name: "program", dependencies: [.product(name: "Akunu", package: "package")])])
SWIFT
cat >"$work/program/Sources/program/main.swift" <<'SWIFT'
import Akunu

let model = try Model(CommandLine.arguments[1], context: 256)
print(try await model.generate("The capital of France is", Options(maxTokens: 8, temperature: 0)).text)
SWIFT
if [ "$own" = CAkunu.xcframework ] || [ "$libraries" = yes ]; then
    AKUNU_BUNDLE=$own swift build --package-path "$work/program" --scratch-path "$work/build"
    program=$work/build/debug/program way="swift build"
else
    # What SwiftPM passes for such a bundle: its headers, its map, its library.
    bundle=$work/package/$own/$triple
    map=(-I "$bundle/include" -Xcc "-fmodule-map-file=$bundle/include/CAkunu/module.modulemap")
    (cd "$work" && swiftc "${map[@]}" -parse-as-library -emit-library -static -emit-module -module-name Akunu \
        package/Sources/Akunu/*.swift -o libAkunu.a &&
        swiftc "${map[@]}" -I . program/Sources/program/main.swift libAkunu.a "$bundle/libakunu.a" -o run)
    program=$work/run way="swiftc (Swift $version; SwiftPM builds with such bundles from 6.2 on)"
fi
out=$("$program" "$model")
case "$out" in *Paris*) echo "$way: ok" ;; *) echo "$way: no Paris in: $out" >&2; exit 1 ;; esac
