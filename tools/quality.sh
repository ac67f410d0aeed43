#!/usr/bin/env bash
# Compares akunu's next-token distributions with the f32 oracle's on the committed English text: the reference
# kernels, then the default ones, then both with other formats of the KV cache. Prints one JSON line each and writes a
# record.
#
#   tools/quality.sh [RECORD.json]        AKUNU_BIN names a binary that is built already
set -euo pipefail
cd "$(dirname "$0")/.."

cache="${AKUNU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/akunu}"
model="$cache/models/SmolLM2-135M-Instruct.Q4_1.gguf"
python="${AKUNU_ORACLE_VENV:-$HOME/.cache/akunu/oracle-venv}/bin/python"
tokens=tests/fixtures/oracle/english_tokens.json
record="${1:-}"

tools/setup-oracle.sh
tools/fetch-model.sh
[ -s "$cache/oracle/oracle_logits.f32" ] || "$python" tools/oracle.py logits

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

akunu="${AKUNU_BIN:-target/release/akunu}"
[ -n "${AKUNU_BIN:-}" ] || cargo build --release -p akunu-cli

measure() { # LEVEL, or nothing for the default; FORMAT of the KV cache, or nothing for the device's own
    AKUNU_CPU="$1" "$akunu" logits "$model" --tokens "$tokens" --window 512 --json --device cpu \
        ${2:+--cache-type-k "$2" --cache-type-v "$2"} -o "$work/logits.f32" >"$work/run.json"
    "$python" tools/oracle.py compare "$work/logits.f32" --json >"$work/compare.json"
    "$python" - "$work/run.json" "$work/compare.json" "${2:-own}" <<'PY'
import json, sys
run, compare = (json.load(open(p)) for p in sys.argv[1:3])
print(json.dumps({"device": run["device"], "cache": sys.argv[3], **compare}))
PY
}

{
    for format in "" f16 bf16 q8_0; do measure reference "$format"; done
    for format in "" bf16 q8_0; do measure "" "$format"; done
} | tee "$work/all.jsonl"

if [ -n "$record" ]; then
    "$python" - "$work/all.jsonl" <<'PY' | "$python" tools/records.py "$record"
import json, platform, subprocess, sys
cpu = next((l.split(":", 1)[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "unknown")
print(json.dumps({
    "what": "next-token distributions against the f32 oracle (transformers, same GGUF dequantized)",
    "command": "tools/quality.sh",
    "model": "SmolLM2-135M-Instruct.Q4_1.gguf",
    "tokens": 4096,
    "machine": {"cpu": cpu, "system": platform.system()},
    "commit": subprocess.check_output(["git", "rev-parse", "HEAD"], text=True).strip(),
    "results": [json.loads(l) for l in open(sys.argv[1])],
}))
PY
fi
