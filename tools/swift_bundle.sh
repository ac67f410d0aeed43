#!/usr/bin/env bash
# Makes what Swift calls a binary target of the C library, so that a Swift package needs neither Rust nor pkg-config: of libraries for macOS
# CAkunu.xcframework, of others CAkunu.artifactbundle (Swift 6.2 and later builds with it). Libraries are static and come from prefixes that
# tools/capi.sh has installed:
#
#   tools/capi.sh /tmp/arm release aarch64-apple-darwin && tools/capi.sh /tmp/intel release x86_64-apple-darwin
#   tools/swift_bundle.sh bindings/swift arm64-apple-macosx=/tmp/arm x86_64-apple-macosx=/tmp/intel
#   AKUNU_BUNDLE=CAkunu.xcframework swift build --package-path bindings/swift
#
# Several processors of macOS want lipo or llvm-lipo, which joins their libraries; other systems objcopy or llvm-objcopy.
# Usage: tools/swift_bundle.sh FOLDER TRIPLE=PREFIX...
set -euo pipefail
fail() { echo "swift_bundle: $1" >&2; exit 2; }
[ $# -ge 2 ] || fail "usage: tools/swift_bundle.sh FOLDER TRIPLE=PREFIX..."
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift

# A folder of headers, with a map that names what the static library needs beside it, as akunu.pc says.
headers() { # FOLDER PREFIX
    mkdir -p "$1/CAkunu"
    install -m 644 "$2/include/akunu.h" "$1/CAkunu/"
    {
        printf 'module CAkunu [system] {\n    header "akunu.h"\n'
        sed -n 's/^Libs.private: //p' "$2/lib/pkgconfig/akunu.pc" | tr -s ' ' '\n' | awk '
            framework { print "    link framework \"" $0 "\""; framework = 0; next }
            $0 == "-framework" { framework = 1; next }
            sub(/^-l/, "") && !seen[$0]++ { print "    link \"" $0 "\"" }'
        printf '    export *\n}\n'
    } >"$1/CAkunu/module.modulemap"
}

apple=() apple_names=() apple_prefix='' variants='' version=''
rm -rf "$out/CAkunu.xcframework" "$out/CAkunu.artifactbundle"
for pair in "$@"; do
    triple=${pair%%=*} prefix=${pair#*=}
    case "$pair" in *?=?*) ;; *) fail "$pair is no TRIPLE=PREFIX" ;; esac
    for file in lib/libakunu.a include/akunu.h lib/pkgconfig/akunu.pc; do
        [ -f "$prefix/$file" ] || fail "there is no $prefix/$file; install there with tools/capi.sh"
    done
    version=$(sed -n 's/^Version: //p' "$prefix/lib/pkgconfig/akunu.pc")
    case "$triple" in
        *-apple-macos*)
            apple+=("$prefix/lib/libakunu.a") apple_names+=("${triple%%-*}") apple_prefix=$prefix
            ;;
        *-apple-*) fail "$triple: of Apple's systems, macOS alone is supported" ;;
        *)
            bundle=$out/CAkunu.artifactbundle
            mkdir -p "$bundle/$triple"
            # Swift reads what its compiler has left in a library, and stops at the bitcode of an LLVM newer than its own, which Rust's has.
            objcopy=$(command -v llvm-objcopy || command -v objcopy) || fail "no objcopy (binutils) or llvm-objcopy (LLVM), which takes out bitcode"
            "$objcopy" --strip-debug --remove-section .llvmbc --remove-section .llvmcmd "$prefix/lib/libakunu.a" "$bundle/$triple/libakunu.a"
            headers "$bundle/$triple/include" "$prefix"
            variants+="${variants:+,}
        {
          \"path\": \"$triple/libakunu.a\",
          \"supportedTriples\": [\"$triple\"],
          \"staticLibraryMetadata\": {
            \"headerPaths\": [\"$triple/include\"],
            \"moduleMapPath\": \"$triple/include/CAkunu/module.modulemap\"
          }
        }"
            ;;
    esac
done

if [ -n "$variants" ]; then
    cat >"$out/CAkunu.artifactbundle/info.json" <<JSON
{
  "schemaVersion": "1.0",
  "artifacts": {
    "CAkunu": {
      "type": "staticLibrary",
      "version": "$version",
      "variants": [$variants
      ]
    }
  }
}
JSON
    echo "$out/CAkunu.artifactbundle"
fi

if [ ${#apple[@]} -gt 0 ]; then
    # One library for macOS, for all of its processors.
    slice=macos-$(printf '%s\n' "${apple_names[@]}" | sort | paste -sd_ -)
    framework=$out/CAkunu.xcframework
    mkdir -p "$framework/$slice"
    if [ ${#apple[@]} = 1 ]; then
        install -m 644 "${apple[0]}" "$framework/$slice/libakunu.a"
    else
        lipo=$(command -v lipo || command -v llvm-lipo) || fail "no lipo (Xcode) or llvm-lipo (LLVM), which joins libraries of several processors"
        "$lipo" -create "${apple[@]}" -output "$framework/$slice/libakunu.a"
    fi
    headers "$framework/$slice/Headers" "$apple_prefix"
    cat >"$framework/Info.plist" <<PLIST
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>AvailableLibraries</key>
	<array>
		<dict>
			<key>BinaryPath</key>
			<string>libakunu.a</string>
			<key>HeadersPath</key>
			<string>Headers</string>
			<key>LibraryIdentifier</key>
			<string>$slice</string>
			<key>LibraryPath</key>
			<string>libakunu.a</string>
			<key>SupportedArchitectures</key>
			<array>
$(printf '\t\t\t\t<string>%s</string>\n' "${apple_names[@]}")
			</array>
			<key>SupportedPlatform</key>
			<string>macos</string>
		</dict>
	</array>
	<key>CFBundlePackageType</key>
	<string>XFWK</string>
	<key>XCFrameworkFormatVersion</key>
	<string>1.0</string>
</dict>
</plist>
PLIST
    echo "$framework"
fi
