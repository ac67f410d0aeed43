#!/usr/bin/env python3
"""nomic-bert in torch, for oracles: the transformers that they are pinned to has it as code beside the model's files only. After the paper's own
description (Nussbaum et al., 2024): BERT with rotated queries and keys (element i with i + dim/2), a gated SiLU feed-forward part and no biases but
the norms'. Names of parameters are those of the files.

    nomic_bert.py [DIRECTORY]

compares it with a second witness, the class of transformers 5, on a directory's weights (the fixture's unless told), in 64 bits. It leaves with 1
where states differ."""
import json
import sys
from pathlib import Path

import torch
from torch import nn


class Embeddings(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.word_embeddings = nn.Embedding(c["vocab_size"], c["n_embd"])
        self.token_type_embeddings = nn.Embedding(c["type_vocab_size"], c["n_embd"])

    def forward(self, ids):
        return self.word_embeddings(ids) + self.token_type_embeddings(torch.zeros_like(ids))


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads, self.base, d = c["n_head"], c["rotary_emb_base"], c["n_embd"]
        self.Wqkv, self.out_proj = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)

    def forward(self, x):
        n, d = x.shape
        q, k, v = self.Wqkv(x).reshape(n, 3, self.heads, d // self.heads).permute(1, 2, 0, 3)
        width = d // self.heads
        frequencies = self.base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
        angles = torch.arange(n, dtype=torch.float64)[:, None] * frequencies
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)

        def turned(y):
            a, b = y.chunk(2, dim=-1)
            return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)

        weights = (turned(q) @ turned(k).transpose(1, 2) / width**0.5).softmax(-1)
        return self.out_proj((weights @ v).transpose(0, 1).reshape(n, d))


class Gated(nn.Module):
    def __init__(self, c):
        super().__init__()
        d, f = c["n_embd"], c["n_inner"]
        self.fc11, self.fc12, self.fc2 = nn.Linear(d, f, bias=False), nn.Linear(d, f, bias=False), nn.Linear(f, d, bias=False)

    def forward(self, x):
        return self.fc2(self.fc11(x) * nn.functional.silu(self.fc12(x)))


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.attn, self.mlp = Attention(c), Gated(c)
        self.norm1, self.norm2 = (nn.LayerNorm(c["n_embd"], eps=c["layer_norm_epsilon"]) for _ in range(2))

    def forward(self, x):
        x = self.norm1(x + self.attn(x))
        return self.norm2(x + self.mlp(x))


class Encoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.layers = nn.ModuleList(Layer(c) for _ in range(c["n_layer"]))


class NomicBert(nn.Module):
    """States of one text, `[tokens, n_embd]`."""

    def __init__(self, c):
        super().__init__()
        self.config = c
        self.embeddings, self.encoder = Embeddings(c), Encoder(c)
        self.emb_ln = nn.LayerNorm(c["n_embd"], eps=c["layer_norm_epsilon"])

    def forward(self, ids):
        x = self.emb_ln(self.embeddings(ids))
        for layer in self.encoder.layers:
            x = layer(x)
        return x


def in_transformers(name):
    """What transformers 5 calls a parameter; `None` for queries, keys and values, which are one matrix in files and three there."""
    layer = {"attn.out_proj": "self_attn.o_proj", "mlp.fc12": "mlp.gate_proj", "mlp.fc11": "mlp.up_proj", "mlp.fc2": "mlp.down_proj",
             "norm1": "post_attention_layernorm", "norm2": "post_mlp_layernorm"}
    parts = name.split(".")
    if parts[0] == "emb_ln":
        return f"embeddings.LayerNorm.{parts[1]}"
    if parts[0] == "embeddings":
        return name
    what = ".".join(parts[3:-1])
    return f"layers.{parts[2]}.{layer[what]}.{parts[-1]}" if what in layer else None


def second_witness(c, weights):
    from transformers import NomicBertConfig, NomicBertModel

    config = NomicBertConfig(
        vocab_size=c["vocab_size"], hidden_size=c["n_embd"], num_hidden_layers=c["n_layer"], num_attention_heads=c["n_head"],
        intermediate_size=c["n_inner"], type_vocab_size=c["type_vocab_size"], max_position_embeddings=c["n_positions"],
        layer_norm_eps=c["layer_norm_epsilon"], rope_parameters={"rope_type": "default", "rope_theta": float(c["rotary_emb_base"])},
    )
    renamed = {}
    for name, tensor in weights.items():
        if (new := in_transformers(name)) is not None:
            renamed[new] = tensor
            continue
        layer = name.split(".")[2]
        for part, rows in zip("qkv", tensor.chunk(3), strict=True):
            renamed[f"layers.{layer}.self_attn.{part}_proj.weight"] = rows
    model = NomicBertModel(config).double().eval()
    model.load_state_dict(renamed, strict=True)
    return model


def main():
    from safetensors.torch import load_file

    fixture = Path(__file__).parent.parent / "tests/fixtures/tiny-encoders/nomic-bert"
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else fixture
    c = json.loads((directory / "config.json").read_text())
    weights = {name: tensor.double() for name, tensor in load_file(directory / "model.safetensors").items()}
    ours = NomicBert(c).double().eval()
    ours.load_state_dict(weights, strict=True)
    theirs = second_witness(c, weights)
    draw = torch.Generator().manual_seed(5)
    worst = 0.0
    with torch.no_grad():
        for n in (1, 2, 17, 100, min(480, c["n_positions"])):
            ids = torch.randint(c["vocab_size"], (n,), generator=draw)
            a, b = ours(ids), theirs(ids[None]).last_hidden_state[0]
            assert a.shape == b.shape
            worst = max(worst, (a - b).abs().max().item() / b.abs().max().item())
            print(f"{n} tokens: states up to {b.abs().max().item():.3f} differ by {(a - b).abs().max().item():.2e}")
    # Angles are made in 32 bits there.
    sys.exit(worst > 1e-4)


if __name__ == "__main__":
    main()
