#!/usr/bin/env python3
"""Compares akunu's vectors of 1,000 sentences with transformers' in f32 on the same weights.

Usage: embed_oracle.py DIRECTORY AKUNU [LEVEL...]     LEVEL as in AKUNU_CPU, `default` for the machine's best

The sentences are English prose out of the docstrings of installed packages, taken when the script runs. Pooling (mean) and
normalization are computed here, so that sentence-transformers is not needed.

As tests of semantic similarity do, pairs of texts are ranked by their cosine: neighbours in a docstring and others. Spearman's correlation with a
judgement is stated for both sides; the judgement is the share of words that two texts have in common, since people's are not at hand. What
must hold is that the two correlations differ by less than 0.001, and that the two rankings agree.
"""
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


def reference(directory, texts):
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


def similarity(texts):
    """Pairs of texts and the share of their words that both have."""
    random = numpy.random.default_rng(1)
    n = len(texts)
    pairs = [(i, i + step) for step in (1, 2, 3) for i in range(n - step)]
    pairs += [tuple(p) for p in random.integers(0, n, (2 * n, 2)) if p[0] != p[1]]
    words = [set(re.findall(r"[a-z]+", t.lower())) for t in texts]
    return numpy.array(pairs), numpy.array([len(words[a] & words[b]) / len(words[a] | words[b]) for a, b in pairs])


def main():
    directory, akunu, *levels = sys.argv[1:]
    texts = sentences(1000)
    want = reference(directory, texts).astype(numpy.float64)
    pairs, judged = similarity(texts)
    unit = want / numpy.linalg.norm(want, axis=1, keepdims=True)
    theirs = (unit[pairs[:, 0]] * unit[pairs[:, 1]]).sum(1)
    with_judgement = spearman(theirs, judged)
    least = {"reference": 0.99999}
    failed = False
    for level in levels or ["reference", "default"]:
        with tempfile.TemporaryDirectory() as folder:
            lines, out = os.path.join(folder, "lines"), os.path.join(folder, "out.npy")
            with open(lines, "w") as f:
                f.write("\n".join(texts) + "\n")
            environment = {k: v for k, v in os.environ.items() if k != "AKUNU_CPU"}
            if level != "default":
                environment["AKUNU_CPU"] = level
            command = [akunu, "embed", directory, "-f", lines, "-o", out, "--truncate", "--device", "cpu"]
            subprocess.run(command, check=True, env=environment)
            got = numpy.load(out).astype(numpy.float64)
        cosine = (got * want).sum(1) / numpy.linalg.norm(got, axis=1) / numpy.linalg.norm(want, axis=1)
        unit = got / numpy.linalg.norm(got, axis=1, keepdims=True)
        ours = (unit[pairs[:, 0]] * unit[pairs[:, 1]]).sum(1)
        difference = spearman(ours, judged) - with_judgement
        print(json.dumps({"level": level, "texts": len(texts), "least_cosine": cosine.min(), "mean_cosine": cosine.mean(),
                          "largest_difference": float(abs(got - want).max()),
                          "pairs": len(pairs), "spearman_with_judgement": with_judgement, "spearman_difference": difference,
                          "spearman_of_both": spearman(ours, theirs)}))
        failed |= cosine.min() < least.get(level, 0.9995) or abs(difference) >= 0.001
    sys.exit(int(failed))


main()
