#!/usr/bin/env bash
# Fetches five recordings of speech with their transcripts (LibriVox, 16 kHz; BSD-2), which travel in a Debian package of 1.8 MB.
#
# Usage: tools/fetch-speech.sh         prints the path of the folder on standard output; exits 77 where there is no apt or dpkg
set -euo pipefail

package="pocketsphinx-testdata"
target="${AKUNU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/akunu}/speech"

complete() { # folder
    (cd "$1" && sha256sum --check --status) <<'SUMS'
4cc29e04a6dcd29242893b3ee20470e50b6ace45f4387bb619e5218145c66f99  transcription
b0557cf95c974d930577e58e46b7f068c432a6e3afcc286563d88922b2a5315c  sense_and_sensibility_01_austen_64kb-0870.wav
fbec491ef00ee734a67f0ee318e98c51c157b479e1629ff4f4426861ecac0414  sense_and_sensibility_01_austen_64kb-0880.wav
5793ffbdee55fb8bfd284943a6866864c832d9d4accf2661cabd39915c84ee10  sense_and_sensibility_01_austen_64kb-0890.wav
40882414ef4cc51f3ff7a63bad0c8c87e7f595ffeb8209fbf756c8ebc5c28a59  sense_and_sensibility_01_austen_64kb-0920.wav
954adbf0b56ac8a148cbe77b39ca18d76b5f2a1e1f405565bd786ce3e68a68b7  sense_and_sensibility_01_austen_64kb-0930.wav
SUMS
}

if [ -d "$target" ] && complete "$target"; then
    echo "$target"
    exit 0
fi
for tool in apt-get dpkg-deb; do
    command -v "$tool" >/dev/null || { echo "no $tool: the recordings come as a Debian package" >&2; exit 77; }
done

mkdir -p "$(dirname "$target")"
work="$(mktemp -d "$(dirname "$target")/.fetch.XXXXXX")"
trap 'rm -rf "$work"' EXIT
echo "fetching $package" >&2
if ! (cd "$work" && apt-get download "$package" >&2); then
    # A fresh machine has no list of packages yet.
    apt-get update >&2 && (cd "$work" && apt-get download "$package" >&2) || exit 77
fi
dpkg-deb -x "$work"/*.deb "$work/x"
mv "$work"/x/usr/share/pocketsphinx/test/data/librivox "$work/out"
if ! complete "$work/out"; then
    echo "the recordings in $package are others than before; nothing was installed" >&2
    exit 1
fi
rm -rf "$target"
mv "$work/out" "$target"
echo "$target"
