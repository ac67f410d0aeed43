#!/usr/bin/env bash
# The tests of akunu-kernels on aarch64, under user-mode emulation: every CPU level that the emulator has, NEON with dot
# product and i8mm included. On Debian it installs what is missing. Leaves with 77, and says what it lacks, where the
# compiler's aarch64 library, a linker or the emulator cannot be had. Arguments go to `cargo test`; without any, all of the
# crate's tests run.
set -euo pipefail
cd "$(dirname "$0")/.."
target=aarch64-unknown-linux-gnu

lacks() { echo "aarch64: not tested here: $1"; exit 77; }

# Quietly, and only once however often it is called for.
apt_install() {
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || return 1
    [ -n "${updated:-}" ] || { apt-get update -qq >/dev/null 2>&1 || return 1; }
    updated=yes
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1
}

has_target() { [ -d "$("$1" --print sysroot 2>/dev/null)/lib/rustlib/$target" ]; }

# The usual compiler with the target added, or Debian's, which has the target's library as a package.
cargo=cargo
if ! has_target rustc && ! timeout 60 rustup target add "$target" >/dev/null 2>&1; then
    cargo=/usr/bin/cargo
    export RUSTC=/usr/bin/rustc
    if ! [ -x "$cargo" ] || ! has_target "$RUSTC"; then
        command -v dpkg >/dev/null && [ "$(id -u)" = 0 ] && dpkg --add-architecture arm64
        apt_install rustc-web cargo-web libstd-rust-web-dev:arm64 || lacks "no Rust library for $target"
    fi
fi
command -v aarch64-linux-gnu-gcc >/dev/null || apt_install gcc-aarch64-linux-gnu libc6-dev-arm64-cross ||
    lacks "no aarch64-linux-gnu-gcc"
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
[ -n "$emulator" ] || { apt_install qemu-user && emulator=qemu-aarch64; } || lacks "no qemu-aarch64"

# Linked statically: threads of dynamically linked programs hang in some versions of the emulator. A target directory of
# its own: the compiler may be another than that of the other builds.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/emulated
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER=$emulator
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS="-C target-feature=+crt-static"
[ $# -gt 0 ] || set -- --no-fail-fast --lib --tests
"$cargo" test --locked --profile fast -p akunu-kernels --target "$target" "$@"
