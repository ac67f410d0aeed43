#!/usr/bin/env python3
"""What transformers makes of five recordings with a real Whisper, in f32: the oracle of `real_speech_*` tests.

    $PY tools/whisper_oracle.py $(tools/fetch-whisper.sh) $(tools/fetch-speech.sh)    rewrites tests/fixtures/oracle/whisper.json

Needs the oracle's environment (tools/setup-oracle.sh). For each recording: the tokens of a greedy transcript with times, and of its window
some log-mel frames, some keys of the last layer's cross attention, and the best logits after the first token. Frames after the end of the
audio are zeros, as in the authors' own program; transformers' extractor would put silence there."""
import json, pathlib, re, sys, wave
import numpy as np
import torch
import transformers as tf

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "oracle" / "whisper.json"
FRAMES, KEYS, BEST = [1, 200], [77, 1499], 8


def samples(path):
    with wave.open(str(path)) as w:
        assert (w.getframerate(), w.getnchannels(), w.getsampwidth()) == (16000, 1, 2)
        return np.frombuffer(w.readframes(w.getnframes()), dtype="<i2").astype(np.float32) / 32768


def window(extractor, audio):
    """[mels, 3000]: the frames of the audio, then zeros."""
    padded = np.concatenate([audio, np.zeros(480000, dtype=np.float32)])
    mel = extractor._np_extract_fbank_features(padded[None], "cpu")[0][:, : len(audio) // 160]
    return np.pad(mel, ((0, 0), (0, 3000 - mel.shape[1]))).astype(np.float32)


def main():
    directory, speech = map(pathlib.Path, sys.argv[1:])
    model = tf.WhisperForConditionalGeneration.from_pretrained(directory, torch_dtype=torch.float32).eval()
    extractor = tf.WhisperFeatureExtractor(feature_size=model.config.num_mel_bins)
    texts = {}
    for line in (speech / "transcription").read_text().splitlines():
        text, name = re.fullmatch(r"<s> (.*) </s> \((.*)\)", line).groups()
        texts[name] = text
    said = []
    for path in sorted(speech.glob("*.wav")):
        mel = torch.tensor(window(extractor, samples(path)))[None]
        with torch.no_grad():
            made = model.generate(mel, return_timestamps=True, return_segments=True, do_sample=False, num_beams=1)
            states = model.model.encoder(mel).last_hidden_state
            keys = model.model.decoder.layers[-1].encoder_attn.k_proj(states)[0]
            logits = model(encoder_outputs=(states,), decoder_input_ids=torch.tensor([[model.config.decoder_start_token_id]])).logits[0, 0]
        best = torch.topk(logits, BEST)
        rounded = lambda a: [round(float(x), 5) for x in a]
        said.append(dict(
            file=path.name, text=texts[path.stem], tokens=[int(t) for s in made["segments"][0] for t in s["tokens"]],
            mel=[rounded(mel[0, :, f]) for f in FRAMES], keys=[rounded(keys[p]) for p in KEYS],
            best=[int(i) for i in best.indices], logits=rounded(best.values)))
    body = ",\n".join(json.dumps(s) for s in said)
    OUT.write_text(f'{{"frames": {FRAMES}, "keys": {KEYS}, "recordings": [\n{body}\n]}}\n')


main()
