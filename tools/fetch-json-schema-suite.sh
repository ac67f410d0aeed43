#!/usr/bin/env bash
# Unpacks the official test suite of JSON Schema from a pinned source archive that carries it (the Python package
# jsonschema) into the cache, checked by SHA-256. Prints the folder. Nothing from it enters this repository.
set -euo pipefail

name="jsonschema"
version="4.23.0"
sha256="d71497fef26351a33265337fa77ffeb82423f3ea21283cd9467bb03999266bc4"

cache="${AKUNU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/akunu}"
target="$cache/json-schema-suite"
if [ -f "$target/$sha256" ]; then
    echo "$target"
    exit 0
fi

mkdir -p "$cache"
work="$(mktemp -d "$cache/.suite.XXXXXX")"
trap 'rm -rf "$work"' EXIT
echo "fetching $name==$version (source)" >&2
python3 -m pip download --quiet --disable-pip-version-check --no-deps \
    --no-binary "$name" --dest "$work" "$name==$version" >&2
archive="$work/$name-$version.tar.gz"
if ! echo "$sha256  $archive" | sha256sum --check --status; then
    echo "SHA-256 of the source archive is not $sha256; nothing was installed" >&2
    exit 1
fi
mkdir "$work/suite"
tar -xzf "$archive" -C "$work/suite" --strip-components=3 "$name-$version/json/tests"
touch "$work/suite/$sha256"
rm -rf "$target"
mv "$work/suite" "$target"
echo "$target"
