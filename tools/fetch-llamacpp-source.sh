#!/usr/bin/env bash
# Fetches the pinned source archive of llama-cpp-python, which carries the source of llama.cpp, and prints
# its path. Two scripts share it: fetch-vocabs.sh (test vectors) and peer-llamacpp.sh (the speed peer).
# Nothing from it enters this repository.
set -euo pipefail

name="llama-cpp-python"
version="0.3.36"
sha256="832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e"

downloads="${AKUNU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/akunu}/downloads"
target="$downloads/llama_cpp_python-$version.tar.gz"

matches() { # file
    echo "$sha256  $1" | sha256sum --check --status
}

if [ -f "$target" ] && matches "$target"; then
    echo "$target"
    exit 0
fi

mkdir -p "$downloads"
work="$(mktemp -d "$downloads/.fetch.XXXXXX")"
trap 'rm -rf "$work"' EXIT

# --no-binary names this one package: with ":all:" pip would also compile cmake from source, only to read
# the archive's metadata.
echo "fetching $name==$version (source)" >&2
python3 -m pip download --quiet --disable-pip-version-check --no-deps \
    --no-binary "$name" --dest "$work" "$name==$version" >&2

got="$(find "$work" -maxdepth 1 -name '*.tar.gz')"
if ! matches "$got"; then
    echo "SHA-256 of the source archive is not $sha256; nothing was installed" >&2
    exit 1
fi
mv -f "$got" "$target"
echo "$target"
