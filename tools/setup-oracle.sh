#!/usr/bin/env bash
# Creates the Python environment of the oracle (torch on the CPU, transformers, gguf) and prints the path of its
# interpreter. A second run is quick when nothing changed.
#
# Usage: tools/setup-oracle.sh
#   AKUNU_ORACLE_VENV    where it goes (default: ~/.cache/akunu/oracle-venv)
#   AKUNU_ORACLE_PYTHON  the CPython 3.11 that it is made from (default: python3.11, else python3)
set -euo pipefail

here="$(cd "$(dirname "$0")" && pwd)"
venv="${AKUNU_ORACLE_VENV:-$HOME/.cache/akunu/oracle-venv}"
python="${AKUNU_ORACLE_PYTHON:-$(command -v python3.11 || command -v python3)}"

# The wheels' hashes are pinned, so only the Python that they were pinned for can install them.
if [ "$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')" != "3.11" ]; then
    echo "the pinned wheels need CPython 3.11; set AKUNU_ORACLE_PYTHON to one" >&2
    exit 1
fi

stamp="$(cat "$0" "$here/requirements-oracle.txt" "$here/cpu_torch_stubs.py" | sha256sum | cut -d' ' -f1)"
if [ -f "$venv/akunu-stamp" ] && [ "$(cat "$venv/akunu-stamp")" = "$stamp" ]; then
    echo "$venv/bin/python"
    exit 0
fi

rm -rf "$venv"
"$python" -m venv "$venv"
# --only-binary: no package's build script runs here.
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
    --only-binary :all: -r "$here/requirements-oracle.txt" >&2
"$venv/bin/python" "$here/cpu_torch_stubs.py" >&2
"$venv/bin/python" -c 'import torch, transformers, gguf; assert torch.ones(2).sum() == 2' >&2
echo "$stamp" > "$venv/akunu-stamp"
echo "$venv/bin/python"
