#!/usr/bin/env bash
# Everything that is checked and measured on an NVIDIA GPU, in one go: conformance, sanitizer, quality, the bench table.
# Leaves record.json, and all logs in logs.tar.gz. Needs no Rust there: it takes binaries built elsewhere.
#
#   tools/h200.sh BIN OUT [MODEL] [TOP64]
#
#   BIN     folder with `akunu`, and the test binaries (see below)
#   OUT     folder for records and logs
#   MODEL   SmolLM2-135M-Instruct.Q4_1.gguf, for parity and quality; left out where it is not given
#   TOP64   the oracle's best 64 (tools/oracle_top.py make)
#
# Built by:
#   cargo build --profile fast -p akunu-cli
#   cargo test --profile fast -p akunu-conformance --no-run --test cuda --test architectures \
#       --test windows --test kernels_on_device
#
# PARTS picks from: conformance sanitizer quality bench profile (default: all; about 7 minutes). MODELS and REPEATS
# change the bench; EVERY=4 runs every fourth case of the kernels.
set -uo pipefail
cd "$(dirname "$0")/.."
bin=$(realpath "$1") out=$(realpath -m "$2") model=${3:-} top=${4:-}
parts=${PARTS:-conformance sanitizer quality bench profile}
repeats=${REPEATS:-5}
mkdir -p "$out"
# Everything goes to one archive and one record.
final=$out
out=$(mktemp -d)
export AKUNU_FIXTURES="$PWD/tests/fixtures"
failed=0

part() { [[ " $parts " == *" $1 "* ]] && printf '\n== %s (%ss)\n' "$1" "$SECONDS"; }
note() {
    if "${@:2}"; then echo "ok: $1"; else echo "FAILED: $1"; failed=1; fi
}
sanitized() { # TOOL: one that stands still, as the race detector does in one run of five, at any test, begins again
    local code
    for limit in 130 130 280; do
        timeout -k 5 $limit compute-sanitizer --tool "$1" --error-exitcode 9 "$bin/kernels_on_device" "${gpu_tests[@]}" \
            >"$out/$1.log" 2>&1
        code=$?
        [ $code = 124 ] || [ $code = 137 ] || return $code
        echo "$1 stood still for $limit s: $(tail -n 1 "$out/$1.log")" >>"$out/checks.txt"
    done
    return $code
}
checked() { # NAME: its last line to the record; a run of no test at all has checked nothing
    tail -n 1 "$out/$1.log" | sed "s/^/$1: /" | tee -a "$out/checks.txt"
    if grep -q '^test result: .* 0 passed' "$out/$1.log"; then echo "FAILED: $1 ran no test"; failed=1; fi
}
# Tests that need a GPU are called `gpu` or `gpu_...`, and elsewhere show as ignored; those of real files are `gpu_real_...`.
gpu_tests=(--ignored gpu --skip gpu_real_ --test-threads 1)

nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader | tee "$out/gpu.txt"

if part conformance; then
    note "whole models" timeout 300 "$bin/cuda" "${gpu_tests[@]}" --nocapture >"$out/cuda.log" 2>&1
    for t in architectures windows; do
        note "$t" timeout 200 "$bin/$t" "${gpu_tests[@]}" --nocapture >"$out/$t.log" 2>&1
    done
    AKUNU_TEST_EVERY=${EVERY:-1} note "kernels" timeout 300 "$bin/kernels_on_device" "${gpu_tests[@]}" >"$out/kernels.log" 2>&1
    for t in cuda architectures windows kernels; do checked $t; done
fi

if part sanitizer; then
    # Without the repeating graph: the sanitizer does not follow conditional nodes.
    for tool in memcheck racecheck; do
        # Both make kernels many times slower, the race detector hundreds of times: they see a part of the cases.
        every=5
        [ $tool = racecheck ] && every=25
        AKUNU_TEST_EVERY=$every AKUNU_CUDA=no-while note "$tool" sanitized $tool
        checked $tool
    done
fi

if part quality && [ -n "$model" ]; then
    AKUNU_MODEL="$model" note "greedy tokens" timeout 100 "$bin/cuda" --ignored gpu_real_ --nocapture >"$out/greedy.log" 2>&1
    checked greedy
    if [ -n "$top" ]; then
        for rows in 1 8 512; do
            "$bin/akunu" logits "$model" --device cuda --tokens tests/fixtures/oracle/english_tokens.json \
                --window 512 --rows $rows -o /tmp/akunu-logits.f32 --json >"$out/run.json"
            python3 tools/oracle_top.py compare "$top" /tmp/akunu-logits.f32 --json | tee "$out/quality-$rows.json"
        done
        rm -f /tmp/akunu-logits.f32
    fi
fi

if part bench; then
    # The first load of a shape compiles its kernels; to the first token, with random weights made on the host.
    start=$(date +%s.%N)
    AKUNU_CACHE=$(mktemp -d) AKUNU_NVRTC=${AKUNU_NVRTC:-} "$bin/akunu" bench --device cuda \
        --synthetic llama-3.2-1b:q4_0 -p 0 -n 1 -r 1 --ctx 4096 >/dev/null 2>&1
    python3 -c "import sys,time; print(round(time.time() - float(sys.argv[1]), 2))" "$start" | tee "$out/cold.txt"
    list=${MODELS:-smollm2-135m:q4_0 llama-3.2-1b:bf16 llama-3.2-1b:q8_0 llama-3.2-1b:q4_0 llama-3-8b:f16 llama-3-8b:q8_0 llama-3-8b:q4_0
        llama-3-8b:q4_k_m llama-3-8b:affine4_g64 qwen3-0.6b:bf16 qwen3-30b-a3b:q4_k_m}
    for m in $list; do
        "$bin/akunu" bench --device cuda --synthetic "$m" -p 2048 -n 128 -r "$repeats" --ctx 4096 --json \
            >"$out/bench-${m/:/-}.json" 2>"$out/bench.err" || { failed=1; tail -n 2 "$out/bench.err"; }
    done
    "$bin/akunu" bench --device cuda --synthetic llama-3-8b:q4_0 -p 0 -n 128 -d 8192 -r "$repeats" --ctx 8448 --json \
        >"$out/bench-llama-3-8b-q4_0-depth.json" 2>"$out/bench.err" || failed=1
fi

if part profile; then
    for m in llama-3.2-1b:bf16 llama-3.2-1b:q4_0 llama-3-8b:q4_0; do
        "$bin/akunu" profile --device cuda --synthetic "$m" --ctx 4096 --json >"$out/profile-${m/:/-}.json" 2>/dev/null
    done
fi

# One record of all of it.
python3 - "$out" <<'PY'
import glob, json, os, sys
out = sys.argv[1]
read = lambda p: json.load(open(p)) if os.path.getsize(p) else None
name = lambda p, prefix: os.path.basename(p)[len(prefix):-len(".json")]
record = {
    "what": "akunu on an NVIDIA GPU: decode and prefill of synthetic weights, quality of SmolLM2 Q4_1",
    "command": "tools/h200.sh BIN OUT MODEL TOP64",
    "machine": {"gpu": open(f"{out}/gpu.txt").read().strip()},
    "bench": [row for p in sorted(glob.glob(f"{out}/bench-*.json")) for row in (read(p) or [])],
    "cold_start_seconds": float(open(f"{out}/cold.txt").read()) if os.path.exists(f"{out}/cold.txt") else None,
    "checks": open(f"{out}/checks.txt").read().split("\n")[:-1] if os.path.exists(f"{out}/checks.txt") else [],
    "quality": {name(p, "quality-"): read(p) for p in sorted(glob.glob(f"{out}/quality-*.json"))},
}
json.dump(record, open(f"{out}/record.json", "w"), indent=1)
for row in record["bench"]:
    print(f"{row['model']:32} {row['test']:8} @ {row['depth']:5} {round(row['avg_ts'], 1)}")
for rows, q in record["quality"].items():
    print(f"rows {rows}: {q}")
PY
cp "$out/record.json" "$final/record.json"
tar -czf "$final/logs.tar.gz" -C "$out" .
echo "failed: $failed"
exit $failed
