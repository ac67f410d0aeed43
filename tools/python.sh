#!/usr/bin/env bash
# Builds the Python package's wheel, installs it into a clean environment, runs its README's example, its tests, its examples and mypy.
# The contract suite is compared with what Rust gives. Ends with 77 where Python 3.11 or pip is missing.
# Usage: tools/python.sh [PROFILE]      AKUNU_PYTHON names the interpreter, AKUNU_WHEELS keeps the wheel in a folder
set -euo pipefail
cd "$(dirname "$0")/.."
profile=${1:-release}
python=${AKUNU_PYTHON:-python3}
"$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    { echo "no Python 3.11 or newer with venv; set AKUNU_PYTHON"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wheels=${AKUNU_WHEELS:-$work/wheels}

tools/fetch-model.sh >/dev/null
"$python" -m venv "$work/build"
"$work/build/bin/pip" install -q --disable-pip-version-check 'maturin>=1.9,<2'
"$work/build/bin/maturin" build -q --profile "$profile" -m bindings/python/Cargo.toml -i "$work/build/bin/python" -o "$wheels"

# Which systems it runs on, as its name says and as what it links to says.
if [ "$(uname -s)" = Linux ]; then
    "$work/build/bin/pip" install -q --disable-pip-version-check 'auditwheel>=6,<7'
    wheel=$(ls -t "$wheels"/akunu-*.whl | head -1)
    tag=$("$work/build/bin/auditwheel" show "$wheel" | tr '\n' ' ' | sed -n 's/.*platform tag: "\([a-z0-9_]*\)".*/\1/p')
    case "$wheel" in
        *"$tag".whl) echo "auditwheel: $tag" ;;
        *) echo "auditwheel says $tag, and the wheel is called $wheel" >&2; exit 1 ;;
    esac
fi

# A clean environment: the wheel and what it asks for.
"$python" -m venv "$work/clean"
"$work/clean/bin/pip" install -q --disable-pip-version-check "$(ls -t "$wheels"/akunu-*.whl | head -1)"
example=$(sed -n '/<!-- example -->/,/^```$/p' bindings/python/README.md | sed '1,2d;$d')
out=$(cd "$work" && printf '%s\n' "$example" | "$work/clean/bin/python" -)
case "$out" in *Paris*) echo "README's example: $out" ;; *) echo "README's example says: $out" >&2; exit 1 ;; esac
(cd "$work" && "$work/clean/bin/python" -m akunu --version)

# What Rust gives, to be compared with; and a tiny model that knows tools.
export AKUNU_CONTRACT_OUT=$work/contract
cargo nextest run --cargo-profile fast -p akunu-capi --run-ignored all -E 'test(real_results_through_c_are_those_of_rust)' >/dev/null 2>"$work/rust.log" ||
    { cat "$work/rust.log" >&2; exit 1; }

"$work/clean/bin/pip" install -q --disable-pip-version-check 'pytest>=8,<10' 'pydantic>=2,<3' 'mypy>=1.11,<3'
# Beside the sources, which must not be imported in the place of what is installed.
cp -r bindings/python/tests bindings/python/examples bindings/python/pyproject.toml "$work/"
cp tests/contract/cases.json "$work/contract/"
export AKUNU_TINY=$work/contract/tiny.gguf AKUNU_TINY_BERT=$PWD/tests/fixtures/tiny-bert
export AKUNU_TINY_WHISPER=$PWD/tests/fixtures/tiny-whisper AKUNU_AUDIO=$PWD/tests/fixtures/audio
(cd "$work" && "$work/clean/bin/python" -m pytest -q tests)
(cd "$work" && "$work/clean/bin/python" -m mypy --config-file pyproject.toml tests/typing_check.py examples && \
    "$work/clean/bin/python" -m mypy --config-file pyproject.toml -p akunu)
# The stubs of the native half say what is there.
(cd "$work" && "$work/clean/bin/python" -m mypy.stubtest akunu._akunu --ignore-disjoint-bases)
