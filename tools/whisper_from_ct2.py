#!/usr/bin/env python3
"""Makes a Hugging Face directory of a Whisper model that is kept as a CTranslate2 file.

Usage: whisper_from_ct2.py MODEL_DIRECTORY OUT

MODEL_DIRECTORY has model.bin, config.json and tokenizer.json. OUT gets model.safetensors (the same numbers in the same
format), config.json, generation_config.json and tokenizer.json. Only Python's own library is needed.

The file is: version u32; name; revision u32; count u32; so many variables; aliases. A string is its length with the final
NUL as u16, then its bytes. A variable is its name, rank u8, dimensions u32 each, type u8, bytes u32 and the data.
"""

import json
import pathlib
import shutil
import struct
import sys

# CTranslate2's numbers of element types: name in safetensors, bytes.
TYPES = {0: ("F32", 4), 1: ("I8", 1), 2: ("I16", 2), 3: ("I32", 4), 4: ("F16", 2), 5: ("BF16", 2)}


class Reader:
    def __init__(self, data):
        self.data, self.at = memoryview(data), 0

    def take(self, count):
        if self.at + count > len(self.data):
            sys.exit(f"model.bin ends at byte {len(self.data)}, within what it announces")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, kind):
        return struct.unpack("<" + kind, self.take(struct.calcsize("<" + kind)))[0]

    def string(self):
        return bytes(self.take(self.number("H")))[:-1].decode()


def variables(data):
    """{name: (type, dimensions, bytes)} of a model file of version 4 or later."""
    r = Reader(data)
    version, name, _revision = r.number("I"), r.string(), r.number("I")
    if version < 4 or name != "WhisperSpec":
        sys.exit(f"a {name} of version {version}, not a WhisperSpec of version 4 or later")
    found = {}
    for _ in range(r.number("I")):
        name = r.string()
        dims = [r.number("I") for _ in range(r.number("B"))]
        kind, size = r.number("B"), r.number("I")
        found[name] = (kind, dims, r.take(size))
    for _ in range(r.number("I")):
        alias, name = r.string(), r.string()
        found.setdefault(alias, found[name])
    if r.at != len(r.data):
        sys.exit(f"model.bin has {len(r.data) - r.at} bytes more than it announces")
    return found


class Converter:
    def __init__(self, found):
        self.found, self.out = found, {}

    def put(self, source, name):
        self.out[name] = self.found[source]

    def rows(self, source, names):
        """A stack of equal matrices or vectors under the names of its parts."""
        kind, dims, data = self.found[source]
        part = len(data) // len(names)
        for i, name in enumerate(names):
            piece = data[i * part : (i + 1) * part]
            if name is None:
                # Whisper's keys have no bias; CTranslate2 stores one of zeros.
                if any(piece):
                    sys.exit(f"{source} has a bias of keys")
                continue
            self.out[name] = (kind, [dims[0] // len(names), *dims[1:]], piece)

    def norm(self, source, name):
        self.put(source + "/gamma", name + ".weight")
        self.put(source + "/beta", name + ".bias")

    def linear(self, source, name):
        self.put(source + "/weight", name + ".weight")
        self.put(source + "/bias", name + ".bias")

    def layer(self, source, name, crosses):
        fused = source + "/self_attention/linear_0/"
        parts = [f"{name}.self_attn.{p}_proj" for p in "qkv"]
        self.rows(fused + "weight", [p + ".weight" for p in parts])
        self.rows(fused + "bias", [parts[0] + ".bias", None, parts[2] + ".bias"])
        self.linear(source + "/self_attention/linear_1", name + ".self_attn.out_proj")
        self.norm(source + "/self_attention/layer_norm", name + ".self_attn_layer_norm")
        if crosses:
            self.linear(source + "/attention/linear_0", name + ".encoder_attn.q_proj")
            fused = source + "/attention/linear_1/"
            parts = [f"{name}.encoder_attn.{p}_proj" for p in "kv"]
            self.rows(fused + "weight", [p + ".weight" for p in parts])
            self.rows(fused + "bias", [None, parts[1] + ".bias"])
            self.linear(source + "/attention/linear_2", name + ".encoder_attn.out_proj")
            self.norm(source + "/attention/layer_norm", name + ".encoder_attn_layer_norm")
        for i in (0, 1):
            self.linear(f"{source}/ffn/linear_{i}", f"{name}.fc{i + 1}")
        self.norm(source + "/ffn/layer_norm", name + ".final_layer_norm")

    def layers(self, side):
        count = 0
        while f"{side}/layer_{count}/ffn/linear_0/weight" in self.found:
            self.layer(f"{side}/layer_{count}", f"model.{side}.layers.{count}", side == "decoder")
            count += 1
        self.norm(side + "/layer_norm", f"model.{side}.layer_norm")
        self.put(side + "/position_encodings/encodings", f"model.{side}.embed_positions.weight")
        return count

    def shape(self, name):
        return self.out[name][1]


def write_safetensors(tensors, path):
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, (kind, dims, data) in tensors.items():
        dtype, width = TYPES[kind]
        header[name] = {"dtype": dtype, "shape": dims, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for _, _, data in tensors.values():
            out.write(data)


def main():
    source, out = map(pathlib.Path, sys.argv[1:])
    c = Converter(variables((source / "model.bin").read_bytes()))
    for conv in ("conv1", "conv2"):
        c.linear(f"encoder/{conv}", f"model.encoder.{conv}")
    c.put("decoder/embeddings/weight", "model.decoder.embed_tokens.weight")
    encoder_layers, decoder_layers = c.layers("encoder"), c.layers("decoder")
    hidden, mels, _ = c.shape("model.encoder.conv1.weight")
    vocab = c.shape("model.decoder.embed_tokens.weight")[0]
    # All Whisper models have heads of 64.
    heads, ffn = hidden // 64, c.shape("model.encoder.layers.0.fc1.weight")[0]
    stated = json.loads((source / "config.json").read_text())
    tokens = {t["content"]: t["id"] for t in json.loads((source / "tokenizer.json").read_text())["added_tokens"]}
    end, start = tokens["<|endoftext|>"], tokens["<|startoftranscript|>"]
    # Multilingual vocabularies have one token more before the control tokens, and their end of text is 50257.
    multilingual = end != 50256
    config = {
        "architectures": ["WhisperForConditionalGeneration"],
        "model_type": "whisper",
        "activation_function": "gelu",
        "d_model": hidden,
        "num_mel_bins": mels,
        "vocab_size": vocab,
        "encoder_layers": encoder_layers,
        "decoder_layers": decoder_layers,
        "encoder_attention_heads": heads,
        "decoder_attention_heads": heads,
        "encoder_ffn_dim": ffn,
        "decoder_ffn_dim": ffn,
        "max_source_positions": c.shape("model.encoder.embed_positions.weight")[0],
        "max_target_positions": c.shape("model.decoder.embed_positions.weight")[0],
        "scale_embedding": False,
        "tie_word_embeddings": True,
        "bos_token_id": end,
        "eos_token_id": end,
        "pad_token_id": end,
        "decoder_start_token_id": start,
        "torch_dtype": "float16",
    }
    generation = {
        "alignment_heads": stated["alignment_heads"],
        "begin_suppress_tokens": stated["suppress_ids_begin"],
        "suppress_tokens": stated["suppress_ids"],
        "bos_token_id": end,
        "eos_token_id": end,
        "pad_token_id": end,
        "decoder_start_token_id": start,
        "is_multilingual": multilingual,
        "max_initial_timestamp_index": 50,
        "max_length": config["max_target_positions"],
        "no_timestamps_token_id": tokens["<|notimestamps|>"],
        "prev_sot_token_id": tokens["<|startofprev|>"],
    }
    if multilingual:
        languages = {f"<|{t[2:-2]}|>": i for t, i in tokens.items() if i in stated["lang_ids"]}
        generation["lang_to_id"] = languages
        generation["task_to_id"] = {t: tokens[f"<|{t}|>"] for t in ("transcribe", "translate")}
    out.mkdir(parents=True, exist_ok=True)
    write_safetensors(c.out, out / "model.safetensors")
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    (out / "generation_config.json").write_text(json.dumps(generation, indent=2) + "\n")
    shutil.copyfile(source / "tokenizer.json", out / "tokenizer.json")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()
