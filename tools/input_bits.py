"""What inputs of 8 bits would cost a model in Q4_0, by the number of inputs that share a scale: KL divergence from exact products.

    python3 tools/input_bits.py [--count 1024] [--out RECORD.json]

Needs numpy and gguf; tools/fetch-model.sh must have fetched the model. The model's matrices are rounded to Q4_0; the measure is that
model's own forward pass in f32. Beside it: the same with weights brought from Q4_0 to 8 bits by larger groups, as a product of whole
numbers that is scaled once a group would need them, and what Q4_0 itself has lost.
"""

import argparse
import datetime
import json
import os
import pathlib

import gguf
import numpy as np
import records
from gguf import quants

TOKENS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "oracle" / "english_tokens.json"
WINDOW = 512
# Of inputs and of weights; 0 is a whole row.
INPUTS = (16, 32, 64, 128, 256, 0)
WEIGHTS = (128, 256, 0)


def cache():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("AKUNU_CACHE") or os.path.join(home, "akunu"))


def q4_0(w):
    """Rounded to Q4_0 and back."""
    return quants.dequantize(quants.quantize(w, gguf.GGMLQuantizationType.Q4_0), gguf.GGMLQuantizationType.Q4_0)


def bytes_by_groups(x, group):
    """Rows rounded to whole numbers up to 127 times a scale of each `group` columns."""
    width = x.shape[-1]
    group = min(group, width) or width
    padded = np.pad(x, ((0, 0), (0, -width % group))).reshape(len(x), -1, group)
    scale = np.abs(padded).max(-1, keepdims=True) / 127
    scale[scale == 0] = 1
    return (np.rint(padded / scale) * scale).reshape(len(x), -1)[:, :width].astype(np.float32)


class Model:
    """A Llama of a GGUF file, in f32."""

    def __init__(self, path):
        reader = gguf.GGUFReader(path)
        field = lambda name: reader.fields[f"llama.{name}"].parts[-1][0]
        self.layers, self.heads = int(field("block_count")), int(field("attention.head_count"))
        self.kv_heads = int(field("attention.head_count_kv"))
        self.eps, self.theta = float(field("attention.layer_norm_rms_epsilon")), float(field("rope.freq_base"))
        read = lambda t: quants.dequantize(t.data, t.tensor_type).astype(np.float32)
        self.weights = {t.name: read(t) for t in reader.tensors}
        self.matrices = [n for n, w in self.weights.items() if n.startswith("blk.") and w.ndim == 2]

    def norm(self, x, name):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self.eps) * self.weights[name]

    def rotated(self, x):
        n, _, width = x.shape
        angle = np.arange(n)[:, None] * self.theta ** (-np.arange(0, width, 2) / width)
        cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
        out = np.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
        out[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
        return out

    def log_probs(self, tokens, inputs, matrices):
        """Of each token's successor, in windows. `inputs` rounds what goes into a product; `matrices` stand in for the file's."""
        weights = {**self.weights, **matrices}
        product = lambda x, name: inputs(x) @ weights[name].T
        return np.concatenate([self.window(tokens[i:i + WINDOW], product) for i in range(0, len(tokens), WINDOW)])

    def window(self, tokens, product):
        n, embedding = len(tokens), self.weights["token_embd.weight"]
        x, mask = embedding[tokens], np.triu(np.full((n, n), -np.inf, np.float32), 1)
        group = self.heads // self.kv_heads
        for layer in range(self.layers):
            of = lambda name, layer=layer: f"blk.{layer}.{name}.weight"
            h = self.norm(x, of("attn_norm"))
            q = self.rotated(product(h, of("attn_q")).reshape(n, self.heads, -1))
            k = self.rotated(product(h, of("attn_k")).reshape(n, self.kv_heads, -1))
            v = product(h, of("attn_v")).reshape(n, self.kv_heads, -1)
            out = np.empty_like(q)
            for head in range(self.heads):
                scores = q[:, head] @ k[:, head // group].T / np.sqrt(q.shape[-1]) + mask
                scores = np.exp(scores - scores.max(-1, keepdims=True))
                out[:, head] = scores / scores.sum(-1, keepdims=True) @ v[:, head // group]
            x = x + product(out.reshape(n, -1).astype(np.float32), of("attn_output"))
            h = self.norm(x, of("ffn_norm"))
            gate, up = product(h, of("ffn_gate")), product(h, of("ffn_up"))
            x = x + product(gate / (1 + np.exp(-gate)) * up, of("ffn_down"))
        logits = self.norm(x, "output_norm.weight") @ embedding.T
        logits -= logits.max(-1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


def divergence(p, q):
    return {"kl_mean": float((np.exp(p) * (p - q)).sum(-1).mean()),
            "top1_percent": 100 * float((p.argmax(-1) == q.argmax(-1)).mean())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=cache() / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf", help="a Llama with a tied head")
    parser.add_argument("--count", type=int, default=1024, help="tokens of the text")
    parser.add_argument("--out", type=pathlib.Path, help="where the record goes")
    args = parser.parse_args()
    model = Model(args.model)
    tokens = np.array(json.loads(TOKENS.read_text())[:args.count])
    same = lambda x: x
    given = model.log_probs(tokens, same, {})
    rounded = {n: q4_0(model.weights[n]) for n in model.matrices}
    exact = model.log_probs(tokens, same, rounded)
    rows = []

    def row(what, against, log_probs):
        rows.append({"what": what, **divergence(against, log_probs)})
        print(f"{what:44} KL {rows[-1]['kl_mean']:.3e}  top-1 {rows[-1]['top1_percent']:.2f}%", flush=True)

    name = lambda group: group or "a row"
    row("Q4_0, from the model before it", given, exact)
    for group in INPUTS:
        by = lambda x, group=group: bytes_by_groups(x, group)
        row(f"inputs of 8 bits, a scale for {name(group)}", exact, model.log_probs(tokens, by, rounded))
    for group in WEIGHTS:
        coarse = {n: bytes_by_groups(w, group) for n, w in rounded.items()}
        by = lambda x, group=group: bytes_by_groups(x, group)
        row(f"weights too, both by {name(group)}", exact, model.log_probs(tokens, by, coarse))
    if args.out:
        records.write(args.out, {
            "what": "inputs of 8 bits in a model in Q4_0, by inputs to a scale: computed in numpy, no kernel has it",
            "date": datetime.date.today().isoformat(),
            "command": f"python3 tools/input_bits.py --count {args.count}",
            "rows": rows,
        })


if __name__ == "__main__":
    main()
