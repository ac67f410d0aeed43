#!/usr/bin/env python3
"""A tiny random Whisper as Hugging Face saves it, with what transformers computes of it, for the tests of speech.

    $PY tools/tiny_whisper.py    rewrites tests/fixtures/tiny-whisper

Needs the oracle's environment (tools/setup-oracle.sh). Weights are random in F16; everything is computed in f32 from what the file
holds. The input of the encoder and the wave are formulas (`features` and `wave` below, the same in the tests)."""
import json, pathlib, shutil
import numpy as np
import torch
import transformers as tf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "tiny-whisper"
MELS, POSITIONS = 80, 100
ALIGNMENT = [[1, 0], [2, 1]]
CONTROL = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|de|>", "<|translate|>", "<|transcribe|>", "<|startoflm|>",
           "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]


def tokenizer():
    """Bytes, then the control tokens."""
    vocab = {c: i for i, c in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    t = Tokenizer(models.BPE(vocab=vocab, merges=[]))
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    t.add_special_tokens(CONTROL)
    named = [(c, t.token_to_id(c)) for c in (CONTROL[1], CONTROL[9], CONTROL[0])]
    t.post_processor = processors.TemplateProcessing(
        single=f"{named[0][0]} {named[1][0]} $A {named[2][0]}", pair=f"{named[0][0]} {named[1][0]} $A $B {named[2][0]}",
        special_tokens=named)
    return t


def features():
    """[mels, frames] f32."""
    frame, mel = np.arange(2 * POSITIONS)[None, :], np.arange(MELS)[:, None]
    return (0.6 * np.sin(0.11 * frame + 0.37 * mel) + 0.2 * np.cos(0.05 * frame * (1 + mel % 5))).astype(np.float32)


def wave():
    """1.5 s at 16 kHz."""
    i = np.arange(24000, dtype=np.float64)
    return (0.3 * np.sin(0.05 * i + 2 * np.sin(0.0007 * i)) + 0.1 * np.sin(0.31 * i)).astype(np.float32)


def main():
    t = tokenizer()
    ids = {c: t.token_to_id(c) for c in CONTROL}
    first_time = ids["<|notimestamps|>"] + 1
    vocab = first_time + POSITIONS + 1
    end, start = ids["<|endoftext|>"], ids["<|startoftranscript|>"]
    config = tf.WhisperConfig(
        vocab_size=vocab, num_mel_bins=MELS, d_model=32, encoder_layers=2, decoder_layers=3, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=64, decoder_ffn_dim=64, max_source_positions=POSITIONS, max_target_positions=48,
        bos_token_id=end, eos_token_id=end, pad_token_id=end, decoder_start_token_id=start, suppress_tokens=[], begin_suppress_tokens=[])
    torch.manual_seed(1)
    model = tf.WhisperForConditionalGeneration(config).float().eval()
    model.set_attn_implementation("eager")
    g = torch.Generator().manual_seed(7)
    for name, p in model.named_parameters():
        noise = torch.randn(p.shape, generator=g)
        scale = 0.05 if "conv" in name else 0.25
        p.data = (1 + 0.3 * noise if "layer_norm.weight" in name else scale * noise).to(torch.float16).float()
    tokens = [start, ids["<|en|>"], ids["<|transcribe|>"], first_time, *t.encode("hello", add_special_tokens=False).ids, first_time + 50]
    with torch.no_grad():
        states = model.model.encoder(torch.tensor(features())[None]).last_hidden_state
        logits = model(encoder_outputs=(states,), decoder_input_ids=torch.tensor([tokens])).logits[0]
        attended = model(encoder_outputs=(states,), decoder_input_ids=torch.tensor([tokens]), output_attentions=True).cross_attentions
        keys = model.model.decoder.layers[1].encoder_attn.k_proj(states)[0]
        values = model.model.decoder.layers[1].encoder_attn.v_proj(states)[0]
    extractor = tf.WhisperFeatureExtractor(feature_size=MELS, chunk_length=2)
    mel = extractor(wave(), sampling_rate=16000, return_tensors="np").input_features[0]
    shutil.rmtree(OUT, ignore_errors=True)
    model.to(torch.float16).save_pretrained(OUT, safe_serialization=True)
    (OUT / "model.safetensors").chmod(0o644)
    t.save(str(OUT / "tokenizer.json"))
    # What the library writes of generation depends on its version; the tests need these.
    generation = dict(
        alignment_heads=ALIGNMENT, begin_suppress_tokens=[t.token_to_id("\u0120"), end], suppress_tokens=[1, 2, start],
        decoder_start_token_id=start, eos_token_id=end, is_multilingual=True, max_initial_timestamp_index=50,
        no_timestamps_token_id=ids["<|notimestamps|>"])
    (OUT / "generation_config.json").write_text(json.dumps(generation, indent=1) + "\n")
    rows = lambda a: [[round(float(x), 6) for x in row] for row in a]
    reference = dict(
        tokens=tokens, logits=rows(logits), positions=[0, 1, 57, POSITIONS - 1],
        keys=rows(keys[[0, 1, 57, POSITIONS - 1]]), values=rows(values[[0, 1, 57, POSITIONS - 1]]),
        # Weights of the heads that align words: at every seventh position for each token.
        weights=[rows(attended[layer][0, head, :, ::7]) for layer, head in ALIGNMENT],
        # Every seventh frame of the wave, as transformers scales it.
        mel=rows(mel.T[:150:7]))
    (OUT / "reference.json").write_text("{\n" + ",\n".join(f'"{k}": {json.dumps(v)}' for k, v in reference.items()) + "\n}\n")


main()
