#!/usr/bin/env python3
"""Tiny random models of every architecture, as Hugging Face directories, with the logits of transformers.

    $PY tools/tiny_models.py fixture    rewrites tests/fixtures/tiny-llama (committed)
    $PY tools/tiny_models.py all        writes $AKUNU_CACHE/tiny/NAME for every architecture

Needs the oracle's environment (tools/setup-oracle.sh). Weights are random but fixed by the seed; the norms are far from
1, so that a forgotten offset shows. Each directory gets `reference.json` (token ids) and `reference.f32` (logits of every
position, [tokens, vocab] f32, computed in f32)."""
import json, os, pathlib, shutil, sys
import torch
import transformers as tf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("AKUNU_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "akunu")
VOCAB = 288
TOKENS = 40

BASE = dict(vocab_size=VOCAB, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, max_position_embeddings=512, bos_token_id=0, eos_token_id=1, pad_token_id=1)
LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=64)
FOUR = dict(BASE, num_hidden_layers=4)

SMALL = dict(BASE, hidden_size=32, intermediate_size=64, num_attention_heads=2, num_key_value_heads=1)

CONFIGS = {
    "llama": tf.LlamaConfig(**BASE, head_dim=16, rms_norm_eps=1e-5, rope_theta=500000.0, rope_scaling=LLAMA3),
    "llama-linear": tf.LlamaConfig(**BASE, tie_word_embeddings=True, rope_scaling=dict(rope_type="linear", factor=4.0)),
    "llama-dynamic": tf.LlamaConfig(**BASE, rope_scaling=dict(rope_type="dynamic", factor=4.0)),
    "llama-yarn": tf.LlamaConfig(**BASE, rope_scaling=dict(rope_type="yarn", factor=8.0, original_max_position_embeddings=64)),
    "llama-bias": tf.LlamaConfig(**BASE, attention_bias=True, mlp_bias=True),
    "mistral": tf.MistralConfig(**BASE, head_dim=32, sliding_window=16),
    "mistral-full": tf.MistralConfig(**BASE, head_dim=32, sliding_window=None),
    "qwen2": tf.Qwen2Config(**BASE, tie_word_embeddings=True),
    "qwen2-window": tf.Qwen2Config(**FOUR, use_sliding_window=True, sliding_window=16, max_window_layers=2),
    "qwen3": tf.Qwen3Config(**BASE, head_dim=32, rope_theta=1e6),
    "qwen3-moe": tf.Qwen3MoeConfig(**BASE, head_dim=32, num_experts=8, num_experts_per_tok=2, moe_intermediate_size=32, norm_topk_prob=True),
    "mixtral": tf.MixtralConfig(**BASE, num_local_experts=4, num_experts_per_tok=2),
    "gemma": tf.GemmaConfig(**BASE, head_dim=32),
    "gemma2": tf.Gemma2Config(**FOUR, head_dim=32, sliding_window=16, query_pre_attn_scalar=24),
    "gemma3": tf.Gemma3TextConfig(**dict(BASE, num_hidden_layers=7), head_dim=32, sliding_window=16, query_pre_attn_scalar=24,
                                  rope_scaling=dict(rope_type="linear", factor=8.0)),
    "phi3": tf.Phi3Config(**BASE),
    "phi3-longrope": tf.Phi3Config(**BASE, original_max_position_embeddings=256, partial_rotary_factor=0.75, rope_scaling=dict(
        type="longrope", short_factor=[1.0 + 0.1 * i for i in range(6)], long_factor=[1.0 + i for i in range(6)])),
    "smollm3": tf.SmolLM3Config(**FOUR),
    "olmo2": tf.Olmo2Config(**BASE),
}


def randomize(model, seed):
    g = torch.Generator().manual_seed(seed)
    for name, p in model.named_parameters():
        flat = p.dim() == 1
        noise = torch.randn(p.shape, generator=g)
        p.data = ((0.3 * noise if flat else 0.15 * noise) + (1.0 if flat and "norm" in name and "gemma" not in model.config.model_type else 0.0)).to(torch.bfloat16).float()


def tokenizer(out):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    corpus = ["the quick brown fox jumps over the lazy dog; a model reads tokens and writes tokens. %d" % i for i in range(400)]
    t.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=VOCAB, special_tokens=["<s>", "</s>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    t.save(str(out / "tokenizer.json"))
    (out / "tokenizer_config.json").write_text(json.dumps(dict(
        bos_token="<s>", eos_token="</s>", model_max_length=512, tokenizer_class="PreTrainedTokenizerFast",
        chat_template="{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}")))


def write(name, config, out, shard):
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    torch.manual_seed(1)
    model = tf.AutoModelForCausalLM.from_config(config, attn_implementation="eager").float().eval()
    randomize(model, sum(name.encode()))
    model.tie_weights()
    ids = [(7 * i * i + 3 * i + 2) % VOCAB for i in range(TOKENS)]
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0]
    model.to(torch.bfloat16).save_pretrained(out, safe_serialization=True, max_shard_size=shard)
    tokenizer(out)
    (out / "reference.json").write_text(json.dumps(dict(transformers=tf.__version__, torch=torch.__version__, tokens=ids)))
    (out / "reference.f32").write_bytes(logits.float().numpy().astype("<f4").tobytes())
    print(name, sum(f.stat().st_size for f in out.iterdir()), "bytes, logits", float(logits.std()))


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what == "fixture":
        write("llama", tf.LlamaConfig(**SMALL, head_dim=16, rope_theta=500000.0, rope_scaling=LLAMA3),
              HERE.parent / "tests/fixtures/tiny-llama", "40KB")
    elif what == "all":
        for name, config in CONFIGS.items():
            write(name, config, CACHE / "tiny" / name, "5GB")
    else:
        sys.exit(__doc__)


main()
