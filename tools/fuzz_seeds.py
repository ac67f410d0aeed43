#!/usr/bin/env python3
"""Writes the seeds of every fuzz target below a folder: `fuzz_seeds.py FOLDER`.

They are made from tests/fixtures and from the chat templates in the cache, where `fetch-vocabs.sh` has put them.
"""

import json
import os
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "tests" / "fixtures"
FUZZ = ROOT / "fuzz"


def zeros(n):
    """The two bytes that ask for at least `n` zeros."""
    return struct.pack("<H", (n + 15) // 16)


# --- GGUF -----------------------------------------------------------------------------------------------------

U8, I32, U32, F32, BOOL, STRING, ARRAY, U64 = 0, 5, 4, 6, 7, 8, 9, 10
PACK = {U8: "<B", I32: "<i", U32: "<I", F32: "<f", BOOL: "<?", U64: "<Q"}
# Id, elements and bytes of a block.
F32_T, F16_T, Q4_0_T, Q8_0_T, Q4_K_T = (0, 1, 4), (1, 1, 2), (2, 32, 18), (8, 32, 34), (12, 256, 144)


def text(s):
    s = s.encode()
    return struct.pack("<Q", len(s)) + s


def value(kind, v):
    if kind == STRING:
        return text(v)
    if kind == ARRAY:
        element, items = v
        return struct.pack("<IQ", element, len(items)) + b"".join(value(element, i) for i in items)
    return struct.pack(PACK[kind], v)


def gguf(entries, tensors, version=3, alignment=32):
    out = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(entries))
    for key, kind, v in entries:
        out += text(key) + struct.pack("<I", kind) + value(kind, v)
    offset = 0
    for name, dims, (type_id, block, size) in tensors:
        out += text(name) + struct.pack("<I", len(dims)) + struct.pack(f"<{len(dims)}Q", *dims)
        out += struct.pack("<IQ", type_id, offset)
        n = 1
        for d in dims:
            n *= d
        offset += (n // block * size + alignment - 1) // alignment * alignment
    padding = -len(out) % alignment
    return out + bytes(padding) + zeros(offset)


def byte_chars():
    """GPT-2's character for every byte."""
    chars, extra = [], 0x100
    for b in range(256):
        if 0x21 <= b <= 0x7E or 0xA1 <= b <= 0xAC or 0xAE <= b <= 0xFF:
            chars.append(chr(b))
        else:
            chars.append(chr(extra))
            extra += 1
    return chars


def bpe(pre="gpt-2"):
    tokens = byte_chars() + ["he", "ll", "hell", "Ġw", "<|im_start|>", "<|im_end|>"]
    types = [1] * (len(tokens) - 2) + [3, 3]
    return len(tokens), [
        ("tokenizer.ggml.model", STRING, "gpt2"),
        ("tokenizer.ggml.pre", STRING, pre),
        ("tokenizer.ggml.tokens", ARRAY, (STRING, tokens)),
        ("tokenizer.ggml.token_type", ARRAY, (I32, types)),
        ("tokenizer.ggml.merges", ARRAY, (STRING, ["h e", "l l", "he ll", "Ġ w"])),
        ("tokenizer.ggml.bos_token_id", U32, len(tokens) - 2),
        ("tokenizer.ggml.eos_token_id", U32, len(tokens) - 1),
        ("tokenizer.ggml.add_bos_token", BOOL, True),
        ("tokenizer.chat_template", STRING, "{% for m in messages %}{{ m.role + m.content }}{% endfor %}"),
    ]


def spm():
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)] + list("▁abc") + ["▁a", "ab", "▁ab"]
    types = [2, 3, 3] + [6] * 256 + [1] * 7
    scores = [0.0] * 259 + [-float(i) for i in range(7)]
    return len(tokens), [
        ("tokenizer.ggml.model", STRING, "llama"),
        ("tokenizer.ggml.tokens", ARRAY, (STRING, tokens)),
        ("tokenizer.ggml.token_type", ARRAY, (I32, types)),
        ("tokenizer.ggml.scores", ARRAY, (F32, scores)),
        ("tokenizer.ggml.bos_token_id", U32, 1),
        ("tokenizer.ggml.eos_token_id", U32, 2),
        ("tokenizer.ggml.unknown_token_id", U32, 0),
        ("tokenizer.ggml.add_space_prefix", BOOL, True),
    ]


def config(arch, **more):
    entries = [
        ("general.architecture", STRING, arch),
        ("general.alignment", U32, 32),
        (f"{arch}.block_count", U32, 1),
        (f"{arch}.context_length", U32, 128),
        (f"{arch}.embedding_length", U32, 32),
        (f"{arch}.feed_forward_length", U32, 64),
        (f"{arch}.attention.head_count", U32, 2),
        (f"{arch}.attention.head_count_kv", U32, 1),
        (f"{arch}.attention.layer_norm_rms_epsilon", F32, 1e-5),
        (f"{arch}.rope.freq_base", F32, 500.0),
    ]
    return entries + [(f"{arch}.{k.replace('__', '.')}", kind, v) for k, (kind, v) in more.items()]


def layer(fused=False, experts=False, extra=()):
    attention = [("attn_qkv", [32, 64])] if fused else [("attn_q", [32, 32]), ("attn_k", [32, 16]), ("attn_v", [32, 16])]
    ffn = [("ffn_gate", [32, 64]), ("ffn_up", [32, 64]), ("ffn_down", [64, 32])]
    if fused:
        ffn = [("ffn_up", [32, 128]), ("ffn_down", [64, 32])]
    if experts:
        ffn = [("ffn_gate_inp", [32, 2]), ("ffn_gate_exps", [32, 64, 2]), ("ffn_up_exps", [32, 64, 2]),
               ("ffn_down_exps", [64, 32, 2])]
    norms = [("attn_norm", [32]), ("ffn_norm", [32])] + [(n, d) for n, d in extra]
    out = [(f"blk.0.{n}.weight", d, F32_T) for n, d in norms]
    out += [(f"blk.0.{n}.weight", d, Q8_0_T) for n, d in attention + [("attn_output", [32, 32])] + ffn]
    return out


def gguf_seeds():
    for name, tokenizer in [("bpe", bpe()), ("llama3", bpe("llama-bpe")), ("qwen2", bpe("qwen2")), ("spm", spm())]:
        vocab, entries = tokenizer
        tensors = [("token_embd.weight", [32, vocab], Q4_0_T), ("output_norm.weight", [32], F32_T)] + layer()
        yield name, gguf(config("llama") + entries, tensors)
    vocab, entries = spm()
    head = [("token_embd.weight", [32, vocab], F16_T), ("output_norm.weight", [32], F32_T),
            ("output.weight", [32, vocab], Q8_0_T)]
    window = {"attention__sliding_window": (U32, 16), "attention__sliding_window_pattern": (ARRAY, (BOOL, [True])),
              "rope__scaling__type": (STRING, "yarn"), "rope__scaling__factor": (F32, 4.0),
              "rope__scaling__original_context_length": (U32, 32), "attention__key_length": (U32, 16),
              "attention__value_length": (U32, 16), "final_logit_softcapping": (F32, 30.0)}
    extra = [("attn_q_norm", [16]), ("attn_k_norm", [16]), ("post_attention_norm", [32]), ("post_ffw_norm", [32])]
    yield "gemma3", gguf(config("gemma3", **window) + entries, head + layer(extra=extra))
    yield "phi3", gguf(config("phi3") + entries, head + layer(fused=True))
    experts = {"expert_count": (U32, 2), "expert_used_count": (U32, 1), "expert_feed_forward_length": (U32, 64)}
    yield "qwen3moe", gguf(config("qwen3moe", **experts) + entries, head + layer(experts=True, extra=extra[:2]))
    odd = [("a", U8, 1), ("b", ARRAY, (ARRAY, [(STRING, ["x", ""]), (U64, [1 << 63])])), ("c", ARRAY, (BOOL, []))]
    yield "values", gguf(odd + config("llama"), [("x", [256, 2, 1, 3], Q4_K_T)], version=2)
    split = [("split.count", U32, 2), ("split.no", U32, 0), ("split.tensors.count", I32, 1)]
    yield "split", gguf(split, [("x", [4], F32_T)])


# --- directories ----------------------------------------------------------------------------------------------


def header(path):
    """The JSON header of a safetensors file, and the bytes that follow it."""
    data = path.read_bytes()
    n = struct.unpack("<Q", data[:8])[0]
    return data[8 : 8 + n].rstrip(), len(data) - 8 - n


def safetensors_seeds():
    tiny = FIXTURES / "tiny-llama"
    merged, offset = {}, 0
    for part in sorted(tiny.glob("model-*.safetensors")):
        head, size = header(part)
        for name, t in json.loads(head).items():
            if name != "__metadata__":
                t["data_offsets"] = [o + offset for o in t["data_offsets"]]
                merged[name] = t
        offset += size
    head = json.dumps(merged).encode()
    # Whole units of 16, as the data must end with the file.
    assert offset % 16 == 0
    yield "llama", b"\0" + head + zeros(offset)
    index = json.dumps({"weight_map": {n: "model-00001-of-00001.safetensors" for n in merged}}).encode()
    yield "indexed", b"\0" + head + b"\xff" + index + zeros(offset)
    for pick, name in enumerate(["llama-mixed", "qwen3-moe-4bit", "qwen3-mxfp4", "gemma3-8bit"], 1):
        head, size = header(FIXTURES / "mlx" / name / "model.safetensors")
        yield name, bytes([pick]) + head + zeros(size)


def config_seeds():
    def short(v):
        # As files are written: without the spaces, seeds stay small.
        return json.dumps(v, separators=(",", ":")).encode()

    generation = (FIXTURES / "tiny-llama" / "generation_config.json").read_bytes()
    yield "tiny", (FIXTURES / "tiny-llama" / "config.json").read_bytes() + b"\xff" + generation
    for case in json.loads((FIXTURES / "safetensors" / "cases.json").read_text()):
        yield case["name"], short(case["config"])
    tiny = json.loads((FIXTURES / "tiny-llama" / "config.json").read_text())
    for name in ["llama-mixed", "qwen3-mxfp4"]:
        extra = json.loads((FIXTURES / "mlx" / name / "config.json").read_text())
        yield name, short(tiny | {"quantization": extra["quantization"]})
    for rope in [{"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64, "beta_fast": 32},
                 {"type": "longrope", "short_factor": [1.0] * 8, "long_factor": [2.0] * 8},
                 {"rope_type": "linear", "factor": 2.0}, {"rope_type": "dynamic", "factor": 2.0}]:
        yield rope.get("rope_type", "longrope"), short(tiny | {"rope_scaling": rope})


def tokenizer_seeds():
    tiny = FIXTURES / "tiny-llama"
    both = [(tiny / n).read_bytes() for n in ["tokenizer.json", "tokenizer_config.json"]]
    yield "byte-level", both[0] + b"\xff" + both[1]
    marked = json.loads((FUZZ / "marked.json").read_text())
    yield "marked", json.dumps(marked, ensure_ascii=False, separators=(",", ":")).encode() + b"\xff" + both[1]
    vocab = {"<unk>": 0, "▁": 1, "a": 2, "b": 3, "ab": 4}
    metaspace = {"added_tokens": [{"id": 0, "content": "<unk>", "special": True}],
                 "pre_tokenizer": {"type": "Metaspace", "prepend_scheme": "first", "split": False},
                 "model": {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "vocab": vocab, "merges": ["a b"]}}
    yield "metaspace", json.dumps(metaspace, ensure_ascii=False).encode()
    split = {"added_tokens": [], "normalizer": {"type": "NFC"},
             "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
                 {"type": "Digits", "individual_digits": True},
                 {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}]},
             "model": {"type": "BPE", "vocab": {c: i for i, c in enumerate(byte_chars())}, "merges": []}}
    yield "digits", json.dumps(split, ensure_ascii=False).encode()


def template_seeds():
    for path in sorted((FUZZ / "templates").glob("*.jinja")):
        yield path.stem, path.read_bytes()
    cache = os.environ.get("AKUNU_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME", "/"), ".cache"), "akunu")
    for path in sorted(Path(cache, "templates").glob("*.jinja")):
        yield path.stem, path.read_bytes()


# --- text and tokens ------------------------------------------------------------------------------------------

TEXTS = ["Hello  world!\n\n 'LL it's 12345", "é e\u0301 中文かな한국 🦙\u200d🦙 \u0000\ufeff", " \t\r\n   x  ",
         "▁▁a ▁b", "<s>a</s><|im_end|><|endoftext|>", "aaaaaaaaaaaaaaaaaaaaaaaa", "ab abc cab"]


def token_seeds():
    for i, t in enumerate(TEXTS):
        for pick in range(6):
            yield f"{i}-{pick}", bytes([pick]) + t.encode()


def stream_seeds():
    ids = [15496, 995, 0, 50256, 220, 8582, 99, 247, 12520, 3, 200, 240, 162, 155]
    for pick in range(3):
        for name, stops in [("none", ("", "")), ("some", ("world", "ld!")), ("same", ("aa", "aab"))]:
            data = b"\xff".join(s.encode() for s in stops) + b"\xff" + struct.pack(f"<{len(ids)}H", *ids)
            yield f"{pick}-{name}", bytes([pick]) + data


def session_seeds():
    """Of the shape tiny-llama with caches of f16: two layers of keys and values, 64 KiB a block each."""

    def session(tokens, kv_len, attached=b"", formats=(0, 0)):
        high = kv_len + 1 if kv_len else 0
        counts = struct.pack("<8I3Q", 2, 64, *formats, 0, len(tokens), kv_len, high, len(attached), 0, 0)
        head = b"AKUNUSES" + struct.pack("<2I", 1, 2) + bytes(32) + counts
        return bytes([3]) + head + struct.pack(f"<{len(tokens)}I", *tokens) + attached

    block = 2 * 256 * 64 * 2
    yield "empty", session([], 0) + zeros(0)
    yield "one", session([9], 0, b"abc") + zeros(0)
    yield "some", session([9, 8, 1023, 0], 3, b"{}") + zeros(4 * block)
    yield "two-blocks", session([5] * 300, 299) + zeros(8 * block)
    yield "f32", session([9, 8], 1, formats=(1, 1)) + zeros(8 * block)


# --- Audio ----------------------------------------------------------------------------------------------------


def wav(rate, channels, bits, kind=1, samples=200):
    width = bits // 8
    data = bytes((i * 37 + 11) % 256 for i in range(samples * channels * width))
    form = struct.pack("<HHIIHH", kind, channels, rate, rate * channels * width, channels * width, bits)
    return b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", len(data)) + data


def audio_seeds():
    for path in sorted((FIXTURES / "audio").iterdir()):
        yield path.name, path.read_bytes()
    for rate, channels, bits, kind in [(16000, 1, 16, 1), (8000, 7, 8, 1), (44100, 2, 24, 1), (48000, 1, 32, 3), (1, 1, 16, 1), (192000, 2, 32, 1)]:
        yield f"{rate}-{channels}-{bits}-{kind}.wav", wav(rate, channels, bits, kind)


def main():
    folder = Path(sys.argv[1])
    seeds = {"gguf": gguf_seeds, "safetensors": safetensors_seeds, "config": config_seeds,
             "tokenizer_json": tokenizer_seeds, "chat_template": template_seeds, "tokens": token_seeds,
             "stream": stream_seeds, "session_file": session_seeds, "audio": audio_seeds}
    for target, make in seeds.items():
        (folder / target).mkdir(parents=True, exist_ok=True)
        for name, data in make():
            (folder / target / name).write_bytes(data)


main()
