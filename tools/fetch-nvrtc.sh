#!/usr/bin/env bash
# NVRTC, the CUDA compiler as a library, into the user's cache: what compiling kernels without a GPU needs. akunu itself
# knows the package and its hashes.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo run -q --profile fast -p akunu-cli -- doctor --fix --device cuda | grep nvrtc
