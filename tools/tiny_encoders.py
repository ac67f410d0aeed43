#!/usr/bin/env python3
"""Tiny random encoders of every type, and a decoder that makes vectors, as sentence-transformers has them, with the tokens and vectors of
transformers: tests/fixtures/tiny-encoders.

    $PY tools/tiny_encoders.py [NAME...]

Needs the oracle's environment (tools/setup-oracle.sh). Weights are numbers that f16 holds; vectors are computed in f32."""
import json, pathlib, shutil, sys
import torch
import transformers as tf
from safetensors.torch import save_file
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from nomic_bert import NomicBert

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "tiny-encoders"
TEXTS = ["the cat sat on the mat", "The CAT, sat; on the mat!", "a naïve café 你好 2026", "unknown \U0001f600 sign [SEP-like]", "x", "",
         "  many   blanks\tand\nlines  ", "ﬁne Ｗide ① é\u00a0end\u200b.", "the mat sat on the cat and the cat sat on the mat",
         "▁marks ▁▁in the text▁", "the cat sat on the mat and " * 20]
CORPUS = ["the quick brown fox jumps over the lazy dog; a cat sat on the mat and many lines of text end here. %d" % i for i in range(400)]
LETTERS = [chr(c) for c in range(ord("a"), ord("z") + 1)] + [str(d) for d in range(10)]
PIECES = [*LETTERS, *("##" + x for x in LETTERS), *"!,;.-[]你", "the", "cat", "mat", "sat", "on", "##ing", "##nown", "unk", "many"]
# What nmt_nfkc does to a few characters; the real table has thousands.
RULES = {"ﬁ": "fi", "Ｗ": "W", "①": "1", "e\u0301": "é", "\u00a0": " ", "\t": " ", "\n": " ", "\u200b": "", "ｘｙ": "xy"}

BERT = dict(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, max_position_embeddings=480)


def charsmap(rules):
    """SentencePiece's table of normalization: a double array over the sources' bytes, then the targets, each with a zero after it."""
    blob, trie = b"", {}
    for source, target in rules.items():
        node = trie
        for byte in source.encode():
            node = node.setdefault(byte, {})
        node[None] = len(blob)
        blob += target.encode() + b"\0"
    units, used = [0] * 4096, {0}

    def place(at, node):
        labels = [0 if c is None else c for c in node]
        base = next(b for b in range(1, 3840) if all(b ^ c not in used for c in labels))
        used.update(base ^ c for c in labels)
        units[at] |= (at ^ base) << 10 | (None in node) << 8
        for c, child in node.items():
            if c is None:
                units[base] = child | 1 << 31
            else:
                units[base ^ c] = c
                place(base ^ c, child)

    place(0, trie)
    # Any byte may follow any node.
    data = b"".join(u.to_bytes(4, "little") for u in units[: (max(used) | 255) + 1])
    return len(data).to_bytes(4, "little") + data + blob


def word_pieces(first, cls, sep):
    """BERT's, with control tokens of these names."""
    vocab = {t: i for i, t in enumerate([*first, *PIECES])}
    t = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    t.decoder = decoders.WordPiece()
    t.add_special_tokens(first)
    bert = sep == "[SEP]"
    pair = f"{cls} $A {sep} $B:1 {sep}:1"
    known = [(cls, vocab[cls]), (sep, vocab[sep])]
    t.post_processor = processors.TemplateProcessing(single=f"{cls} $A {sep}", pair=pair, special_tokens=known) if bert else \
        processors.RobertaProcessing(sep=known[1], cls=known[0])
    return t


def byte_bpe(first, cls, sep, normalizer=None):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer, t.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    if normalizer:
        t.normalizer = normalizer
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=320, special_tokens=first, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
                                                      show_progress=False))
    ids = {x: t.token_to_id(x) for x in (cls, sep) if x}
    if cls == "<s>":
        t.post_processor = processors.RobertaProcessing(sep=(sep, ids[sep]), cls=(cls, ids[cls]), add_prefix_space=False)
    else:
        t.post_processor = processors.TemplateProcessing(single=f"{cls} $A {sep}".strip(), special_tokens=list(ids.items()))
    return t


def unigram():
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizers.Sequence([normalizers.Precompiled(charsmap(RULES)), normalizers.Replace(Regex(" {2,}"), " ")])
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    t.decoder = decoders.Metaspace()
    first = ["<s>", "<pad>", "</s>", "<unk>"]
    t.train_from_iterator(CORPUS + ["naïve café fine Wide 1 é"] * 9, trainers.UnigramTrainer(vocab_size=150, special_tokens=first, unk_token="<unk>",
                                                                                          show_progress=False))
    t.post_processor = processors.TemplateProcessing(single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    return t


BRACKETS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ANGLES = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def distilbert():
    t = word_pieces(BRACKETS, "[CLS]", "[SEP]")
    config = tf.DistilBertConfig(vocab_size=t.get_vocab_size(), dim=32, hidden_dim=64, n_layers=2, n_heads=2, max_position_embeddings=480)
    return tf.AutoModel.from_config(config), t, "mean", {}


def roberta():
    t = byte_bpe(ANGLES, "<s>", "</s>")
    config = tf.RobertaConfig(vocab_size=t.get_vocab_size(), **BERT, type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5)
    return tf.AutoModel.from_config(config), t, "cls", {}


def xlm_roberta():
    t = unigram()
    config = tf.XLMRobertaConfig(vocab_size=t.get_vocab_size(), **BERT, type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5)
    return tf.AutoModel.from_config(config), t, "cls", dict(query="query: ")


def mpnet():
    t = word_pieces(["<s>", "<pad>", "</s>", "[UNK]", "<mask>"], "<s>", "</s>")
    config = tf.MPNetConfig(vocab_size=t.get_vocab_size(), **BERT, pad_token_id=1, layer_norm_eps=1e-5)
    return tf.AutoModel.from_config(config), t, "mean", {}


def nomic():
    t = word_pieces(BRACKETS, "[CLS]", "[SEP]")
    config = dict(model_type="nomic_bert", architectures=["NomicBertModel"], vocab_size=t.get_vocab_size(), n_embd=32, n_inner=64, n_layer=2, n_head=2,
                  n_positions=480, type_vocab_size=2, activation_function="swiglu", prenorm=False, parallel_block=False, use_rms_norm=False,
                  causal=False, qkv_proj_bias=False, mlp_fc1_bias=False, mlp_fc2_bias=False, scale_attn_weights=True, rotary_emb_fraction=1.0,
                  rotary_emb_base=1000, rotary_emb_interleaved=False, rotary_emb_scale_base=None, rotary_scaling_factor=None,
                  layer_norm_epsilon=1e-12)
    return NomicBert(config), t, "mean", dict(search_query="search_query: ")


def modernbert():
    t = byte_bpe(BRACKETS, "[CLS]", "[SEP]", normalizers.NFC())
    config = tf.ModernBertConfig(vocab_size=t.get_vocab_size(), **dict(BERT, num_hidden_layers=4), local_attention=16, reference_compile=False,
                                 pad_token_id=0, bos_token_id=2, eos_token_id=3, cls_token_id=2, sep_token_id=3)
    return tf.AutoModel.from_config(config), t, "cls", {}


def qwen3():
    t = byte_bpe(["<|endoftext|>"], "", "<|endoftext|>", normalizers.NFC())
    config = tf.Qwen3Config(vocab_size=t.get_vocab_size(), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
                            num_key_value_heads=1, head_dim=32, max_position_embeddings=480, tie_word_embeddings=True, eos_token_id=0, bos_token_id=0)
    return tf.AutoModel.from_config(config), t, "lasttoken", dict(query="Instruct: find it\nQuery: ")


def reranker():
    t = unigram()
    config = tf.XLMRobertaConfig(vocab_size=t.get_vocab_size(), **BERT, type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5, num_labels=1)
    return tf.AutoModelForSequenceClassification.from_config(config), t, None, {}


NAMES = {"distilbert": distilbert, "roberta": roberta, "xlm-roberta": xlm_roberta, "mpnet": mpnet, "nomic-bert": nomic, "modernbert": modernbert,
         "qwen3": qwen3, "xlm-roberta-reranker": reranker}


def save(model, tokenizer, out):
    if isinstance(model, NomicBert):
        save_file({n: p.to(torch.float16).contiguous() for n, p in model.state_dict().items()}, out / "model.safetensors", metadata=dict(format="pt"))
    else:
        model.to(torch.float16).save_pretrained(out, safe_serialization=True)
    (out / "model.safetensors").chmod(0o644)
    tokenizer.save(str(out / "tokenizer.json"), pretty=False)
    (out / "tokenizer_config.json").write_text(json.dumps(dict(tokenizer_class="PreTrainedTokenizerFast")) + "\n")


def make(name):
    out = OUT / name
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    torch.manual_seed(1)
    model, tokenizer, pooling, prompts = NAMES[name]()
    if not isinstance(model, NomicBert):
        model.set_attn_implementation("eager")
    model.float().eval()
    g = torch.Generator().manual_seed(8)
    for p in model.parameters():
        noise = torch.randn(p.shape, generator=g)
        p.data = ((1 + 0.3 * noise if p.dim() == 1 else 0.2 * noise)).to(torch.float16).float()
    for n, p in model.named_parameters():
        if n.endswith("bias"):
            p.data = (0.2 * torch.randn(p.shape, generator=g)).to(torch.float16).float()
    tokenizer.save(str(out / "tokenizer.json"), pretty=False)
    fast = tf.PreTrainedTokenizerFast(tokenizer_file=str(out / "tokenizer.json"))
    write = lambda file, value: (out / file).write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")
    said = []
    if pooling is None:
        for query, text in [("the cat", t) for t in TEXTS[:7] if t] + [("many", "the mat"), ("x", "cat " * 400)]:
            ids = fast(query, text, truncation="longest_first", max_length=478)["input_ids"]
            with torch.no_grad():
                said.append(dict(query=query, text=text, tokens=ids, logit=float(model(torch.tensor([ids])).logits[0, 0])))
    else:
        for text in TEXTS:
            # sentence-transformers takes white space away around a text.
            ids = fast(text.strip())["input_ids"]
            if not ids:
                continue
            with torch.no_grad():
                states = model(torch.tensor(ids)) if isinstance(model, NomicBert) else model(torch.tensor([ids])).last_hidden_state[0]
            v = {"mean": states.mean(dim=0), "cls": states[0], "lasttoken": states[-1]}[pooling]
            said.append(dict(text=text, tokens=ids, vector=[float(x) for x in v / v.norm()]))
        kind = "sentence_transformers.models."
        steps = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
        write("modules.json", [dict(idx=i, name=str(i), path=p, type=kind + t) for i, (p, t) in enumerate(steps)])
        (out / "1_Pooling").mkdir()
        field = dict(mean="pooling_mode_mean_tokens", cls="pooling_mode_cls_token", lasttoken="pooling_mode_lasttoken")[pooling]
        write("1_Pooling/config.json", {"word_embedding_dimension": 32, field: True})
        write("config_sentence_transformers.json", dict(prompts=prompts, default_prompt_name=None))
    save(model, tokenizer, out)
    if isinstance(model, NomicBert):
        write("config.json", model.config)
    write("reference.json", said)
    print(name, sum(f.stat().st_size for f in out.rglob("*") if f.is_file()), max(len(s["tokens"]) for s in said))


for name in sys.argv[1:] or NAMES:
    make(name)
