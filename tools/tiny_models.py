#!/usr/bin/env python3
"""Tiny models of every type as Hugging Face saves them, with the logits of transformers, for the tests of safetensors.

    $PY tools/tiny_models.py fixture    rewrites tests/fixtures/tiny-llama: a whole directory, in two shards
    $PY tools/tiny_models.py encoder    rewrites tests/fixtures/tiny-bert: a directory as sentence-transformers has it, with vectors
    $PY tools/tiny_models.py reranker   rewrites tests/fixtures/tiny-reranker: a classifier of pairs of texts, with its logits
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


SENTENCES = ["the cat sat on the mat", "The CAT, sat; on the mat!", "a na\u00efve caf\u00e9 \u4f60\u597d 2026", "unknown \U0001f600 sign [SEP-like]", "x",
             "  many   blanks\tand\nlines  ", "the mat sat on the cat and the cat sat on the mat"]


LETTERS = [chr(c) for c in range(ord("a"), ord("z") + 1)] + [str(d) for d in range(10)]
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *("##" + x for x in LETTERS), *"!,;-[]\u4f60",
         "the", "cat", "mat", "sat", "on", "##ing", "##nown", "unk", "many"]


def bert(kind, seed, **more):
    """A random BERT of two layers with numbers that f16 holds."""
    config = tf.BertConfig(vocab_size=len(VOCAB), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
                           max_position_embeddings=64, **more)
    torch.manual_seed(1)
    model = kind.from_config(config, attn_implementation="eager").float().eval()
    g = torch.Generator().manual_seed(seed)
    for name, p in model.named_parameters():
        noise = torch.randn(p.shape, generator=g)
        p.data = (1 + 0.3 * noise if "LayerNorm.weight" in name else 0.2 * noise).to(torch.float16).float()
    return model


def word_pieces():
    if tf.__version__ >= "5":
        return tf.BertTokenizerFast(vocab={v: i for i, v in enumerate(VOCAB)})
    with tempfile.TemporaryDirectory() as d:
        path = pathlib.Path(d) / "vocab.txt"
        path.write_text("\n".join(VOCAB) + "\n")
        return tf.BertTokenizerFast(str(path))


def save_bert(model, words, out):
    model.to(torch.float16).save_pretrained(out, safe_serialization=True)
    (out / "model.safetensors").chmod(0o644)
    words.backend_tokenizer.save(str(out / "tokenizer.json"))
    settings = dict(tokenizer_class="BertTokenizer", do_lower_case=True, cls_token="[CLS]", sep_token="[SEP]")
    (out / "tokenizer_config.json").write_text(json.dumps(settings, indent=1) + "\n")


def reranker():
    """A classifier of one label over pairs of texts, with its logits; the last pair is cut as transformers cuts the longest first."""
    out = FIXTURES / "tiny-reranker"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    model, words = bert(tf.AutoModelForSequenceClassification, 7, num_labels=1), word_pieces()
    said = []
    pairs = [("the cat", text) for text in SENTENCES] + [("many", "the mat"), ("the mat", "many"), ("x", "cat " * 80)]
    for query, text in pairs:
        ids = words(query, text, truncation="longest_first", max_length=64, return_tensors="pt")
        with torch.no_grad():
            logit = model(**ids).logits[0, 0]
        said.append(dict(query=query, text=text, tokens=ids.input_ids[0].tolist(), logit=float(logit)))
    save_bert(model, words, out)
    (out / "reference.json").write_text(json.dumps(said, indent=1) + "\n")


def encoder():
    """Mean of all tokens, divided by its length, of at most 24 tokens: what the files beside the model say."""
    out = FIXTURES / "tiny-bert"
    shutil.rmtree(out, ignore_errors=True)
    (out / "1_Pooling").mkdir(parents=True)
    model, words = bert(tf.AutoModel, 6), word_pieces()
    said = []
    for text in SENTENCES:
        ids = words(text).input_ids
        with torch.no_grad():
            v = model(torch.tensor([ids])).last_hidden_state[0].mean(dim=0)
        said.append(dict(text=text, tokens=ids, vector=[float(x) for x in v / v.norm()]))
    save_bert(model, words, out)
    write = lambda name, value: (out / name).write_text(json.dumps(value, indent=1) + "\n")
    kind = "sentence_transformers.models."
    write("modules.json", [dict(idx=0, name="0", path="", type=kind + "Transformer"),
                           dict(idx=1, name="1", path="1_Pooling", type=kind + "Pooling"),
                           dict(idx=2, name="2", path="2_Normalize", type=kind + "Normalize")])
    write("1_Pooling/config.json", dict(word_embedding_dimension=32, pooling_mode_mean_tokens=True, pooling_mode_cls_token=False))
    write("sentence_bert_config.json", dict(max_seq_length=24, do_lower_case=False))
    write("config_sentence_transformers.json", dict(prompts=dict(query="the "), default_prompt_name=None))
    write("reference.json", said)


def main():
    match sys.argv[1:]:
        case ["encoder"]:
            encoder()
        case ["reranker"]:
            reranker()
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
