#!/usr/bin/env bash
# What /openapi.json says against what the server does: schemathesis makes requests of the description, right and wrong ones, and looks for a status
# of 5xx, an answer that is not what is described, a wrong request that is taken, and a method that is.
#
# A request of the right form may still be refused (a model of another name, a tool without a name, more tokens than the context has), so it is not
# asked that all of these be taken.
#
# Usage: tools/serve_schema.sh [AKUNU] [more options of `schemathesis run`]
#   AKUNU_SCHEMA_VENV   where schemathesis is installed (default: ~/.cache/akunu/schemathesis-venv)
set -euo pipefail

version="4.32.5"
here="$(cd "$(dirname "$0")" && pwd)"
akunu="${1:-$here/../target/fast/akunu}"
shift || true
venv="${AKUNU_SCHEMA_VENV:-$HOME/.cache/akunu/schemathesis-venv}"
fixtures="$here/../tests/fixtures"

if [ "$("$venv/bin/schemathesis" --version 2>/dev/null)" != "schemathesis, version $version" ]; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    # --only-binary: no package's build script runs here.
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: "schemathesis==$version" >&2
fi

work="$(mktemp -d)"
server=""
stop() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap stop EXIT

"$akunu" serve "$fixtures/tiny-llama" "$fixtures/tiny-bert" --chat-template chatml --device cpu -t 1 --port 0 --json \
    > "$work/listening" 2> "$work/log" &
server=$!
for _ in $(seq 200); do
    url="$(sed -n 's/.*"listening":"\([^"]*\)".*/\1/p' "$work/listening")"
    if [ -n "$url" ] && python3 -c "import sys, urllib.request; urllib.request.urlopen(sys.argv[1])" "$url/health" 2>/dev/null; then break; fi
    kill -0 "$server" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
    sleep 0.1
done
[ -n "${url:-}" ] || { cat "$work/log" >&2; exit 1; }

cd "$work"
SECONDS=0
status=0
"$venv/bin/schemathesis" run "$url/openapi.json" --exclude-checks positive_data_acceptance --max-examples 60 --seed 1 --workers 1 \
    --request-timeout 30 --continue-on-failure --generation-database none --suppress-health-check all "$@" || status=$?
echo "took $SECONDS s"
kill -0 "$server" || { echo "the server has ended:" >&2; tail "$work/log" >&2; exit 1; }
exit "$status"
