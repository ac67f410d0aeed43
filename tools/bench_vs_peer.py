"""Speed of akunu beside llama.cpp on the same files, in turn: akunu, peer, akunu, peer, ...

Taking turns spreads the machine's moods (clock, neighbours) over both, and the medians drop the odd bad round.
Files of real shapes have random weights, written by a generator that is given with --synth or in AKUNU_SYNTH; their
types per tensor are those that llama-quantize chooses. Each run of akunu measures the read bandwidth first, so a record
says what share of it decoding reaches in the same minutes.

    tools/fetch-model.sh; tools/peer-llamacpp.sh; cargo build --release
    PYTHON tools/bench_vs_peer.py --synth SYNTH_GGUF.py --out benches/records/NAME.json
    PYTHON tools/bench_vs_peer.py --models llama-3.2-1b-q4_0 -p 0 -n 32 -d 4096 --out ...

PYTHON is what tools/setup-oracle.sh prints (the generator needs numpy and gguf). Run it on a quiet machine: the record
keeps the load average before every run, so that a reader can tell.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys

import records

ROOT = pathlib.Path(__file__).resolve().parent.parent
REAL = "smollm2-135m-q4_1"
# Row name -> the generator's arguments.
SYNTHETIC = {
    f"{shape}-{kind}": (shape, kind)
    for shape in ("smollm-135m", "qwen3-0.6b", "llama-3.2-1b")
    for kind in ("q4_0", "q4_k_m", "q8_0", "f16", "bf16")
}


def cache():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("AKUNU_CACHE") or os.path.join(home, "akunu"))


def model_file(name, synth):
    if name == REAL:
        path = cache() / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
        if not path.exists():
            sys.exit("no real model: run tools/fetch-model.sh")
        return path
    path = cache() / "synth" / f"{name}.gguf"
    if path.exists():
        return path
    if not synth:
        sys.exit(f"{name} is not in the cache: name the generator with --synth or AKUNU_SYNTH")
    path.parent.mkdir(parents=True, exist_ok=True)
    shape, kind = SYNTHETIC[name]
    part = path.with_suffix(".part")
    subprocess.run([sys.executable, synth, "--shape", shape, "--type", kind, "--out", part], check=True,
                   stdout=sys.stderr)
    part.replace(path)
    return path


def run_json(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed ({done.returncode}):\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def rates(rows):
    """{test: tokens per second} from one run of either program; llama-bench names no test, but its counts do."""
    found = {}
    for row in rows:
        prompt, new = row.get("n_prompt", 0), row.get("n_gen", 0)
        test = row.get("test") or (f"tg{new}" if new else f"pp{prompt}")
        depth = row.get("depth") or row.get("n_depth") or 0
        found[f"{test} @ d{depth}" if depth else test] = row["avg_ts"]
    return found


def machine():
    info = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        info.setdefault(key.strip(), value.strip())
    memory = int(pathlib.Path("/proc/meminfo").read_text().split()[1])
    flags = info.get("flags", "").split()
    return {
        "cpu": info.get("model name", platform.processor()),
        "family_model_stepping": [info.get(k) for k in ("cpu family", "model", "stepping")],
        "cores": os.cpu_count(),
        "memory_gib": round(memory / 2**20, 1),
        "instructions": [f for f in flags if f.startswith(("avx", "amx", "fma", "f16c"))],
        "kernel": platform.release(),
    }


def output(command, cwd=None):
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd).stdout.strip()


def bench(name, path, args):
    """All rounds on one file. A record names programs and files, never where they lie on this machine."""
    shape = ["-p", str(args.prompt), "-n", str(args.new), "-d", str(args.depth), "-r", "1", "-o", "json"]
    commands = {
        "akunu": [args.akunu, "bench", path, *shape, *args.akunu_args.split()],
        "peer": [args.peer / "llama-bench", "-m", path, *shape, "-t", str(args.threads)],
    }
    samples = {"akunu": {}, "peer": {}}
    loads, shares, bandwidths = [], {}, []
    for number in range(args.rounds):
        for side, command in commands.items():
            loads.append(round(os.getloadavg()[0], 2))
            rows = run_json(command)
            found = rates(rows)
            for test, rate in found.items():
                samples[side].setdefault(test, []).append(rate)
            if side == "akunu" and rows[0].get("bandwidth_gbps"):
                bandwidths.append(rows[0]["bandwidth_gbps"])
                for test, row in zip(found, rows):
                    shares.setdefault(test, []).append(row["bandwidth_share"])
        print(f"{name} round {number + 1}: " + "  ".join(
            f"{test} {samples['akunu'][test][-1]:.1f} / {samples['peer'].get(test, [float('nan')])[-1]:.1f}"
            for test in samples["akunu"]), file=sys.stderr)
    if samples["akunu"].keys() != samples["peer"].keys():
        sys.exit(f"the two ran different tests: {list(samples['akunu'])} and {list(samples['peer'])}")
    tests = []
    for test, ours in samples["akunu"].items():
        theirs = samples["peer"][test]
        medians = statistics.median(ours), statistics.median(theirs)
        tests.append({
            "test": test,
            "akunu_median_ts": medians[0],
            "peer_median_ts": medians[1],
            "ratio": medians[0] / medians[1],
            "ratio_per_round": [a / b for a, b in zip(ours, theirs)],
            "akunu_samples_ts": ours,
            "peer_samples_ts": theirs,
        })
        if test.startswith("tg") and test in shares:
            tests[-1]["share_of_bandwidth_median"] = statistics.median(shares[test])
    shown = {side: " ".join([pathlib.Path(c[0]).name, *(p.name if p is path else str(p) for p in c[1:])])
             for side, c in commands.items()}
    return {"model": name, "bytes": path.stat().st_size, "commands": shown, "load_before_each_run": loads,
            "read_bandwidth_gbps": bandwidths, "tests": tests}


def main():
    names = [REAL, *SYNTHETIC]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, help="where the JSON record goes (default: standard output only)")
    parser.add_argument("--akunu", type=pathlib.Path, default=ROOT / "target" / "release" / "akunu")
    parser.add_argument("--akunu-args", default="", help="more arguments for akunu bench, separated by spaces")
    parser.add_argument("--peer", type=pathlib.Path, default=cache() / "peer")
    parser.add_argument("--synth", default=os.environ.get("AKUNU_SYNTH"))
    parser.add_argument("--models", nargs="+", choices=names, default=names, metavar="NAME",
                        help=f"any of {', '.join(names)} (default: all)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads of the peer")
    parser.add_argument("-p", "--prompt", type=int, default=512)
    parser.add_argument("-n", "--new", type=int, default=128)
    parser.add_argument("-d", "--depth", type=int, default=0, help="tokens in the cache before the test")
    args = parser.parse_args()

    # Every file is made before the first measurement, so that no generator's heat or dirty pages reach a round.
    files = {name: model_file(name, args.synth) for name in args.models}
    os.sync()
    record = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "what": "akunu beside llama.cpp, in turn; medians in tokens per second",
        "machine": machine(),
        "versions": {
            "akunu": output([args.akunu, "--version"]),
            "akunu_commit": output(["git", "describe", "--always", "--dirty"], cwd=ROOT),
            "peer": (args.peer / "build-info.txt").read_text().splitlines(),
        },
        "rounds": args.rounds,
        "models": [bench(name, path, args) for name, path in files.items()],
    }
    for model in record["models"]:
        for test in model["tests"]:
            print(f"{model['model']:20} {test['test']:6} akunu {test['akunu_median_ts']:9.2f}  "
                  f"peer {test['peer_median_ts']:9.2f}  ratio {test['ratio']:.3f}"
                  + (f"  {100 * test['share_of_bandwidth_median']:.0f}% of bandwidth"
                     if "share_of_bandwidth_median" in test else ""))
    if args.out:
        records.write(args.out, record)


main()
