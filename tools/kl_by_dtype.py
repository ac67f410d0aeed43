"""What each engine's arithmetic loses, format by format: KL divergence from f32 arithmetic on the same file, next to llama.cpp.

    PYTHON tools/kl_by_dtype.py AKUNU [--count 1024] [--only q4_k_m,...] [--levels avx2,...] [--out RECORD.json]

PYTHON is what tools/setup-oracle.sh prints, AKUNU the command. tools/fetch-model.sh must have fetched the model, and
tools/peer-llamacpp.sh must have built the peer.

The model is converted to each recipe. The measure of a file is akunu's reference level on that very file (whose own
divergence from transformers in f32 is 1e-11, tools/quality.sh), so what is measured is not the quantization but what
comes after: activations of 8 or 16 bits, a cache of 16, the order of sums. llama.cpp runs the file with its defaults, on
the CPU, the text in prompts of 512 tokens. It refuses what it does not know; then its columns are empty.
"""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import records

TOOLS = pathlib.Path(__file__).resolve().parent
TOKENS = TOOLS.parent / "tests" / "fixtures" / "oracle" / "english_tokens.json"
RECIPES = ("f32 f16 bf16 q8_0 q6_k q5_k_m q5_1 q5_0 q4_k_m q4_1 q4_0 iq4_nl iq4_xs mxfp4 nvfp4 q3_k_m q3_k_s q2_k "
           "q2_k_s").split()
WINDOW = 512


def cache():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("AKUNU_CACHE") or os.path.join(home, "akunu"))


def quiet(command, **more):
    """Whether a command succeeded, and what it printed."""
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **more}, check=False)
    return done.returncode == 0, done.stdout, done.stderr


def must(command, **more):
    good, out, err = quiet(command, **more)
    if not good:
        sys.exit(f"{command[0]} failed: {err.strip()}")
    return out


def types(akunu, file):
    """Matrices of each type in a file."""
    tensors = json.loads(must([akunu, "inspect", file, "--json", "--tensors"]))["tensors"]
    counts = {}
    for t in tensors:
        kind = t.get("dtype") or t.get("type")
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def measure(args, recipe, work):
    file, oracle, tested = work / f"{recipe}.gguf", work / "oracle.f32", work / "tested.f32"
    must([args.akunu, "convert", args.model, file, "--dtype", recipe, "--allow-requantize"])
    tokens = work / "tokens.json"
    tokens.write_text(json.dumps(json.loads(TOKENS.read_text())[:args.count]))
    run = [args.akunu, "logits", file, "--tokens", tokens, "--window", WINDOW, "--device", "cpu", "-o"]
    compare = [sys.executable, TOOLS / "oracle.py", "compare", tested, "--oracle", oracle, "--count", args.count,
               "--json"]
    must([*run, oracle], AKUNU_CPU="reference")
    row = {"recipe": recipe, "types": types(args.akunu, file), "akunu": {}}
    for level in [""] + args.levels:
        device = json.loads(must([*run, tested, "--json"], AKUNU_CPU=level))["device"]
        row["akunu"][device] = json.loads(must(compare))
    good, _, err = quiet([sys.executable, TOOLS / "peer_logits.py", "--model", file, "--out", tested, "--count", args.count])
    row["peer"] = json.loads(must(compare)) if good else None
    if not good:
        print(f"  llama.cpp: {(err.strip().splitlines() or ['no message'])[-1]}", file=sys.stderr)
    for path in (file, oracle, tested):
        path.unlink(missing_ok=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("akunu", type=pathlib.Path)
    parser.add_argument("--model", type=pathlib.Path, default=cache() / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf")
    parser.add_argument("--count", type=int, default=1024, help="tokens of the text, a multiple of 512")
    parser.add_argument("--only", type=lambda s: s.split(","), default=RECIPES)
    parser.add_argument("--levels", type=lambda s: s.split(","), default=[], help="AKUNU_CPU beside the default")
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    args.akunu = args.akunu.resolve()
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for recipe in args.only:
            row = measure(args, recipe, pathlib.Path(work))
            rows.append(row)
            ours = "  ".join(f"{d}: {r['kl_mean']:.3e} {100 * r['top1_agreement']:.2f}%" for d, r in row["akunu"].items())
            peer = row["peer"]
            theirs = f"{peer['kl_mean']:.3e} {100 * peer['top1_agreement']:.2f}%" if peer else "-"
            print(f"{recipe:7} {ours}  llama.cpp: {theirs}", flush=True)
    if args.out:
        cpu = next((l.split(":", 1)[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "unknown")
        records.write(args.out, {
            "what": "next-token distributions against f32 arithmetic on the same file (akunu's reference level)",
            "command": "tools/kl_by_dtype.py AKUNU" + (f" --levels {','.join(args.levels)}" if args.levels else ""),
            "model": f"{args.model.name}, converted",
            "tokens": args.count,
            "machine": {"cpu": cpu, "system": platform.system()},
            "commit": subprocess.check_output(["git", "rev-parse", "HEAD"], text=True, cwd=TOOLS).strip(),
            "results": rows,
        })


main()
