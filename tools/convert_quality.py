"""What each format loses on a real model, next to llama.cpp's own quantizer: KL divergence from the unquantized one.

    PYTHON tools/convert_quality.py AKUNU [--dither] [--tokens N] [--only q4_k_m,...] [--out RECORD.json]

PYTHON is what tools/setup-oracle.sh prints, AKUNU the command. tools/fetch-model.sh must have fetched the model, and
tools/peer-llamacpp.sh must have built the peer.

The model is dequantized to F16, converted to each recipe by both sides, and each result is given back as F32 by
`akunu convert`. So `akunu perplexity --kl` measures the rounding of the weights and nothing else: all runs use the same
kernels. The model at hand is Q4_1, so its values lie on a grid of 16 points for each 32 weights, which some formats
find again. --dither adds to each weight an even random number of one step at most: a model whose weights are as
continuous as those of any original, which is then its own reference.
"""

import argparse
import ctypes
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import types

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKENS = ROOT / "tests" / "fixtures" / "oracle" / "english_tokens.json"
# Recipe and llama.cpp's number for it; None where its quantizer has no such recipe for a dense model, or wants importance.
RECIPES = {
    "q8_0": 7, "q6_k": 18, "q5_k_m": 17, "q5_k_s": 16, "q5_1": 9, "q5_0": 8, "q4_k_m": 15, "q4_k_s": 14, "q4_1": 3,
    "q4_0": 2, "iq4_nl": 25, "iq4_xs": 30, "q3_k_l": 13, "q3_k_m": 12, "q3_k_s": 11, "q2_k": 10, "q2_k_s": None,
    "mxfp4": None, "nvfp4": None, "bf16": None,
}
WINDOW = 512


def cache():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("AKUNU_CACHE") or os.path.join(home, "akunu"))


def bindings(peer):
    """The raw C bindings from the peer's source tree, without the rest of their package and what that would import."""
    os.environ["LLAMA_CPP_LIB_PATH"] = str(peer / "build" / "bin")
    package = types.ModuleType("llama_cpp")
    package.__path__ = [str(peer / "src" / "llama_cpp")]
    sys.modules["llama_cpp"] = package
    import llama_cpp.llama_cpp as raw

    return raw


def dither(path):
    import gguf

    random = np.random.default_rng(1)
    for tensor in gguf.GGUFReader(path, "r+").tensors:
        if len(tensor.shape) == 2:
            blocks = tensor.data.reshape(-1, 32)
            step = (blocks.max(axis=1) - blocks.min(axis=1)) / np.float32(15)
            blocks += step[:, None] * random.uniform(-0.5, 0.5, blocks.shape).astype(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("akunu", type=pathlib.Path)
    parser.add_argument("--dither", action="store_true")
    parser.add_argument("--tokens", type=int, default=4096)
    parser.add_argument("--only", default=",".join(RECIPES))
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="convert-quality-"))
    akunu = str(args.akunu.resolve())

    def run(*words):
        return json.loads(subprocess.check_output([akunu, *map(str, words), "--json"], text=True))

    def convert(source, target, dtype):
        return run("convert", source, target, "--dtype", dtype, "--allow-requantize")

    tokens, logits, source = work / "tokens.json", work / "logits.f32", work / "f16.gguf"
    tokens.write_text(json.dumps(json.loads(TOKENS.read_text())[:args.tokens]))
    exact = work / "exact.gguf"
    convert(cache() / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf", exact, "f32")
    if args.dither:
        dither(exact)
    convert(exact, source, "f16")
    convert(source, exact, "f32")
    device = run("logits", exact, "--tokens", tokens, "--window", WINDOW, "-o", logits, "--device", "cpu")["device"]

    def measure(path):
        convert(path, exact, "f32")
        result = run("perplexity", exact, "--tokens", tokens, "--ctx", WINDOW, "--kl", logits, "--device", "cpu")
        r = result["reference"]
        size = path.stat().st_size
        return {"bytes": size, "perplexity": result["perplexity"]["mean"], "kl": r["kl"]["mean"],
                "kl_error": r["kl"]["error"], "kl_p99": r["kl_p99"], "top1": r["top1"]["mean"]}, r

    raw = bindings(cache() / "peer")
    raw.llama_log_set(ctypes.cast(None, raw.llama_log_callback), None)
    silent = raw.llama_log_callback(lambda level, text, data: None)
    raw.llama_log_set(silent, None)
    raw.llama_backend_init()
    rows, reference = [], None
    for name in args.only.split(","):
        made = work / "made.gguf"
        convert(source, made, name)
        ours, r = measure(made)
        reference = r["perplexity"]["mean"]
        row = {"recipe": name, "akunu": ours}
        if RECIPES[name] is not None:
            # Readable by the other side, too.
            model = raw.llama_model_load_from_file(str(made).encode(), raw.llama_model_default_params())
            if not model:
                sys.exit(f"llama.cpp cannot read our {name}")
            raw.llama_model_free(model)
            params = raw.llama_model_quantize_default_params()
            params.ftype = RECIPES[name]
            params.nthread = os.cpu_count()
            theirs = work / "theirs.gguf"
            if raw.llama_model_quantize(str(source).encode(), str(theirs).encode(), ctypes.byref(params)):
                sys.exit(f"llama.cpp cannot make {name}")
            row["llama.cpp"] = measure(theirs)[0]
            row["kl_ratio"] = round(ours["kl"] / row["llama.cpp"]["kl"], 4) if row["llama.cpp"]["kl"] else None
        rows.append(row)
        print(json.dumps(row), flush=True)
    for path in work.iterdir():
        path.unlink()
    work.rmdir()
    if args.out:
        cpu = next((l.split(":", 1)[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "unknown")
        args.out.write_text(json.dumps({
            "what": "KL divergence of quantized weights from the F16 ones, akunu's and llama.cpp's quantizers",
            "command": "tools/convert_quality.py" + (" --dither" if args.dither else "")
            + f" --tokens {args.tokens}",
            "model": "SmolLM2-135M-Instruct, Q4_1 given out as F16" + (", dithered" if args.dither else ""),
            "tokens": args.tokens,
            "scored": "second halves of windows of 512",
            "machine": {"cpu": cpu, "system": platform.system(), "device": device},
            "commit": subprocess.check_output(["git", "rev-parse", "HEAD"], text=True, cwd=ROOT).strip(),
            "perplexity_unquantized": reference,
            "results": rows,
        }, indent=1) + "\n")


main()
