"""What each format loses on a real model, next to llama.cpp's own quantizer: KL divergence from the unquantized one.

    PYTHON tools/convert_quality.py AKUNU [--seeds 8] [--tokens 4096] [--only q4_k_m,...] [--device cpu] [--out RECORD.json]

PYTHON is what tools/setup-oracle.sh prints, AKUNU the command. tools/fetch-model.sh must have fetched the model, and
tools/peer-llamacpp.sh must have built the peer. Needs about 4 GB in the folder for temporary files (TMPDIR).

The model at hand is Q4_1: its values lie on a grid of 16 points for each 32 weights, which some formats find again. So
each seed adds to each weight an even random number of at most half a step: a model whose weights are as continuous as
those of any original, which is then its own reference. (--seeds 0 measures the model as it is.)

Each such model is converted to each recipe by both sides, the results are given out as F32, and all run through the
same forward pass in F32, so that only the rounding of the weights is measured. The two sides' roundings differ by
chance, and KL with them, by several percent in one model. Therefore the ratio is that of the sums over all seeds, with
an interval from a bootstrap over seeds and over windows of text, both sides taking the same ones.

For each format the same is measured with nothing but its own matrices rounded, the peer's side by the library's
quantizer of that format: recipes mix formats, and rows of 576 fit no block of 256, so that in this model the K formats
are used for one matrix in seven.
"""

import argparse
import concurrent.futures
import ctypes
import json
import os
import pathlib
import platform
import struct
import subprocess
import sys
import tempfile
import types

import numpy as np
import torch

import records

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKENS = ROOT / "tests" / "fixtures" / "oracle" / "english_tokens.json"
# Recipe and llama.cpp's number for it; None where its quantizer has no such recipe for a dense model, or wants importance.
RECIPES = {
    "f16": 1, "bf16": 32, "q8_0": 7, "q6_k": 18, "q5_k_m": 17, "q5_k_s": 16, "q5_1": 9, "q5_0": 8, "q4_k_m": 15,
    "q4_k_s": 14, "q4_1": 3, "q4_0": 2, "iq4_nl": 25, "iq4_xs": 30, "mxfp4": None, "nvfp4": None, "q3_k_l": 13,
    "q3_k_m": 12, "q3_k_s": 11, "q2_k": 10, "q2_k_s": None,
}
# The recipe whose file a format's own matrices are taken from.
ALONE = {
    "q8_0": "q8_0", "q6_k": "q6_k", "q5_k": "q5_k_s", "q5_1": "q5_1", "q5_0": "q5_0", "q4_k": "q4_k_s", "q4_1": "q4_1",
    "q4_0": "q4_0", "iq4_nl": "iq4_nl", "iq4_xs": "iq4_xs", "mxfp4": "mxfp4", "nvfp4": "nvfp4", "q3_k": "q3_k_s",
    "q2_k": "q2_k_s",
}
WINDOW = 512
RESAMPLES = 4000


def cache():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("AKUNU_CACHE") or os.path.join(home, "akunu"))


class Peer:
    """llama.cpp: the raw C bindings from its source tree, without the rest of their package and what that would import."""

    def __init__(self, folder):
        lib = folder / "build" / "bin"
        os.environ["LLAMA_CPP_LIB_PATH"] = str(lib)
        package = types.ModuleType("llama_cpp")
        package.__path__ = [str(folder / "src" / "llama_cpp")]
        sys.modules["llama_cpp"] = package
        import llama_cpp.llama_cpp as raw

        self.raw = raw
        # (Kept, because the library keeps a pointer to it.)
        self.quiet = raw.llama_log_callback(lambda level, text, data: None)
        raw.llama_log_set(self.quiet, None)
        raw.llama_backend_init()
        self.base = ctypes.CDLL(str(lib / "libggml-base.so"))
        self.floats = ctypes.POINTER(ctypes.c_float)
        self.base.ggml_quantize_chunk.restype = ctypes.c_size_t
        self.base.ggml_quantize_chunk.argtypes = [ctypes.c_int, self.floats, ctypes.c_void_p, *[ctypes.c_int64] * 3,
                                                  self.floats]

    def quantize(self, source, target, recipe):
        params = self.raw.llama_model_quantize_default_params()
        params.ftype = RECIPES[recipe]
        params.nthread = os.cpu_count()
        if self.raw.llama_model_quantize(str(source).encode(), str(target).encode(), ctypes.byref(params)):
            sys.exit(f"llama.cpp cannot make {recipe}")

    def reads(self, path):
        model = self.raw.llama_model_load_from_file(str(path).encode(), self.raw.llama_model_default_params())
        if not model:
            sys.exit(f"llama.cpp cannot read our {path.name}")
        self.raw.llama_model_free(model)

    def rounded(self, dtype, matrices):
        """Each matrix through a format of the library and back."""
        from gguf import GGMLQuantizationType, quants

        kind = GGMLQuantizationType[dtype.upper()]
        block, size = __import__("gguf").GGML_QUANT_SIZES[kind]

        def one(x):
            rows, cols = x.shape
            out = np.zeros((rows, cols // block * size), dtype=np.uint8)
            self.base.ggml_quantize_chunk(int(kind), x.ctypes.data_as(self.floats), out.ctypes.data, 0, rows, cols, None)
            return quants.dequantize(out, kind).reshape(x.shape).astype(np.float32)

        # (The library's tables are made by the first call, which must have no company.)
        first = one(np.ascontiguousarray(matrices[0][:1]))
        assert first.shape[0] == 1
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(one, matrices))


def header(path):
    """Of a GGUF file: the numbers and texts of its metadata, and its tensors as (shape, type's number, offset)."""
    data, at = np.memmap(path, mode="r"), 8
    formats = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}

    def number(kind):
        nonlocal at
        size = struct.calcsize(formats[kind])
        at += size
        return struct.unpack(formats[kind], data[at - size : at].tobytes())[0]

    def value(kind):
        nonlocal at
        if kind == 8:
            size = number(10)
            at += size
            return data[at - size : at].tobytes()
        if kind == 9:
            kind, count = number(4), number(10)
            return [value(kind) for _ in range(count)]
        return number(kind)

    tensors, keys = number(10), number(10)
    meta = {value(8).decode(): value(number(4)) for _ in range(keys)}
    infos = {}
    for _ in range(tensors):
        name = value(8).decode()
        shape = [number(10) for _ in range(number(4))][::-1]
        infos[name] = (shape, number(4), number(10))
    start = -(-at // meta.get("general.alignment", 32)) * meta.get("general.alignment", 32)
    return meta, {n: (s, k, start + o) for n, (s, k, o) in infos.items()}


def values(path):
    """The tensors of a file of F32, which stay on the disk until used."""
    _, infos = header(path)
    return {n: np.memmap(path, np.float32, "c", o, tuple(s)) for n, (s, _, o) in infos.items()}


class Model:
    """The Llama architecture, from a file with rows in pairs: RMS norms, rotated pairs, grouped heads, a gated layer."""

    def __init__(self, path, device):
        meta, _ = header(path)
        key = lambda name: meta["llama." + name]  # noqa: E731
        self.layers, self.heads, self.kv = key("block_count"), key("attention.head_count"), key("attention.head_count_kv")
        self.eps, self.device = key("attention.layer_norm_rms_epsilon"), device
        dim = key("rope.dimension_count")
        angles = torch.arange(WINDOW)[:, None] * float(key("rope.freq_base")) ** (-torch.arange(0, dim, 2) / dim)
        self.cos, self.sin = angles.cos().to(device), angles.sin().to(device)

    def place(self, tensors):
        return {n: torch.from_numpy(v).to(self.device) for n, v in tensors.items()}

    def norm(self, x, w):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * w

    def rotated(self, x):
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack((a * self.cos - b * self.sin, a * self.sin + b * self.cos), -1).flatten(-2)

    def predictions(self, w, tokens):
        """Logarithms of the probabilities at the second halves of windows: [windows, WINDOW // 2 - 1, vocabulary]."""
        x = w["token_embd.weight"][tokens]
        split = lambda t, heads: t.unflatten(-1, (heads, -1)).transpose(1, 2)  # noqa: E731
        for i in range(self.layers):
            part = lambda name: w[f"blk.{i}.{name}.weight"]  # noqa: E731
            h = self.norm(x, part("attn_norm"))
            q, k = (self.rotated(split(h @ part(n).T, heads)) for n, heads in (("attn_q", self.heads), ("attn_k", self.kv)))
            v = split(h @ part("attn_v").T, self.kv)
            k, v = (t.repeat_interleave(self.heads // self.kv, 1) for t in (k, v))
            o = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + o.transpose(1, 2).flatten(-2) @ part("attn_output").T
            h = self.norm(x, part("ffn_norm"))
            gated = torch.nn.functional.silu(h @ part("ffn_gate").T) * (h @ part("ffn_up").T)
            x = x + gated @ part("ffn_down").T
        x = self.norm(x, w["output_norm.weight"])[:, WINDOW // 2 : -1]
        head = w.get("output.weight", w["token_embd.weight"])
        return (x @ head.T).log_softmax(-1)


def compare(model, reference, w, tokens):
    """Sums over each window's predictions: KL, its squares, negative log-likelihood, agreements of the best."""
    out = []
    for r, t in zip(reference, tokens):
        p = model.predictions(w, t[None])[0]
        kl = (r.exp() * (r - p)).sum(-1).double()
        nll = -p.gather(-1, t[WINDOW // 2 + 1 :, None]).double()
        same = (p.argmax(-1) == r.argmax(-1)).double()
        out.append([v.item() for v in (kl.sum(), kl.square().sum(), nll.sum(), same.sum())])
    return out


def dither(path, seed):
    random = np.random.default_rng(seed)
    for tensor in values(path).values():
        if tensor.ndim == 2:
            tensor = np.memmap(path, np.float32, "r+", tensor.offset, tensor.shape)
            blocks = tensor.reshape(-1, 32)
            step = (blocks.max(axis=1) - blocks.min(axis=1)) / np.float32(15)
            blocks += step[:, None] * random.uniform(-0.5, 0.5, blocks.shape).astype(np.float32)


def resampled(table, random):
    """Sums of [seeds, windows] tables for resampled seeds and windows, the same for all tables: [resamples, tables]."""
    seeds, windows = table.shape[1:]
    s = random.multinomial(seeds, [1 / seeds] * seeds, RESAMPLES)
    w = random.multinomial(windows, [1 / windows] * windows, RESAMPLES)
    return np.einsum("rs,tsw,rw->rt", s, table, w)


def summary(ours, theirs, count):
    """Means and errors of [seeds, windows, numbers] sums of both sides, and their ratio."""
    random = np.random.default_rng(0)
    sides = [np.array(v) for v in (ours, theirs) if v is not None]
    kl = np.stack([v[..., 0] for v in sides])
    again = resampled(kl, random)
    total = count * kl.shape[1] * kl.shape[2]
    row = {}
    for side, v, a in zip(("akunu", "llama.cpp"), sides, again.T):
        nll = resampled(v[None, ..., 2], random)[:, 0] / total
        row[side] = {"kl": v[..., 0].sum() / total, "kl_error": a.std() / total, "perplexity": np.exp(v[..., 2].sum() / total),
                     "perplexity_error": np.exp(nll).std(), "top1": v[..., 3].sum() / total}
    if len(sides) == 2 and kl[1].any():
        ratios = again[:, 0] / again[:, 1]
        row["kl_ratio"] = kl[0].sum() / kl[1].sum()
        row["kl_ratio_95"] = list(np.quantile(ratios, (0.025, 0.975)))
        row["kl_ratio_by_seed"] = list(kl[0].sum(-1) / kl[1].sum(-1))
    return row


class Run:
    """One machine's work: files of one model, both sides' conversions, and what they lose."""

    def __init__(self, args):
        self.akunu = str(args.akunu.resolve())
        self.device, self.only = args.device, args.only.split(",")
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="convert-quality-"))
        self.peer = Peer(cache() / "peer")
        tokens = json.loads(TOKENS.read_text())[: args.tokens // WINDOW * WINDOW]
        self.tokens = torch.tensor(tokens).reshape(-1, WINDOW).to(self.device)
        self.sizes, self.sums, self.reference = {}, {}, []

    def convert(self, source, target, dtype):
        words = [self.akunu, "convert", source, target, "--dtype", dtype, "--allow-requantize", "--json"]
        return json.loads(subprocess.check_output([str(w) for w in words], text=True))

    def add(self, kind, name, side, sums):
        self.sums.setdefault((kind, name), {}).setdefault(side, []).append(sums)

    def seed(self, seed):
        exact, source, made, back = (self.work / f"{n}.gguf" for n in ("exact", "source", "made", "back"))
        self.convert(cache() / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf", exact, "f32")
        if seed:
            dither(exact, seed)
        self.convert(exact, source, "f16")
        self.convert(source, exact, "f32")
        model = Model(exact, self.device)
        original = values(exact)
        w = model.place(original)
        reference = [model.predictions(w, t[None])[0] for t in self.tokens]
        self.reference.append(compare(model, reference, w, self.tokens))
        # The weights of the exact model, with some replaced.
        measure = lambda new: compare(model, reference, {**w, **model.place(new)}, self.tokens)  # noqa: E731
        for recipe in self.only:
            result = self.convert(source, made, recipe)
            self.sizes[recipe] = {"bytes": result["file_bytes"], "bits_per_weight": result["bits_per_weight"]}
            kinds = {n: k for n, (_, k, _) in header(made)[1].items()}
            self.convert(made, back, "f32")
            ours = values(back)
            self.add("recipe", recipe, "akunu", measure(ours))
            for dtype in (d for d, r in ALONE.items() if r == recipe):
                self.alone(dtype, {n: v for n, v in ours.items() if kinds[n] == number_of(dtype)}, original, measure)
            if RECIPES[recipe] is None:
                continue
            self.peer.reads(made)
            self.peer.quantize(source, made, recipe)
            theirs = {n: k for n, (_, k, _) in header(made)[1].items()}
            if theirs != kinds:
                sys.exit(f"{recipe}: other formats for {[n for n in kinds if kinds[n] != theirs.get(n)]}")
            self.convert(made, back, "f32")
            self.add("recipe", recipe, "llama.cpp", measure(values(back)))
        for path in self.work.iterdir():
            path.unlink()

    def alone(self, dtype, ours, original, measure):
        # A recipe's embedding is the head too, often in another format.
        ours.pop("token_embd.weight", None)
        self.add("dtype", dtype, "akunu", measure(ours))
        theirs = self.peer.rounded(dtype, [np.ascontiguousarray(original[n]) for n in ours])
        self.add("dtype", dtype, "llama.cpp", measure(dict(zip(ours, theirs))))


def number_of(dtype):
    from gguf import GGMLQuantizationType

    return int(GGMLQuantizationType[dtype.upper()])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("akunu", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--tokens", type=int, default=4096)
    parser.add_argument("--only", default=",".join(RECIPES))
    parser.add_argument("--device", default="cpu", help="of PyTorch, for the forward pass")
    parser.add_argument("--partial", type=pathlib.Path, help="writes the sums of these seeds, for --merge")
    parser.add_argument("--merge", type=pathlib.Path, nargs="+", default=[], help="measures nothing, but adds such files up")
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    parts = [json.loads(p.read_text()) for p in args.merge]
    if not parts:
        run = Run(args)
        for seed in range(args.first, args.first + args.seeds) if args.seeds else [0]:
            with torch.inference_mode():
                run.seed(seed)
            print(f"seed {seed} measured", file=sys.stderr, flush=True)
        run.work.rmdir()
        cpu = next((l.split(":", 1)[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "unknown")
        on = torch.cuda.get_device_name() if args.device.startswith("cuda") else cpu
        machine = {"cpu": cpu, "system": platform.system(), "forward": on}
        parts = [{"machine": machine, "sizes": run.sizes, "sums": [[*k, v] for k, v in run.sums.items()], "reference": run.reference}]
        if args.partial:
            records.write(args.partial, parts[0])
    count = WINDOW // 2 - 1
    sums = {}
    for p in parts:
        for kind, name, sides in p["sums"]:
            for side, v in sides.items():
                sums.setdefault((kind, name), {}).setdefault(side, []).extend(v)
    reference = np.array([v for p in parts for v in p["reference"]])
    results = {"recipe": [], "dtype": []}
    for (kind, name), sides in sums.items():
        row = {kind: name, **(parts[0]["sizes"][name] if kind == "recipe" else {}),
               **summary(sides["akunu"], sides.get("llama.cpp"), count)}
        results[kind].append(json.loads(json.dumps(row), parse_float=lambda v: float(f"{float(v):.6g}")))
        print(json.dumps(results[kind][-1]), flush=True)
    if args.out:
        seeds = f"{len(reference)} models, each dithered anew" if args.seeds else "as it is"
        records.write(args.out, {
            "what": "KL divergence of quantized weights from the F16 ones, akunu's and llama.cpp's quantizers",
            "command": f"tools/convert_quality.py --seeds {len(reference) if args.seeds else 0} --tokens {args.tokens}",
            "model": f"SmolLM2-135M-Instruct, Q4_1 given out as F16, {seeds}",
            "tokens": args.tokens,
            "scored": "second halves of windows of 512",
            "intervals": "bootstrap over models and windows of text, both sides taking the same ones",
            "machine": parts[0]["machine"],
            "commit": os.environ.get("AKUNU_COMMIT")
            or subprocess.check_output(["git", "rev-parse", "HEAD"], text=True, cwd=ROOT).strip(),
            "perplexity_unquantized": float(np.exp(reference[..., 2].sum() / reference[..., 2].size / count)),
            "recipes": results["recipe"],
            "dtypes_alone": results["dtype"],
        })


main()
