#!/usr/bin/env bash
# Fetches people's judgements of similarity for embed_oracle.py, pinned by SHA-256: pairs of words (WordSim-353, SimLex-999), and
# all pairs of the 50 news texts of Lee, Pincombe and Welsh ("An Empirical Evaluation of Models of Text Document Similarity", 2005).
#
# They travel inside a wheel, as test data of gensim. Nothing of it enters this repository.
# Usage: tools/fetch-similarity.sh        prints the path of the folder on standard output
set -euo pipefail

package="gensim==4.4.0"
members="gensim/test/test_data"
hashes="f92a022fc2537793a15bc3a8c162ebcd74990e033a228bb6388cb71e4c0b1e1d  wordsim353.tsv
d5e0501971478a511430ee880bd0121e94ac701ba86d90544d83e6d2ba3db05d  simlex999.txt
a878f9a58f6743c32985c56c2f2f75988386216b38a4023a01fd3bcf7884d93e  lee.cor
23762bc6b728897144dda3d324a2c032dc1e059e1009806226d64b6dd123ed79  similarities0-1.txt"

downloads="${AKUNU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/akunu}/downloads"
target="$downloads/similarity"

matches() { # folder
    (cd "$1" && echo "$hashes" | sha256sum --check --status)
}

if [ -d "$target" ] && matches "$target"; then
    echo "$target"
    exit 0
fi

mkdir -p "$downloads"
# Beside the target: the last step must be a rename within one file system.
work="$(mktemp -d "$downloads/.fetch.XXXXXX")"
trap 'rm -rf "$work"' EXIT

echo "fetching $package" >&2
# A wheel, since pip compiles a source archive only to read its metadata.
if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$work" "$package" >&2; then
    echo "$package has no wheel for this Python, or the package index cannot be reached; nothing was installed" >&2
    exit 1
fi
python3 - "$work" "$members" "$work/out" "$hashes" <<'PY'
import pathlib, sys, zipfile

folder, members, out, hashes = sys.argv[1:]
wheels = list(pathlib.Path(folder).glob("*.whl"))
if len(wheels) != 1:
    sys.exit(f"expected one wheel in the download, found {[w.name for w in wheels]}")
out = pathlib.Path(out)
out.mkdir()
with zipfile.ZipFile(wheels[0]) as wheel:
    for line in hashes.splitlines():
        name = line.split()[1]
        try:
            (out / name).write_bytes(wheel.read(f"{members}/{name}"))
        except KeyError:
            sys.exit(f"{wheels[0].name} has no {members}/{name}; nothing was installed")
PY
if ! matches "$work/out"; then
    echo "the SHA-256 of a file in $package is not the pinned one; nothing was installed:" >&2
    (cd "$work/out" && echo "$hashes" | sha256sum --check --quiet) >&2 || true
    exit 1
fi
rm -rf "$target"
mv "$work/out" "$target"
echo "$target"
