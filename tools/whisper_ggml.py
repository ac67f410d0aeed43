#!/usr/bin/env python3
"""Makes a file as whisper.cpp reads it (`ggml-*.bin`) of a Hugging Face directory of Whisper whose tensors are F16 or F32.

Usage: whisper_ggml.py DIRECTORY OUT.bin        the fixture: whisper_ggml.py tests/fixtures/tiny-whisper tests/fixtures/tiny-whisper.bin

Only Python's own library is needed. The format, all numbers little-endian: the magic 0x67676d6c; vocabulary, audio positions, width, heads
and layers of the encoder, text positions, width, heads and layers of the decoder, mel bins and the format (1 is F16) as i32; the mel
filters as bins i32, width i32 and so many f32; the number of words i32, and each as its length u32 and bytes; then tensors to the end: the number
of dimensions, the length of the name and the type (0 F32, 1 F16) i32, dimensions i32 from the fastest on, name, data. Vectors and
position embeddings are F32.
"""

import json
import math
import pathlib
import struct
import sys

LAYER = {
    "self_attn.q_proj": "attn.query", "self_attn.k_proj": "attn.key", "self_attn.v_proj": "attn.value", "self_attn.out_proj": "attn.out",
    "self_attn_layer_norm": "attn_ln", "encoder_attn.q_proj": "cross_attn.query", "encoder_attn.k_proj": "cross_attn.key",
    "encoder_attn.v_proj": "cross_attn.value", "encoder_attn.out_proj": "cross_attn.out", "encoder_attn_layer_norm": "cross_attn_ln",
    "fc1": "mlp.0", "fc2": "mlp.2", "final_layer_norm": "mlp_ln"}
WHOLE = {
    "encoder.conv1": "encoder.conv1", "encoder.conv2": "encoder.conv2", "encoder.layer_norm": "encoder.ln_post",
    "decoder.layer_norm": "decoder.ln", "decoder.embed_tokens": "decoder.token_embedding"}
POSITIONS = {
    "encoder.embed_positions.weight": "encoder.positional_embedding", "decoder.embed_positions.weight": "decoder.positional_embedding"}


def tensors(path):
    data = path.read_bytes()
    n = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + n])
    for name, about in header.items():
        if name != "__metadata__":
            a, b = about["data_offsets"]
            yield name.removeprefix("model."), about["dtype"], about["shape"], data[8 + n + a : 8 + n + b]


def name_of(name):
    if name in POSITIONS:
        return POSITIONS[name]
    module, what = name.rsplit(".", 1)
    if module in WHOLE:
        return f"{WHOLE[module]}.{what}"
    side, layers, layer, inner = module.split(".", 3)
    assert layers == "layers", name
    return f"{side}.blocks.{layer}.{LAYER[inner]}.{what}"


def words(tokenizer):
    """The byte strings of a vocabulary of bytes, up to the first control token."""
    vocab = sorted(json.loads(tokenizer.read_text())["model"]["vocab"].items(), key=lambda t: t[1])
    plain = [b for b in range(256) if 0x21 <= b <= 0x7E or 0xA1 <= b <= 0xAC or 0xAE <= b <= 0xFF]
    rest = [b for b in range(256) if b not in plain]
    byte = {chr(b): b for b in plain} | {chr(256 + i): b for i, b in enumerate(rest)}
    for text, _ in vocab:
        if text.startswith("<|"):
            break
        yield bytes(byte[c] for c in text)


def mel_filters(bins, rate=16000, size=400):
    """Slaney's triangles, of equal area."""
    def mel(hertz):
        return hertz * 3 / 200 if hertz < 1000 else 15 + 27 * math.log(hertz / 1000) / math.log(6.4)

    def hertz(mel):
        return mel * 200 / 3 if mel < 15 else 1000 * math.exp((mel - 15) * math.log(6.4) / 27)

    corners = [hertz(mel(rate / 2) * i / (bins + 1)) for i in range(bins + 2)]
    for low, middle, high in zip(corners, corners[1:], corners[2:]):
        for i in range(size // 2 + 1):
            f = i * rate / size
            yield max(0.0, min((f - low) / (middle - low), (high - f) / (high - middle))) * 2 / (high - low)


def main():
    directory, out = map(pathlib.Path, sys.argv[1:])
    c = json.loads((directory / "config.json").read_text())
    with open(out, "wb") as f:
        f.write(struct.pack("<I", 0x67676D6C))
        f.write(struct.pack("<11i", c["vocab_size"], c["max_source_positions"], c["d_model"], c["encoder_attention_heads"], c["encoder_layers"],
                            c["max_target_positions"], c["d_model"], c["decoder_attention_heads"], c["decoder_layers"], c["num_mel_bins"], 1))
        f.write(struct.pack("<2i", c["num_mel_bins"], 201))
        f.write(b"".join(struct.pack("<f", v) for v in mel_filters(c["num_mel_bins"])))
        all_words = list(words(directory / "tokenizer.json"))
        f.write(struct.pack("<i", len(all_words)))
        for w in all_words:
            f.write(struct.pack("<I", len(w)) + w)
        for name, dtype, shape, data in tensors(directory / "model.safetensors"):
            if name == "proj_out.weight":
                continue
            to = name_of(name)
            if "conv" in name and name.endswith(".bias"):
                shape = [shape[0], 1]
            wide = name.endswith(".bias") or len(shape) == 1 or name in POSITIONS
            count = len(data) // (2 if dtype == "F16" else 4)
            if dtype == "F16" and wide:
                data = struct.pack(f"<{count}f", *struct.unpack(f"<{count}e", data))
            kind = 0 if wide or dtype == "F32" else 1
            f.write(struct.pack("<3i", len(shape), len(to), kind) + struct.pack(f"<{len(shape)}i", *reversed(shape)) + to.encode() + data)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()
