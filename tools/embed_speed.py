#!/usr/bin/env python3
"""Texts per second of `akunu embed` beside fastembed (ONNX Runtime), and llama.cpp, on the same model, in turn, for short and long texts.

Usage: embed_speed.py AKUNU MODEL ONNX [--llama PYTHON GGUF] [--texts N] [--threads N] [--rounds N] [--out RECORD]

AKUNU is a release build, MODEL the directory that `akunu pull minilm` makes, ONNX a directory with model.onnx (32 bits, exported from the same
weights), config.json, tokenizer.json, tokenizer_config.json and special_tokens_map.json. It runs in an environment with
`pip install fastembed`. Texts are sentences of 8 to 24 words, or so many of them that a text has about 200 tokens. Each side embeds everything once to
warm up; then the rounds alternate, A B A B. akunu is a whole process each time, its start and the loading of its model among it; fastembed's model is
loaded once, before. PYTHON has llama-cpp-python, built for this CPU, and GGUF is the model as llama.cpp's own converter writes it; each round is a process that
loads, finds its fastest batch size with some texts, and times itself with it.
"""

import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

WORDS = """the of and a to in he was that it his her with as had for she not at but be on they have him which said from all this by were or so
one would there been no their could when what will who if more out up into do any your about some them then than time house little man now great
before other two must over such made again where after sister mother should down first much never own good every day think being come came know
without nothing might long way most upon may room how himself shall here always before though old long through however soon even young again""".split()


def texts(count, sentences):
    draw = random.Random(7)
    sentence = lambda: " ".join(draw.choice(WORDS) for _ in range(draw.randint(8, 24))).capitalize() + "."
    return [" ".join(sentence() for _ in range(sentences)) for _ in range(count)]


def llama_child(gguf, lines, threads, out):
    import llama_cpp
    import numpy

    def loaded(tokens):
        most = dict(n_ctx=tokens, n_batch=tokens, n_ubatch=tokens)
        return llama_cpp.Llama(gguf, embedding=True, n_threads=threads, n_threads_batch=threads, verbose=False, **most)

    all_texts = pathlib.Path(lines).read_text().splitlines()
    m = loaded(512)
    longest = max(len(m.tokenize(t.encode())) for t in all_texts)
    m.close()
    # Its texts of a batch cost more the more there are, since each attends to all and is masked: the fastest size counts.
    fastest = None
    for tokens in (64, 128, 256, 512):
        if tokens < longest:
            continue
        m = loaded(tokens)
        m.embed(all_texts[:8], normalize=True)
        start = time.perf_counter()
        m.embed(all_texts[:48], normalize=True)
        took = time.perf_counter() - start
        fastest = min(fastest or (took, tokens), (took, tokens))
        m.close()
    m = loaded(fastest[1])
    m.embed(all_texts[:8], normalize=True)
    before, start = os.times(), time.perf_counter()
    vectors = m.embed(all_texts, normalize=True)
    wall, after = time.perf_counter() - start, os.times()
    numpy.save(out, numpy.array(vectors, dtype=numpy.float32))
    print(json.dumps({"version": llama_cpp.__version__, "batch": fastest[1], "seconds": wall, "cpu_seconds": sum(after[:4]) - sum(before[:4])}))


def main():
    if sys.argv[1:2] == ["child"]:
        return llama_child(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
    p = argparse.ArgumentParser()
    p.add_argument("akunu")
    p.add_argument("model")
    p.add_argument("onnx")
    p.add_argument("--llama", nargs=2, metavar=("PYTHON", "GGUF"))
    p.add_argument("--texts", type=int, default=2000)
    p.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--dtype", default="auto", help="akunu's --dtype")
    p.add_argument("--out")
    a = p.parse_args()
    import fastembed
    from fastembed.common.model_description import ModelSource, PoolingType

    fastembed.TextEmbedding.add_custom_model(
        model="minilm", pooling=PoolingType.MEAN, normalization=True, sources=ModelSource(hf="none/none"), dim=384, model_file="model.onnx"
    )
    peer = fastembed.TextEmbedding("minilm", specific_model_path=a.onnx, threads=a.threads)
    record = {
        "what": "vectors of texts, all-MiniLM-L6-v2",
        "cpu": next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), ""),
        "threads": a.threads,
        "versions": {"fastembed": fastembed.__version__, "akunu --dtype": a.dtype},
        "command": f"tools/embed_speed.py AKUNU MODEL ONNX{' --llama PYTHON GGUF' if a.llama else ''} --texts {a.texts} --threads {a.threads} --rounds {a.rounds} --dtype {a.dtype}",
        "cases": [],
    }
    for name, sentences, count in (("short", 1, a.texts), ("long", 10, a.texts // 8)):
        all_texts = texts(count, sentences)
        with tempfile.TemporaryDirectory() as folder:
            lines, out = pathlib.Path(folder) / "lines.txt", pathlib.Path(folder) / "out.npy"
            lines.write_text("\n".join(all_texts) + "\n")
            command = [a.akunu, "embed", a.model, "-f", str(lines), "-o", str(out), "--threads", str(a.threads), "--dtype", a.dtype]
            command += ["--truncate", "--quiet"]

            def ours():
                subprocess.run(command, check=True)

            def theirs():
                return list(peer.embed(all_texts, batch_size=64))

            ours()
            reference = theirs()
            import numpy

            mine = numpy.load(out)
            cosine = float(min((mine * numpy.stack(reference)).sum(axis=1)))
            sides = {"akunu": ours, "fastembed": theirs}
            cosines = {"fastembed": cosine}
            if a.llama:
                python, gguf = a.llama
                vectors = pathlib.Path(folder) / "llama.npy"
                child = [python, __file__, "child", gguf, str(lines), str(a.threads), str(vectors)]

                def llama():
                    done = subprocess.run(child, check=True, capture_output=True, text=True)
                    return json.loads(done.stdout.splitlines()[-1])

                record["versions"]["llama-cpp-python"] = llama()["version"]
                cosines["llama.cpp"] = float(min((mine * numpy.load(vectors)).sum(axis=1)))
                sides["llama.cpp"] = llama
            rows = {side: [] for side in sides}
            for _ in range(a.rounds):
                for side, work in sides.items():
                    load, before, start = os.getloadavg()[0], os.times(), time.perf_counter()
                    told = work()
                    wall, after = time.perf_counter() - start, os.times()
                    row = {"seconds": wall, "cpu_seconds": sum(after[:4]) - sum(before[:4])}
                    if side == "llama.cpp":
                        row = {key: told[key] for key in (*row, "batch")}
                    rows[side].append({**row, "load_average": load})
        median = lambda side, key: statistics.median(r[key] for r in rows[side])
        case = {"texts": name, "count": count, "words": sum(len(t.split()) for t in all_texts) / count, "least_cosine": cosines}
        for key in ("seconds", "cpu_seconds"):
            case[key] = {side: {"per_second": count / median(side, key)} for side in sides}
            for side in sides:
                case[key][side]["akunu_is_faster_by"] = median(side, key) / median("akunu", key)
        print(json.dumps(case, indent=1))
        record["cases"].append({**case, "rounds": rows})
    if a.out:
        pathlib.Path(a.out).write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
