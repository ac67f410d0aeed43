#!/usr/bin/env python3
"""Tiny models of every type as Hugging Face saves them, with the logits of transformers, for the tests of safetensors.

    $PY tools/tiny_models.py fixture    rewrites tests/fixtures/tiny-llama: a whole directory, in two shards
    $PY tools/tiny_models.py cases      rewrites tests/fixtures/safetensors: configurations, names, shapes and logits

Needs the oracle's environment (tools/setup-oracle.sh). The cases carry no weights: those are a formula of the tensor's
name (`weights` below, `Case::write` in tests/conformance/tests/safetensors.rs), exact in BF16. Logits are those of
every position, [tokens, vocab] f32, computed in f32."""
import json, pathlib, shutil, sys, tempfile, zlib
import numpy as np
import torch
import transformers as tf
from safetensors import safe_open
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures"
TOKENS = 40

BASE = dict(vocab_size=64, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, max_position_embeddings=512, bos_token_id=0, eos_token_id=1, pad_token_id=1)
LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=64)
FOUR = dict(BASE, num_hidden_layers=4)

CASES = {
    "llama": tf.LlamaConfig(**BASE, head_dim=16, rms_norm_eps=1e-5, rope_theta=500000.0, rope_scaling=LLAMA3),
    "llama-linear": tf.LlamaConfig(**BASE, tie_word_embeddings=True, rope_scaling=dict(rope_type="linear", factor=4.0)),
    "llama-dynamic": tf.LlamaConfig(**BASE, rope_scaling=dict(rope_type="dynamic", factor=4.0)),
    "llama-yarn": tf.LlamaConfig(**BASE, rope_scaling=dict(rope_type="yarn", factor=8.0, original_max_position_embeddings=64)),
    "mistral": tf.MistralConfig(**BASE, head_dim=32, sliding_window=16),
    "mistral-full": tf.MistralConfig(**BASE, head_dim=32, sliding_window=None),
    "qwen2": tf.Qwen2Config(**BASE, tie_word_embeddings=True),
    "qwen2-window": tf.Qwen2Config(**FOUR, use_sliding_window=True, sliding_window=16, max_window_layers=2),
    "qwen3": tf.Qwen3Config(**BASE, head_dim=32, rope_theta=1e6),
    "qwen3-moe": tf.Qwen3MoeConfig(**BASE, head_dim=32, num_experts=8, num_experts_per_tok=2, moe_intermediate_size=32, norm_topk_prob=True),
    "qwen3-moe-plain": tf.Qwen3MoeConfig(**BASE, head_dim=32, num_experts=8, num_experts_per_tok=3, moe_intermediate_size=32, norm_topk_prob=False),
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


def weights(name, shape, gemma):
    """64 steps to either side of 0, or around 1 for norms; those of Gemma are around 0 in the file."""
    i = np.arange(int(np.prod(shape)), dtype=np.uint64)
    x = (i * 2654435761 + zlib.crc32(name.encode()) * 40503) & 0xFFFFFFFF
    x ^= x >> np.uint64(15)
    x = (x * 2246822519) & 0xFFFFFFFF
    x ^= x >> np.uint64(13)
    step = (x >> np.uint64(25)).astype(np.float32) - 64
    values = step / 256
    if len(shape) == 1 and "norm" in name:
        values = step / 128 + (0 if gemma else 1)
    return torch.from_numpy(values.reshape(shape)).to(torch.bfloat16)


def logits_of(config, shapes, tokens):
    """Fills a directory by the formula and runs it."""
    gemma = config["model_type"].startswith("gemma")
    with tempfile.TemporaryDirectory() as d:
        d = pathlib.Path(d)
        (d / "config.json").write_text(json.dumps(config))
        save_file({n: weights(n, s, gemma) for n, s in shapes.items()}, d / "model.safetensors", metadata=dict(format="pt"))
        model = tf.AutoModelForCausalLM.from_pretrained(d, dtype=torch.float32, attn_implementation="eager").eval()
    with torch.no_grad():
        return model(torch.tensor([tokens])).logits[0]


def case(name, config):
    torch.manual_seed(1)
    with tempfile.TemporaryDirectory() as d:
        tf.AutoModelForCausalLM.from_config(config).to(torch.bfloat16).save_pretrained(d, safe_serialization=True)
        saved = json.loads((pathlib.Path(d) / "config.json").read_text())
        with safe_open(pathlib.Path(d) / "model.safetensors", framework="pt") as f:
            shapes = {n: f.get_slice(n).get_shape() for n in f.keys()}
    tokens = [(7 * i * i + 3 * i + 2) % 64 for i in range(TOKENS)]
    logits = logits_of(saved, shapes, tokens)
    (FIXTURES / "safetensors" / f"{name}.f32").write_bytes(logits.numpy().astype("<f4").tobytes())
    print(name, float(logits.std()))
    return dict(name=name, tokens=tokens, config=saved, tensors=shapes)


def tokenizer(out, vocab):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    corpus = ["the quick brown fox jumps over the lazy dog; a model reads tokens and writes tokens. %d" % i for i in range(400)]
    t.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=vocab, special_tokens=["<s>", "</s>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    t.save(str(out / "tokenizer.json"))
    (out / "tokenizer_config.json").write_text(json.dumps(dict(
        bos_token="<s>", eos_token="</s>", model_max_length=512, tokenizer_class="PreTrainedTokenizerFast",
        chat_template="{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}")))


def fixture():
    vocab = 288
    config = tf.LlamaConfig(**dict(BASE, vocab_size=vocab, hidden_size=32, intermediate_size=64, num_attention_heads=2, num_key_value_heads=1),
                            head_dim=16, rope_theta=500000.0, rope_scaling=LLAMA3)
    out = FIXTURES / "tiny-llama"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    torch.manual_seed(1)
    model = tf.AutoModelForCausalLM.from_config(config, attn_implementation="eager").float().eval()
    g = torch.Generator().manual_seed(5)
    for name, p in model.named_parameters():
        noise = torch.randn(p.shape, generator=g)
        p.data = (1 + 0.3 * noise if "norm" in name else 0.15 * noise).to(torch.bfloat16).float()
    ids = [(7 * i * i + 3 * i + 2) % vocab for i in range(TOKENS)]
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0]
    model.to(torch.bfloat16).save_pretrained(out, safe_serialization=True, max_shard_size="40KB")
    for shard in out.glob("*.safetensors"):
        shard.chmod(0o644)
    tokenizer(out, vocab)
    (out / "reference.json").write_text(json.dumps(dict(transformers=tf.__version__, torch=torch.__version__, tokens=ids)))
    (out / "reference.f32").write_bytes(logits.float().numpy().astype("<f4").tobytes())


def main():
    match sys.argv[1:]:
        case ["fixture"]:
            fixture()
        case ["cases"]:
            out = FIXTURES / "safetensors"
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir(parents=True)
            all_cases = [one(n, c) for n, c in CASES.items()]
            (out / "cases.json").write_text("[\n" + ",\n".join(json.dumps(c) for c in all_cases) + "\n]\n")
        case _:
            sys.exit(__doc__)


one = case
main()
