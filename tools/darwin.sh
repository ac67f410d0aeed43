#!/usr/bin/env bash
# Builds the whole command for macOS on Apple silicon, on Linux: type-checks what is macOS's alone (Metal) and links it. What is made is not
# run and not shipped: the system's libraries are stubs that name the symbols which crates ask for. On Debian, as root, it installs what
# it needs; leaves with 77, and says what it lacks, where that cannot be had.
#
#   tools/darwin.sh [check]      check: type-check the device crate alone
#
# On 2 cores with other work beside it, all took five to seven minutes, the check two.
set -euo pipefail
cd "$(dirname "$0")/.."
lacks() { echo "darwin: not built here: $1"; exit 77; }
target=aarch64-apple-darwin
home=${AKUNU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/akunu}/darwin

# A compiler and the source of its standard library that belong together, and allow -Z build-std: Debian's of the web browsers.
if [ ! -x "$home/usr/bin/rustc" ]; then
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || lacks "no Debian"
    apt-get update -q >/dev/null 2>&1 || lacks "no package lists"
    version=$(apt-cache policy rustc-web | awk '/Candidate/ { print $2 }')
    case ${version:-none} in *none*) lacks "no package rustc-web" ;; esac
    std=libstd-rust-web-$(echo "$version" | cut -d. -f1,2)
    llvm=$(apt-cache depends "$std" | awk '/Depends: libllvm/ { print $2; exit }')
    apt-get install -q -y --no-install-recommends libgit2-1.5 >/dev/null 2>&1 || lacks "no package libgit2"
    mkdir -p "$home/packages"
    (cd "$home/packages" &&
        apt-get download -q rustc-web rust-web-src cargo-web libstd-rust-web-dev "$std" ${llvm:+"$llvm"} >/dev/null 2>&1) ||
        lacks "packages of rustc-web"
    for package in "$home"/packages/*.deb; do dpkg -x "$package" "$home"; done
    rm -r "$home/packages"
fi
# The compiler strips what it links with this; nothing is shipped, so nothing need be stripped.
ln -sf /bin/true "$home/usr/bin/rust-objcopy"
# C compiler and linker for every system, and cargo's way to them.
if [ ! -x "$home/zig/bin/cargo-zigbuild" ]; then
    { python3 -m venv "$home/zig" && "$home/zig/bin/pip" install -q ziglang==0.17.1 cargo-zigbuild==0.24.0; } >/dev/null 2>&1 ||
        lacks "no Python packages ziglang and cargo-zigbuild"
fi
export PATH="$home/usr/bin:$home/zig/bin:$PATH" RUSTC="$home/usr/bin/rustc" RUSTDOC="$home/usr/bin/rustdoc" RUSTC_BOOTSTRAP=1
export LD_LIBRARY_PATH="$home/usr/lib/$(uname -m)-linux-gnu" SDKROOT="$home/sdk" CARGO_TARGET_DIR="$PWD/target/darwin"
cargo=("$home/usr/bin/cargo")
std=(-Z build-std=core,alloc,std,panic_abort --target $target --profile link)

if [ "${1:-}" = check ]; then
    "${cargo[@]}" check "${std[@]}" -p akunu-device
    echo "type-checked"
    exit
fi

# Stubs: a library's name and its symbols.
zig=$("$home/zig/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')
frameworks=/System/Library/Frameworks
stub() { # FILE INSTALLED SYMBOLS
    mkdir -p "$(dirname "$SDKROOT$1")"
    printf -- "--- !tapi-tbd\ntbd-version: 4\ntargets: [ arm64-macos ]\ninstall-name: '%s'\nexports:\n  - targets: [ arm64-macos ]\n    symbols: [ %s ]\n...\n" \
        "$2" "$3" >"$SDKROOT$1"
}
framework() { stub "$frameworks/$1.framework/$1.tbd" "$frameworks/$1.framework/Versions/A/$1" "$2"; }
# Every function and constant that a crate declares.
declared() {
    cargo fetch -q --target $target
    local source
    source=$(ls -d "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$1"-[0-9]* | tail -n 1)
    grep -rhoE 'pub (unsafe )?(extern "C[a-z-]*" )?(fn|static) +\w+' "$source/src" | awk '{ print "_" $NF }' | sort -u | paste -sd, | sed 's/,/, /g'
}
rm -rf "$SDKROOT"
framework Metal "_MTLCreateSystemDefaultDevice, _MTLCopyAllDevices"
framework CoreGraphics "_CGMainDisplayID"
framework Foundation "_NSLog, _OBJC_CLASS_\$_NSObject"
framework Security "$(declared security-framework-sys)"
framework CoreFoundation "$(declared core-foundation-sys), $(declared objc2-core-foundation)"
objc=$(for name in msgSend retain release autorelease retainAutoreleasedReturnValue claimAutoreleasedReturnValue autoreleaseReturnValue \
    alloc allocWithZone opt_self getClass getProtocol lookUpClass autoreleasePoolPush autoreleasePoolPop exception_rethrow begin_catch \
    end_catch exception_throw; do printf '_objc_%s, ' $name; done)
stub /usr/lib/libobjc.tbd /usr/lib/libobjc.A.dylib "$objc _sel_registerName, _sel_getName, _class_getName, _class_isMetaClass, \
_class_getInstanceMethod, _class_getClassMethod, _class_getSuperclass, _object_getClass, _object_getClassName, _method_getName, \
_method_getTypeEncoding, _protocol_getName, _OBJC_CLASS_\$_NSObject"
stub /usr/lib/libiconv.tbd /usr/lib/libiconv.2.dylib "_iconv, _iconv_open, _iconv_close"
for library in libSystem libc libm; do cp "$zig/lib/libc/darwin/libSystem.tbd" "$SDKROOT/usr/lib/$library.tbd"; done
cp "$zig/lib/libc/darwin/SDKSettings.json" "$SDKROOT/"

start=$SECONDS
"$home/zig/bin/cargo-zigbuild" zigbuild "${std[@]}" -p akunu-cli
made=$CARGO_TARGET_DIR/$target/link/akunu
# A Mach-O file of 64 bits begins with these bytes; then comes the processor, arm64.
[ "$(od -An -tx1 -N8 "$made" | tr -d ' ')" = cffaedfe0c000001 ] || { echo "darwin: $made is no program for Apple silicon"; exit 1; }
echo "linked: $(stat -c %s "$made") bytes, $((SECONDS - start)) s"
