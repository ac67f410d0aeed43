#!/usr/bin/env python3
"""Logits of tiny random models of every architecture, computed by transformers in f64: tests/fixtures/architectures.

Weights are no fixture: each is a function of its canonical name and index (`values` below; the test has the same), so
only configurations and logits are committed. Run in the oracle's environment (tools/oracle.py says how it is made):

    ~/.cache/akunu/oracle-venv/bin/python tools/arch_oracle.py [CASE...]

transformers 4.57.3, torch 2.9.1.
"""
import json
import math
import pathlib
import re
import sys

import numpy as np
import torch
import transformers as tf

from nomic_bert import NomicBert

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests/fixtures/architectures"
VOCAB, TOKENS, WINDOW = 64, 40, 8
HIDDEN, HEADS, KV_HEADS, FFN = 64, 4, 2, 96


def values(name, n):
    """n numbers in [-1, 1): 24 bits of SplitMix64, seeded with the FNV-1a hash of the name."""
    seed = 0xCBF29CE484222325
    for b in name.encode():
        seed = (seed ^ b) * 0x100000001B3 % (1 << 64)
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return ((z >> np.uint64(40)).astype(np.float32) / np.float32(1 << 23)) - np.float32(1)


def tensor(name, rows, cols):
    v = values(name, rows * cols)
    if name.endswith("norm.weight"):
        return (v * np.float32(0.25) + np.float32(1)).reshape(cols)
    if name.endswith(".bias"):
        return (v * np.float32(0.5)).reshape(cols)
    if name == "embed.weight":
        return v.reshape(rows, cols)
    return (v * np.float32(1.5 / math.sqrt(cols))).reshape(rows, cols)


# Name of the case: (configuration class, its arguments, what akunu's configuration says beside the common).
COMMON = dict(
    vocab_size=VOCAB, hidden_size=HIDDEN, intermediate_size=FFN, num_attention_heads=HEADS, num_key_value_heads=KV_HEADS,
    head_dim=16, num_hidden_layers=3, max_position_embeddings=128, rms_norm_eps=1e-5, rope_theta=500.0,
    tie_word_embeddings=False, pad_token_id=None, bos_token_id=1, eos_token_id=2,
)
LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16)
YARN = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=16)
LONG = [1.0, 1.3, 2.0, 3.0, 4.0, 6.0]
SHORT = [1.0, 1.0, 1.1, 1.2, 1.3, 1.5]
LONGROPE = dict(type="longrope", short_factor=SHORT, long_factor=LONG)
CASES = {
    "llama": (tf.LlamaConfig, {}, {"arch": "llama"}),
    "llama-tied": (tf.LlamaConfig, dict(tie_word_embeddings=True), {"arch": "llama"}),
    "llama-linear": (
        tf.LlamaConfig, dict(rope_scaling=dict(rope_type="linear", factor=4.0)),
        {"arch": "llama", "scaling": {"linear": 4.0}},
    ),
    "llama3": (tf.LlamaConfig, dict(rope_scaling=LLAMA3), {"arch": "llama", "scaling": {"llama3": [8.0, 1.0, 4.0, 16]}}),
    "llama-yarn": (
        tf.LlamaConfig, dict(rope_scaling=YARN),
        {"arch": "llama", "scaling": {"yarn": [4.0, 32.0, 1.0, 16]}, "magnitude": 0.1 * math.log(4.0) + 1.0},
    ),
    "mistral": (tf.MistralConfig, dict(sliding_window=WINDOW), {"arch": "llama", "window": WINDOW}),
    "qwen2": (tf.Qwen2Config, {}, {"arch": "qwen2"}),
    "qwen3": (tf.Qwen3Config, dict(head_dim=32, tie_word_embeddings=True), {"arch": "qwen3"}),
    "gemma": (
        tf.GemmaConfig, dict(tie_word_embeddings=True, hidden_activation="gelu_pytorch_tanh"), {"arch": "gemma"},
    ),
    "gemma2": (
        tf.Gemma2Config,
        dict(tie_word_embeddings=True, sliding_window=WINDOW, num_hidden_layers=4, attn_logit_softcapping=2.0,
             final_logit_softcapping=3.0, query_pre_attn_scalar=24),
        {"arch": "gemma2", "window": WINDOW, "scale": 24**-0.5, "softcap": 2.0, "logits_softcap": 3.0},
    ),
    "gemma3": (
        tf.Gemma3TextConfig,
        dict(tie_word_embeddings=True, sliding_window=WINDOW, num_hidden_layers=7, query_pre_attn_scalar=20,
             rope_theta=5000.0, rope_local_base_freq=300.0, rope_scaling=dict(rope_type="linear", factor=8.0)),
        {"arch": "gemma3", "window": WINDOW, "scale": 20**-0.5, "local_base": 300.0, "scaling": {"linear": 8.0}},
    ),
    "phi3": (
        tf.Phi3Config,
        dict(original_max_position_embeddings=16, partial_rotary_factor=0.75, rope_scaling=LONGROPE, sliding_window=None),
        {"arch": "phi3", "rope_dim": 12, "scaling": {"longrope": [SHORT, LONG, 16]},
         "magnitude": math.sqrt(1 + math.log(128 / 16) / math.log(16))},
    ),
    "smollm3": (tf.SmolLM3Config, dict(num_hidden_layers=5, use_sliding_window=False), {"arch": "smollm3"}),
    "olmo2": (tf.Olmo2Config, {}, {"arch": "olmo2"}),
    "qwen3moe": (
        tf.Qwen3MoeConfig,
        dict(num_experts=8, num_experts_per_tok=3, moe_intermediate_size=32, norm_topk_prob=True, decoder_sparse_step=1,
             mlp_only_layers=[]),
        {"arch": "qwen3moe", "experts": [8, 3, 32, True]},
    ),
    "qwen3moe-plain-weights": (
        tf.Qwen3MoeConfig,
        dict(num_experts=5, num_experts_per_tok=2, moe_intermediate_size=48, norm_topk_prob=False, decoder_sparse_step=1,
             mlp_only_layers=[]),
        {"arch": "qwen3moe", "experts": [5, 2, 48, False]},
    ),
    "mixtral": (
        tf.MixtralConfig, dict(num_local_experts=4, num_experts_per_tok=2, sliding_window=None),
        {"arch": "llama", "experts": [4, 2, FFN, True]},
    ),
}

# Encoders, whose vectors of a few texts are the oracle's: (what makes the model, what akunu's configuration says).
LENGTHS = [1, 7, 40, 17, 2, 33]
BERT = dict(vocab_size=VOCAB, hidden_size=HIDDEN, intermediate_size=FFN, num_attention_heads=HEADS, num_hidden_layers=3,
            max_position_embeddings=128, layer_norm_eps=1e-5)
DISTILBERT = dict(vocab_size=VOCAB, dim=HIDDEN, hidden_dim=FFN, n_heads=HEADS, n_layers=3, max_position_embeddings=128)
NOMIC = dict(vocab_size=VOCAB, n_embd=HIDDEN, n_inner=FFN, n_head=HEADS, n_layer=3, type_vocab_size=2, rotary_emb_base=1000.0,
             layer_norm_epsilon=1e-5)
MODERN = dict(vocab_size=VOCAB, hidden_size=HIDDEN, intermediate_size=FFN, num_attention_heads=HEADS, num_hidden_layers=4,
              max_position_embeddings=128, norm_eps=1e-5, global_rope_theta=5000.0, local_rope_theta=300.0, local_attention=8,
              reference_compile=False, pad_token_id=0, bos_token_id=0, eos_token_id=0, cls_token_id=0, sep_token_id=0)
BARE = dict(positions=128, first_position=0, segments=0, buckets=0)
ENCODERS = {
    "bert": (lambda: tf.BertConfig(**BERT, type_vocab_size=2), {"encoder": {"first_position": 0, "segments": 2}, "arch": "bert"}),
    "distilbert": (lambda: tf.DistilBertConfig(**DISTILBERT), {"encoder": BARE, "arch": "bert", "eps": 1e-12}),
    "xlm-roberta": (lambda: tf.XLMRobertaConfig(**BERT, type_vocab_size=1, pad_token_id=1),
                    {"encoder": dict(BARE, first_position=2, segments=1), "arch": "bert"}),
    "mpnet": (lambda: tf.MPNetConfig(**BERT, pad_token_id=1, relative_attention_num_buckets=32),
              {"encoder": dict(BARE, first_position=2, buckets=32), "arch": "bert"}),
    "nomic-bert": (lambda: NOMIC, {"encoder": dict(BARE, positions=0, segments=2), "arch": "nomic-bert", "base": 1000.0}),
    "modern-bert": (lambda: tf.ModernBertConfig(**MODERN),
                    {"encoder": dict(BARE, positions=0), "arch": "modern-bert", "base": 5000.0, "local_base": 300.0, "window": 8,
                     "windowed": [False, True, True, False], "layers": 4}),
}
ENCODER_PARTS = {
    "embeddings.word_embeddings": "embed",
    "embeddings.position_embeddings": "positions",
    "embeddings.token_type_embeddings": "segments",
    "embeddings.LayerNorm": "embed_norm",
    "attention.self.query": "attention.q",
    "attention.self.key": "attention.k",
    "attention.self.value": "attention.v",
    "attention.output.dense": "attention.output",
    "attention.output.LayerNorm": "attention_post_norm",
    "intermediate.dense": "ffn.up",
    "output.dense": "ffn.down",
    "output.LayerNorm": "ffn_post_norm",
    "attention.q_lin": "attention.q",
    "attention.k_lin": "attention.k",
    "attention.v_lin": "attention.v",
    "attention.out_lin": "attention.output",
    "sa_layer_norm": "attention_post_norm",
    "ffn.lin1": "ffn.up",
    "ffn.lin2": "ffn.down",
    "output_layer_norm": "ffn_post_norm",
    "encoder.relative_attention_bias": "distance_bias",
    "attention.attn.q": "attention.q",
    "attention.attn.k": "attention.k",
    "attention.attn.v": "attention.v",
    "attention.attn.o": "attention.output",
    "attention.LayerNorm": "attention_post_norm",
    "emb_ln": "embed_norm",
    "attn.out_proj": "attention.output",
    "norm1": "attention_post_norm",
    "norm2": "ffn_post_norm",
    "mlp.fc11": "ffn.up",
    "mlp.fc12": "ffn.gate",
    "mlp.fc2": "ffn.down",
    "embeddings.tok_embeddings": "embed",
    "embeddings.norm": "embed_norm",
    "attn_norm": "attention_norm",
    "mlp_norm": "ffn_norm",
    "attn.Wo": "attention.output",
    "mlp.Wo": "ffn.down",
    "final_norm": "output_norm",
}
ENCODER_FUSED = {
    "attn.Wqkv": [("attention.q", HIDDEN), ("attention.k", HIDDEN), ("attention.v", HIDDEN)],
    "mlp.Wi": [("ffn.gate", FFN), ("ffn.up", FFN)],
}

PARTS = {
    "model.embed_tokens.weight": "embed.weight",
    "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
    "self_attn.q_proj": "attention.q",
    "self_attn.k_proj": "attention.k",
    "self_attn.v_proj": "attention.v",
    "self_attn.o_proj": "attention.output",
    "self_attn.q_norm": "attention.q_norm",
    "self_attn.k_norm": "attention.k_norm",
    "mlp.gate_proj": "ffn.gate",
    "mlp.up_proj": "ffn.up",
    "mlp.down_proj": "ffn.down",
    "mlp.gate": "ffn.router",
    "block_sparse_moe.gate": "ffn.router",
    "input_layernorm": "attention_norm",
    "post_attention_layernorm": "ffn_norm",
}
BEHIND = {"post_attention_layernorm": "attention_post_norm", "pre_feedforward_layernorm": "ffn_norm",
          "post_feedforward_layernorm": "ffn_post_norm"}
FUSED = {
    "self_attn.qkv_proj": [("attention.q", HEADS * 16), ("attention.k", KV_HEADS * 16), ("attention.v", KV_HEADS * 16)],
    "mlp.gate_up_proj": [("ffn.gate", FFN), ("ffn.up", FFN)],
}
EXPERT = {"gate_proj": "gate", "up_proj": "up", "down_proj": "down", "w1": "gate", "w3": "up", "w2": "down"}


def fill(name, shape, case, model_type):
    """The values of one parameter, by akunu's canonical names."""
    rows, cols = (shape[0], shape[1]) if len(shape) == 2 else (1, shape[0])
    if name in PARTS:
        v = tensor(PARTS[name], rows, cols)
    else:
        _, _, layer, rest = name.split(".", 3)
        module, kind = rest.rsplit(".", 1)
        full = f"layers.{layer}.{{}}.{kind}"
        if ".experts." in module:
            _, _, number, matrix = module.split(".")
            experts = case[2]["experts"][0]
            stack = tensor(f"layers.{layer}.ffn.experts.{EXPERT[matrix]}.weight", experts * rows, cols)
            v = stack[int(number) * rows : (int(number) + 1) * rows]
        elif module in FUSED:
            v = np.concatenate([tensor(full.format(part), n, cols) for part, n in FUSED[module]])
        else:
            names = {**PARTS, **BEHIND} if model_type in ("gemma2", "gemma3_text", "olmo2") else PARTS
            v = tensor(full.format(names[module]), rows, cols)
    # Gemma's files hold what a norm's factor is above 1.
    if model_type.startswith("gemma") and name.endswith("norm.weight"):
        v = v.astype(np.float64) - 1
    return torch.from_numpy(np.ascontiguousarray(v)).to(torch.float64).reshape(shape)


def widest_choice(model, used):
    """Tokens for which no choice of experts is close: rounding must not decide it."""
    best = (0.0, None)
    for seed in range(300):
        tokens = [((7 + seed) * i * i + (3 + seed // 8) * i + 5) % VOCAB for i in range(TOKENS)]
        scores = model(torch.tensor([tokens]), use_cache=False, output_router_logits=True).router_logits
        top = torch.stack([s.reshape(TOKENS, -1) for s in scores]).sort(descending=True).values
        best = max(best, (float((top[..., used - 1] - top[..., used]).min()), tokens))
    print(f"closest choice: {best[0]:.3f}")
    return best[1]


def run(name):
    case = CASES[name]
    config = case[0](**{**COMMON, **case[1]})
    config._attn_implementation = "eager"
    torch.set_default_dtype(torch.float64)
    model = tf.AutoModelForCausalLM.from_config(config, attn_implementation="eager").to(torch.float64).eval()
    with torch.no_grad():
        for n, p in model.named_parameters():
            p.copy_(fill(n, tuple(p.shape), case, config.model_type))
        tokens = [(7 * i * i + 3 * i + 5) % VOCAB for i in range(TOKENS)]
        if "experts" in case[2]:
            tokens = widest_choice(model, case[2]["experts"][1])
        logits = model(torch.tensor([tokens]), use_cache=False).logits[0].to(torch.float32).numpy()
    assert np.isfinite(logits).all() and logits.std() > 0.05, logits.std()
    logits.tofile(OUT / f"{name}.f32")
    said = dict(case[2], name=name, tokens=tokens, layers=config.num_hidden_layers, head_dim=config.head_dim if
                getattr(config, "head_dim", None) else HIDDEN // HEADS, base=config.rope_theta,
                tied=bool(config.tie_word_embeddings))
    print(name, config.model_type, f"std {logits.std():.3f}")
    return said


def encoder_part(name):
    """Pattern of an encoder's canonical names, and the module within."""
    module = name.rsplit(".", 1)[0]
    found = re.match(r"(?:encoder\.layer|encoder\.layers|transformer\.layer|layers)\.(\d+)\.(.*)", module)
    return (f"layers.{found[1]}.{{}}", found[2]) if found else ("{}", module)


def encode(name):
    """An encoder's vectors by mean, first and last token, in f64."""
    make, said = ENCODERS[name]
    config = make()
    if isinstance(config, dict):
        model = NomicBert(config).to(torch.float64).eval()
        states_of = model
    else:
        config._attn_implementation = "eager"
        model = tf.AutoModel.from_config(config, attn_implementation="eager").to(torch.float64).eval()
        states_of = lambda ids: model(ids[None]).last_hidden_state[0]
    lengths = LENGTHS + ([100] if said["encoder"].get("buckets") else [])
    # (Where positions skip the padding token, no text has it.)
    pad = 1 if said["encoder"]["first_position"] else None
    texts = [[3 if t == pad else t for t in ((7 * i * i + 3 * i + 5 + n) % VOCAB for i in range(n))] for n in lengths]
    with torch.no_grad():
        for n, p in model.named_parameters():
            if n.startswith("pooler."):
                continue
            pattern, module = encoder_part(n)
            kind = n.rsplit(".", 1)[1]
            rows, cols = tuple(p.shape) if p.dim() == 2 else (1, p.shape[0])
            parts = ENCODER_FUSED.get(module, [(ENCODER_PARTS.get(module), rows)])
            v = np.concatenate([tensor(f"{pattern.format(part)}.{kind}", n, cols) for part, n in parts])
            p.copy_(torch.from_numpy(np.ascontiguousarray(v)).to(torch.float64).reshape(p.shape))
        states = [states_of(torch.tensor(t)).to(torch.float64).numpy() for t in texts]
    vectors = [[[float(np.float32(v)) for v in x] for x in (s.mean(axis=0), s[0], s[-1])] for s in states]
    print(name, f"std {np.std(np.concatenate([np.array(v) for v in vectors])):.3f}")
    return {**dict(encoder=said["encoder"], arch=said["arch"], name=name, texts=texts, vectors=vectors, layers=3,
                   head_dim=HIDDEN // HEADS, kv_heads=HEADS, max_tokens=100, base=10000.0, tied=True), **said}


def main():
    path = OUT / "encoders.json"
    wanted = sys.argv[1:] or list(ENCODERS)
    old = {c["name"]: c for c in json.loads(path.read_text())} if path.exists() else {}
    old.update({n: encode(n) for n in wanted if n in ENCODERS})
    path.write_text("[\n" + ",\n".join(json.dumps(old[n]) for n in ENCODERS if n in old) + "\n]\n")
    if sys.argv[1:] and not set(sys.argv[1:]) & set(CASES):
        return
    wanted = sys.argv[1:] or list(CASES)
    path = OUT / "cases.json"
    old = {c["name"]: c for c in json.loads(path.read_text())} if path.exists() else {}
    old.update({n: run(n) for n in wanted if n in CASES})
    cases = [old[n] for n in CASES if n in old]
    path.write_text("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")


main()
