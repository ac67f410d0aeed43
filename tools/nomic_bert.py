#!/usr/bin/env python3
"""nomic-bert in torch, for oracles: transformers has it as code beside the model's files only. After the paper's own description (Nussbaum et
al., 2024): BERT with rotated queries and keys (element i with i + dim/2), a gated SiLU feed-forward part and no biases but the norms'. Names of
parameters are those of the files."""
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
