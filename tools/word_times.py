#!/usr/bin/env python3
"""Times and probabilities of words of `akunu transcribe --word-timestamps` beside those of faster-whisper on the same weights.

Usage: word_times.py AKUNU MODEL CT2 SPEECH [--dtype FORMAT] [--out RECORD]

MODEL, CT2 and SPEECH are those of tools/speech_speed.py; it runs in an environment with faster-whisper. Both are greedy, faster-whisper in
f32, akunu as `--dtype` says. A word counts where both have it, in order; the record says how far its beginnings and ends are apart, and how far its
probabilities: akunu's are of what the rules leave, as tokens are drawn, faster-whisper's of a second look at the words of the vocabulary alone.
"""

import argparse
import difflib
import json
import pathlib
import platform
import subprocess


def main():
    p = argparse.ArgumentParser()
    p.add_argument("akunu")
    p.add_argument("model")
    p.add_argument("ct2")
    p.add_argument("speech")
    p.add_argument("--dtype")
    p.add_argument("--out")
    a = p.parse_args()
    import faster_whisper

    peer = faster_whisper.WhisperModel(a.ct2, device="cpu", compute_type="float32")
    apart, surer, missed, total, rows = [], [], 0, 0, []
    for path in sorted(pathlib.Path(a.speech).glob("*.wav")):
        segments, _ = peer.transcribe(str(path), beam_size=1, language="en", word_timestamps=True)
        theirs = [(w.word.strip(), w.start, w.end, w.probability) for s in segments for w in s.words]
        command = [a.akunu, "transcribe", "--model", a.model, "--word-timestamps", "--json", "--device", "cpu", str(path)]
        command += ["--dtype", a.dtype] if a.dtype else []
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        ours = [(w["word"].strip(), w["start"], w["end"], w["probability"]) for s in json.loads(done.stdout)["segments"] for w in s["words"]]
        match = difflib.SequenceMatcher(a=[w[0] for w in ours], b=[w[0] for w in theirs], autojunk=False)
        both = [(ours[m.a + i], theirs[m.b + i]) for m in match.get_matching_blocks() for i in range(m.size)]
        off = [abs(o[k] - t[k]) for o, t in both for k in (1, 2)]
        sure = [o[3] - t[3] for o, t in both]
        rows.append({"file": path.name, "words": len(ours), "of_both": len(both), "most_apart": max(off, default=0.0),
                     "probabilities_apart": sum(map(abs, sure)) / max(len(sure), 1)})
        surer += sure
        apart += off
        total += len(theirs)
        missed += len(theirs) - len(both)
    apart.sort()
    distances = sorted(map(abs, surer))
    within = {f"{limit:g}": sum(d <= limit + 1e-6 for d in apart) / len(apart) for limit in (0.02, 0.04, 0.1, 0.2, 0.5)}
    record = {
        "what": "beginnings and ends of words, seconds apart from faster-whisper's (f32, greedy), and probabilities apart",
        "machine": platform.machine(),
        "cpu": next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), ""),
        "command": "tools/word_times.py AKUNU MODEL CT2 SPEECH" + (f" --dtype {a.dtype}" if a.dtype else ""),
        "versions": {"faster-whisper": faster_whisper.__version__},
        "words": total,
        "words_that_only_one_has": missed,
        "within": within,
        "median": apart[len(apart) // 2],
        "most": apart[-1],
        "probabilities": {
            "mean_absolute_difference": sum(distances) / len(distances),
            "median_absolute_difference": distances[len(distances) // 2],
            "most": distances[-1],
            "mean_difference": sum(surer) / len(surer),
            "within": {f"{limit:g}": sum(d <= limit for d in distances) / len(distances) for limit in (0.02, 0.05, 0.1, 0.2)},
        },
        "files": rows,
    }
    print(json.dumps(record, indent=1))
    if a.out:
        pathlib.Path(a.out).write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
