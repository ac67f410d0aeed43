#!/usr/bin/env bash
# Fuzzing on the stable toolchain: tools/fuzz.sh [TARGET] [SECONDS]
#
# Without a target every one runs for SECONDS (60 unless told), one after the other; `list` names them, `build` only builds.
# A finding ends the run with status 1 and leaves its input in $AKUNU_FUZZ_WORK/findings; give that file as third
# argument to run it alone. docs/fuzzing.md says more.
#
#   AKUNU_FUZZ_WORK   corpus, findings and logs (default: fuzz/work)
#   CARGO_TARGET_DIR  where the build goes (default: fuzz/target)
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

targets=$(sed -n 's|^path = "targets/\(.*\)\.rs"$|\1|p' fuzz/Cargo.toml)
target=${1:-all} seconds=${2:-60} input=${3:-}
[ "$target" = list ] && { echo "$targets"; exit; }
case " all build $(echo $targets) " in
*" $target "*) ;;
*) echo "no target $target; there are: $(echo $targets)" >&2; exit 2 ;;
esac
for tool in cargo c++ python3; do
    command -v $tool >/dev/null || { echo "no $tool: fuzzing needs Rust, a C++ compiler (for libFuzzer) and Python 3" >&2; exit 77; }
done

# What `cargo fuzz` passes on a nightly toolchain, without the sanitizers: only the engine's dependencies have unsafe code.
# A target is named so that build scripts are built without these flags.
host=$(rustc -vV | sed -n 's/^host: //p')
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/fuzz/target}
flags="-C passes=sancov-module -C llvm-args=-sanitizer-coverage-level=4"
for f in inline-8bit-counters pc-table trace-compares; do flags+=" -C llvm-args=-sanitizer-coverage-$f"; done
# Branches stay branches, so that each has a counter.
flags+=" -C llvm-args=-simplifycfg-branch-fold-threshold=0 --cfg fuzzing"
if [ -z "${AKUNU_FUZZ_BUILT:-}" ]; then
    RUSTFLAGS="$flags" cargo build --manifest-path fuzz/Cargo.toml --release --locked --target "$host" --bins
fi
[ "$target" = build ] && exit
bin=$CARGO_TARGET_DIR/$host/release

work=${AKUNU_FUZZ_WORK:-$root/fuzz/work}
mkdir -p "$work"/{corpus,findings,logs}
# Inputs become files, some thousand each second: in memory where there is such a place.
# One folder for each target: readers look for more than one file, and would find another target's.
folder=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")/akunu-fuzz.XXXXXX")
export AKUNU_FUZZ_DIR RUST_BACKTRACE=1
trap 'rm -rf "$folder"' EXIT
python3 tools/fuzz_seeds.py "$folder/seeds"

# The longest input, in bytes.
longest() { case $1 in gguf | tokenizer_json | audio) echo 32768 ;; safetensors | config) echo 16384 ;; chat_template | session_file) echo 4096 ;; *) echo 1024 ;; esac; }

failed=0
for t in $targets; do
    [ "$target" = all ] || [ "$target" = "$t" ] || continue
    AKUNU_FUZZ_DIR=$folder/$t
    # Two limits: the targets limit their own memory at every allocation, and libFuzzer that of the process.
    options=(-rss_limit_mb=2048 -malloc_limit_mb=1024 -timeout=20 "-max_len=$(longest "$t")"
        "-artifact_prefix=$work/findings/$t-")
    [ -f "fuzz/dictionaries/$t.dict" ] && options+=("-dict=fuzz/dictionaries/$t.dict")
    if [ -n "$input" ]; then
        "$bin/$t" "${options[@]}" "$input"
        continue
    fi
    mkdir -p "$work/corpus/$t"
    log=$work/logs/$t.log
    echo "== $t, $seconds s"
    status=0
    "$bin/$t" "${options[@]}" "-max_total_time=$seconds" -print_final_stats=1 "$work/corpus/$t" "$folder/seeds/$t" \
        >"$log" 2>&1 || status=$?
    features=$(sed -n 's/.* ft: \([0-9]*\) .*/\1/p' "$log" | tail -1)
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
    ran=$(sed -n 's/^Done [0-9]* runs in \([0-9]*\) second.*/\1/p' "$log" | tail -1)
    printf '%s\t%s\t%s\t%s\t%s\n' "$t" "${ran:-?}" "${executions:-?}" "${features:-?}" "$([ $status = 0 ] && echo 0 || echo 1)" |
        tee -a "$work/table.tsv"
    if [ $status != 0 ]; then
        failed=1
        tail -40 "$log"
    fi
done
exit $failed
