#!/usr/bin/env bash
# NVRTC, the CUDA compiler as a library, into the user's cache: what compiling kernels without a GPU needs. akunu itself
# knows the package and its hashes. AKUNU_BIN names a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -x "${AKUNU_BIN:-}" ]; then
    "$AKUNU_BIN" doctor --fix --device cuda | grep nvrtc
else
    cargo run -q --profile fast -p akunu-cli -- doctor --fix --device cuda | grep nvrtc
fi
