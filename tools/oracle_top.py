"""The oracle's logits in a form that travels: the best 64 of every token, with the log of the sum over all.

The whole file is 805 MB; this is 2 MB. With it the KL divergence of another engine's logits can be measured on a
machine that has neither the oracle nor room for it: exactly over the 64, and over all others as one event. Lumping
events never makes the divergence larger, so it is a lower bound; with 64 tokens kept the rest is a few per cent of the
probability, and on the CPU the two differ by little (the `make` step prints by how much for a given second file).

    tools/oracle_top.py make ORACLE.f32 OUT.npz [--check OTHER.f32]
    tools/oracle_top.py compare OUT.npz LOGITS.f32 [--json]
"""

import argparse
import json

import numpy as np

VOCAB = 49_152
TOP = 64
ROWS = 64


def rows(path):
    flat = np.memmap(path, dtype="<f4", mode="r")
    return flat.reshape(-1, VOCAB)


def log_sum(x):
    top = x.max(axis=1, keepdims=True)
    return (top + np.log(np.exp(x - top).sum(axis=1, keepdims=True)))[:, 0]


def lumped(ids, log_p, logits):
    """KL over the kept tokens and the rest as one event, row by row."""
    x = logits.astype(np.float64)
    log_q = np.take_along_axis(x, ids, axis=1) - log_sum(x)[:, None]
    p, q = np.exp(log_p), np.exp(log_q)
    rest_p = np.maximum(1 - p.sum(axis=1), 1e-12)
    rest_q = np.maximum(1 - q.sum(axis=1), 1e-12)
    return (p * (log_p - log_q)).sum(axis=1) + rest_p * np.log(rest_p / rest_q)


def make(a):
    oracle = rows(a.oracle)
    ids = np.empty((len(oracle), TOP), np.uint16)
    kept = np.empty((len(oracle), TOP), np.float32)
    total = np.empty(len(oracle), np.float64)
    full, part = 0.0, 0.0
    other = rows(a.check) if a.check else None
    for i in range(0, len(oracle), ROWS):
        x = oracle[i : i + ROWS].astype(np.float64)
        order = np.argsort(-x, axis=1)[:, :TOP]
        ids[i : i + ROWS] = order
        kept[i : i + ROWS] = np.take_along_axis(x, order, axis=1)
        total[i : i + ROWS] = log_sum(x)
        if other is not None:
            y = other[i : i + ROWS].astype(np.float64)
            log_p, log_q = x - log_sum(x)[:, None], y - log_sum(y)[:, None]
            full += (np.exp(log_p) * (log_p - log_q)).sum()
            part += lumped(order, np.take_along_axis(log_p, order, axis=1), y).sum()
    np.savez(a.out, ids=ids, logits=kept, log_sum=total)
    if other is not None:
        print(f"mean KL of {a.check}: {full / len(oracle):.4e} in full, {part / len(oracle):.4e} with {TOP} kept")


def compare(a):
    kept = np.load(a.oracle)
    ids, log_p = kept["ids"].astype(np.int64), kept["logits"].astype(np.float64) - kept["log_sum"][:, None]
    logits = rows(a.logits)
    if len(logits) != len(ids):
        raise SystemExit(f"{a.logits}: {len(logits)} rows, the oracle has {len(ids)}")
    kl = np.concatenate([lumped(ids[i : i + ROWS], log_p[i : i + ROWS], logits[i : i + ROWS]) for i in range(0, len(ids), ROWS)])
    best = np.concatenate([logits[i : i + ROWS].argmax(axis=1) for i in range(0, len(ids), ROWS)])
    out = {
        "tokens": len(ids),
        "mean_kl_top64": float(kl.mean()),
        "p99_kl_top64": float(np.quantile(kl, 0.99)),
        "max_kl_top64": float(kl.max()),
        "top1_agreement": float((best == ids[:, 0]).mean()),
    }
    print(json.dumps(out) if a.json else out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    c = commands.add_parser("make")
    c.add_argument("oracle")
    c.add_argument("out")
    c.add_argument("--check")
    c.set_defaults(run=make)
    c = commands.add_parser("compare")
    c.add_argument("oracle")
    c.add_argument("logits")
    c.add_argument("--json", action="store_true")
    c.set_defaults(run=compare)
    a = parser.parse_args()
    a.run(a)


main()
