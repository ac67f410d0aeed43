#!/usr/bin/env python3
"""Tiny quantized models as mlx-lm saves them, with its logits, for the tests of safetensors.

    python3 -m venv VENV && VENV/bin/pip install -r tools/requirements-mlx.txt
    VENV/bin/python tools/tiny_mlx.py    rewrites tests/fixtures/mlx (committed)

Each directory gets `reference.json` (token ids) and `reference.f32` (logits of every position, [tokens, vocab] f32).
mlx-lm runs with its scales and norms cast to f32, which changes no value and keeps its own rounding out of the logits."""
import json, pathlib, shutil, sys, tempfile
import mlx.core as mx
import mlx_lm
import numpy as np
from mlx_lm import convert, load
from mlx_lm.utils import load_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "mlx"
BASE = dict(hidden_size=64, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=1, head_dim=32, intermediate_size=64,
            vocab_size=64, rms_norm_eps=1e-6, max_position_embeddings=512, hidden_act="silu", bos_token_id=0, eos_token_id=1,
            torch_dtype="bfloat16", attention_bias=False)
QWEN3 = dict(BASE, model_type="qwen3", architectures=["Qwen3ForCausalLM"], rope_theta=1e6, tie_word_embeddings=False)
LLAMA = dict(BASE, model_type="llama", architectures=["LlamaForCausalLM"], rope_theta=1e4, tie_word_embeddings=True)
MOE = dict(BASE, model_type="qwen3_moe", architectures=["Qwen3MoeForCausalLM"], rope_theta=1e6, tie_word_embeddings=False, num_experts=4,
           num_experts_per_tok=2, moe_intermediate_size=64, norm_topk_prob=True, decoder_sparse_step=1, mlp_only_layers=[])
GEMMA = dict(BASE, model_type="gemma3_text", architectures=["Gemma3ForCausalLM"], hidden_activation="gelu_pytorch_tanh", num_hidden_layers=2,
             rope_theta=1e6, rope_local_base_freq=1e4, query_pre_attn_scalar=32, sliding_window=16, sliding_window_pattern=2, tie_word_embeddings=True)
AFFINE = {f"qwen3-{b}bit": (QWEN3, dict(q_bits=b, q_group_size=64), "bfloat16") for b in (2, 3, 4, 5, 6, 8)}
CASES = {
    **AFFINE,
    "llama-4bit-g32-f16": (LLAMA, dict(q_bits=4, q_group_size=32), "float16"),
    "llama-mixed": (LLAMA, dict(quant_predicate="mixed_3_6"), "bfloat16"),
    "qwen3-mxfp4": (QWEN3, dict(q_mode="mxfp4", q_bits=4, q_group_size=32), "bfloat16"),
    "qwen3-mxfp8": (QWEN3, dict(q_mode="mxfp8", q_bits=8, q_group_size=32), "bfloat16"),
    "qwen3-nvfp4": (QWEN3, dict(q_mode="nvfp4", q_bits=4, q_group_size=16), "bfloat16"),
    "qwen3-moe-4bit": (MOE, dict(q_bits=4, q_group_size=64), "bfloat16"),
    "gemma3-8bit": (GEMMA, dict(q_bits=8, q_group_size=64), "bfloat16"),
}


def tensors(c):
    r = np.random.default_rng(7)
    H, V, D = c["hidden_size"], c["vocab_size"], c["head_dim"]
    q, k = c["num_attention_heads"] * D, c["num_key_value_heads"] * D
    gemma, qk = "gemma" in c["model_type"], c["model_type"] != "llama"
    matrix = lambda *s: (r.standard_normal(s) * 0.15).astype(np.float32)
    norm = lambda n: ((0 if gemma else 1) + 0.3 * r.standard_normal(n)).astype(np.float32)
    w = {"model.embed_tokens.weight": matrix(V, H), "model.norm.weight": norm(H)}
    if not c["tie_word_embeddings"]:
        w["lm_head.weight"] = matrix(V, H)
    for i in range(c["num_hidden_layers"]):
        p = f"model.layers.{i}."
        for n, s in dict(q_proj=(q, H), k_proj=(k, H), v_proj=(k, H), o_proj=(H, q)).items():
            w[f"{p}self_attn.{n}.weight"] = matrix(*s)
        if qk:
            w |= {f"{p}self_attn.{n}.weight": norm(D) for n in ("q_norm", "k_norm")}
        names = ["input_layernorm", "post_attention_layernorm"] + (["pre_feedforward_layernorm", "post_feedforward_layernorm"] if gemma else [])
        w |= {f"{p}{n}.weight": norm(H) for n in names}
        experts = c.get("num_experts")
        if experts:
            w[f"{p}mlp.gate.weight"] = matrix(experts, H)
        F = c["moe_intermediate_size"] if experts else c["intermediate_size"]
        for e in [f"experts.{e}." for e in range(experts)] if experts else [""]:
            w |= {f"{p}mlp.{e}gate_proj.weight": matrix(F, H), f"{p}mlp.{e}up_proj.weight": matrix(F, H), f"{p}mlp.{e}down_proj.weight": matrix(H, F)}
    return w


def hugging_face(c, d, dtype):
    d.mkdir()
    mx.save_safetensors(str(d / "model.safetensors"), {n: mx.array(w).astype(getattr(mx, dtype)) for n, w in tensors(c).items()}, metadata=dict(format="pt"))
    (d / "config.json").write_text(json.dumps(dict(c, torch_dtype=dtype)))
    t = Tokenizer(models.BPE(vocab={"<s>": 0, "</s>": 1, "a": 2}, merges=[]))
    t.pre_tokenizer, t.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    t.save(str(d / "tokenizer.json"))
    (d / "tokenizer_config.json").write_text(json.dumps(dict(tokenizer_class="PreTrainedTokenizerFast", bos_token="<s>", eos_token="</s>")))


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    ids = [(7 * i * i + 3 * i + 2) % BASE["vocab_size"] for i in range(24)]
    for name, (config, options, dtype) in CASES.items():
        with tempfile.TemporaryDirectory() as work:
            hf, made = pathlib.Path(work) / "hf", pathlib.Path(work) / "mlx"
            hugging_face(config, hf, dtype)
            convert(str(hf), mlx_path=str(made), quantize=True, **options)
            model, _ = load_model(made)
            model.set_dtype(mx.float32)
            logits = np.array(model(mx.array([ids]))[0].astype(mx.float32))
            out = OUT / name
            out.mkdir()
            shutil.copy(made / "model.safetensors", out)
            shutil.copy(made / "config.json", out)
        (out / "reference.json").write_text(json.dumps(dict(mlx=mx.__version__, mlx_lm=mlx_lm.__version__, tokens=ids)))
        (out / "reference.f32").write_bytes(logits.astype("<f4").tobytes())
        print(name, sum(f.stat().st_size for f in out.iterdir()), "bytes, logits", logits.std())


main()
