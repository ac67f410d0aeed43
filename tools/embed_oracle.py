#!/usr/bin/env python3
"""Compares akunu's vectors with sentence-transformers' in f32 on the same weights: of 1,000 sentences, and of texts that people have judged.

Usage: embed_oracle.py DIRECTORY AKUNU [LEVEL...] [--people FOLDER] [-- OPTION...]
    LEVEL is as in AKUNU_CPU, `default` for the machine's best; FOLDER is that of tools/fetch-similarity.sh; options after `--` are for `akunu embed`

The sentences are English prose out of the docstrings of installed packages, taken when the script runs. Where sentence-transformers is not
installed, its steps (mean of the tokens, normalization) are computed here from transformers' states; the first line says which it was.

As tests of semantic similarity do, pairs of texts are ranked by their cosine, and Spearman's correlation with a judgement is stated for both
sides. With --people the judgements are people's, of pairs of words and of all pairs of 50 news texts; without, the judgement is the share of
words that two sentences have in common. What must hold is that the two correlations differ by less than 0.001.
"""
import argparse
import importlib
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy
import torch
from transformers import AutoModel, AutoTokenizer

MODULES = ["torch", "torch.nn", "torch.optim", "numpy", "numpy.linalg", "transformers", "transformers.generation.utils", "argparse",
           "asyncio", "collections", "concurrent.futures", "email.message", "functools", "inspect", "json", "logging", "pathlib",
           "random", "socket", "statistics", "subprocess", "unittest", "tarfile", "threading", "turtle", "zipfile", "decimal"]


def sentences(count):
    found = {}
    for name in MODULES:
        module = importlib.import_module(name)
        for attribute in sorted(dir(module)):
            try:
                texts = [inspect.getdoc(getattr(module, attribute)) or ""]
                texts += [inspect.getdoc(v) or "" for _, v in sorted(vars(getattr(module, attribute)).items())]
            except (TypeError, AttributeError, ImportError, RuntimeError):
                continue
            for text in texts:
                for sentence in re.split(r"(?<=[.!?])\s+", " ".join(text.split())):
                    if 20 <= len(sentence) <= 400 and re.match(r"[A-Z][a-z]+ [a-z]", sentence):
                        found[sentence] = None
    spread = list(found)
    if len(spread) < count:
        sys.exit(f"only {len(spread)} sentences found")
    return [spread[i * len(spread) // count] for i in range(count)]


def reference(directory):
    """What makes vectors of texts, and its name."""
    try:
        from sentence_transformers import SentenceTransformer, __version__
    except ImportError:
        return "transformers, pooled here", lambda texts: pooled(directory, texts)
    model = SentenceTransformer(directory, device="cpu").float()
    # One text at a time: padding changes the last bits.
    return f"sentence-transformers {__version__}", lambda texts: model.encode(texts, batch_size=1, show_progress_bar=False)


def pooled(directory, texts):
    tokenizer, model = AutoTokenizer.from_pretrained(directory), AutoModel.from_pretrained(directory).float().eval()
    limit = json.load(open(os.path.join(directory, "sentence_bert_config.json")))["max_seq_length"]
    vectors = []
    with torch.no_grad():
        for text in texts:
            inputs = tokenizer(text, return_tensors="pt", truncation=True, max_length=limit, padding=False)
            v = model(**inputs).last_hidden_state[0].mean(0)
            vectors.append((v / v.norm()).numpy())
    return numpy.stack(vectors)


def ranks(values):
    order = values.argsort(kind="stable")
    found = numpy.empty(len(values))
    found[order] = numpy.arange(len(values))
    # Equal values have their mean rank.
    _, group = numpy.unique(values, return_inverse=True)
    return (numpy.bincount(group, found) / numpy.bincount(group))[group]


def spearman(a, b):
    return float(numpy.corrcoef(ranks(a), ranks(b))[0, 1])


class Judged:
    """Texts, pairs of them by number, and a judgement of each pair."""

    def __init__(self, name, texts, pairs, scores):
        self.name, self.texts, self.pairs, self.scores = name, texts, numpy.array(pairs), numpy.array(scores)

    def cosines(self, vectors):
        unit = vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)
        return (unit[self.pairs[:, 0]] * unit[self.pairs[:, 1]]).sum(1)


def by_words(texts):
    """Neighbours in a docstring and others, judged by the share of their words that both have."""
    random = numpy.random.default_rng(1)
    n = len(texts)
    pairs = [(i, i + step) for step in (1, 2, 3) for i in range(n - step)]
    pairs += [tuple(p) for p in random.integers(0, n, (2 * n, 2)) if p[0] != p[1]]
    words = [set(re.findall(r"[a-z]+", t.lower())) for t in texts]
    return Judged("shared words", texts, pairs, [len(words[a] & words[b]) / len(words[a] | words[b]) for a, b in pairs])


def read(folder, name):
    path = os.path.join(folder, name)
    try:
        with open(path, encoding="latin-1") as f:
            return path, [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]
    except OSError as e:
        sys.exit(f"{e}; the folder of people's judgements is what tools/fetch-similarity.sh prints")


def number(path, text):
    try:
        return float(text)
    except ValueError:
        sys.exit(f"{path}: `{text[:40]}` is no number; fetch the file again with tools/fetch-similarity.sh")


def of_words(folder, name):
    """Lines of two words and a score, with tabs between them."""
    path, lines = read(folder, name)
    rows = [line.split("\t") for line in lines]
    wrong = [r for r in rows if len(r) != 3]
    if wrong or not rows:
        sys.exit(f"{path}: {wrong[:1] or 'nothing'} where two words and a score should be; fetch it again with tools/fetch-similarity.sh")
    texts = {word: None for r in rows for word in r[:2]}
    at = {word: i for i, word in enumerate(texts)}
    return Judged(name, list(texts), [(at[a], at[b]) for a, b, _ in rows], [number(path, s) for *_, s in rows])


def of_documents(folder, texts_name, scores_name):
    """A text a line, and a square of scores whose upper triangle counts."""
    _, texts = read(folder, texts_name)
    path, lines = read(folder, scores_name)
    scores = [[number(path, s) for s in line.split()] for line in lines]
    n = len(texts)
    if [len(row) for row in scores] != [n] * n:
        sys.exit(f"{path}: no {n} by {n} scores, which {texts_name} needs; fetch both again with tools/fetch-similarity.sh")
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
    return Judged(texts_name, texts, pairs, [scores[a][b] for a, b in pairs])


def vectors_of(akunu, directory, texts, level, options):
    with tempfile.TemporaryDirectory() as folder:
        lines, out = os.path.join(folder, "lines"), os.path.join(folder, "out.npy")
        with open(lines, "w", encoding="utf-8") as f:
            f.write("\n".join(texts) + "\n")
        environment = {k: v for k, v in os.environ.items() if k != "AKUNU_CPU"}
        if level != "default":
            environment["AKUNU_CPU"] = level
        command = [akunu, "embed", directory, "-f", lines, "-o", out, "--truncate", "--device", "cpu", *options]
        subprocess.run(command, check=True, env=environment)
        return numpy.load(out).astype(numpy.float64)


def arguments():
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1].split("\n")[0])
    parser.add_argument("directory")
    parser.add_argument("akunu")
    parser.add_argument("levels", nargs="*")
    parser.add_argument("--people")
    return parser.parse_args(words[:at]), words[at + 1:]


def main():
    a, options = arguments()
    # One text at a time gains little by threads, which spin while they wait.
    torch.set_num_threads(1)
    sets = [by_words(sentences(1000))]
    if a.people:
        sets += [of_documents(a.people, "lee.cor", "similarities0-1.txt"), of_words(a.people, "wordsim353.tsv"),
                 of_words(a.people, "simlex999.txt")]
    name, model = reference(a.directory)
    print(json.dumps({"reference": name, "options": options}))
    failed = False
    for s in sets:
        want = numpy.asarray(model(s.texts)).astype(numpy.float64)
        theirs = s.cosines(want)
        with_judgement = spearman(theirs, s.scores)
        for level in a.levels or ["reference", "default"]:
            got = vectors_of(a.akunu, a.directory, s.texts, level, options)
            cosine = (got * want).sum(1) / numpy.linalg.norm(got, axis=1) / numpy.linalg.norm(want, axis=1)
            ours = s.cosines(got)
            difference = spearman(ours, s.scores) - with_judgement
            print(json.dumps({"judgement": s.name, "level": level, "texts": len(s.texts), "least_cosine": cosine.min(),
                              "mean_cosine": cosine.mean(), "largest_difference": float(abs(got - want).max()),
                              "pairs": len(s.pairs), "spearman": spearman(ours, s.scores), "spearman_of_reference": with_judgement,
                              "spearman_difference": difference, "spearman_of_both": spearman(ours, theirs)}), flush=True)
            failed |= cosine.min() < {"reference": 0.99999}.get(level, 0.9995) or not abs(difference) < 0.001
    sys.exit(int(failed))


main()
