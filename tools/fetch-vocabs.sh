#!/usr/bin/env bash
# Unpacks tokenizer test vectors and chat templates from the pinned source archive into the cache: vocabularies
# without tensors (ggml-vocab-*.gguf), for some of them sample texts (.inp) and the expected ids (.out),
# and templates. Prints the two folders.
#
# In a .inp file the samples are separated by a line "__ggml_vocab_test__"; each line of the .out file has the
# ids of one sample, without special tokens.
set -euo pipefail

here="$(cd "$(dirname "$0")" && pwd)"
cache="${AKUNU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/akunu}"
archive="$("$here/fetch-llamacpp-source.sh")"

work="$(mktemp -d "$cache/.vocabs.XXXXXX")"
trap 'rm -rf "$work"' EXIT
tar -xzf "$archive" -C "$work" --strip-components=4 --wildcards --no-wildcards-match-slash \
    '*/vendor/llama.cpp/models/ggml-vocab-*' '*/vendor/llama.cpp/models/templates'

mkdir -p "$work/vocabs" "$cache/vocabs" "$cache/templates"
mv "$work"/ggml-vocab-* "$work/vocabs/"
# File by file, each by rename: a test that reads the folder meanwhile never sees half a file.
for kind in vocabs templates; do
    for file in "$work/$kind"/*; do
        mv -f "$file" "$cache/$kind/"
    done
    echo "$cache/$kind"
done
