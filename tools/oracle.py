"""The quality oracle: the real model, dequantized to f32 and run by transformers on the CPU.

What akunu computes is compared with what this computes. Both read the same quantized GGUF, so the
difference is akunu's arithmetic alone (activations, KV cache, accumulation), not the quantization of the weights.

    tools/oracle.py greedy            64 greedy tokens for each prompt  -> smollm2_greedy.json
    tools/oracle.py text              ids of the English text           -> english_tokens.json
    tools/oracle.py tokenize-sample   ids of the tokenizer's samples    -> smollm_tokens.json
    tools/oracle.py logits            teacher-forced f32 logits         -> a file in the cache
    tools/oracle.py compare A.f32     KL, top-1 agreement, perplexity of A against those logits

Run it with the Python that tools/setup-oracle.sh prints, after tools/fetch-model.sh. A logits file is
[tokens, vocabulary] f32, little-endian, with no header; row i holds the logits after token i has been read.
"""

import argparse
import json
import os
import pathlib
import sys

import numpy as np

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "oracle"
TEXT_TOKENS = 4096
NEW_TOKENS = 64
# Rows per step when two logits files are compared: 64 rows of 49,152 in f64 are 25 MB.
ROWS = 64


def cache():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("AKUNU_CACHE") or os.path.join(home, "akunu"))


def default_model():
    return cache() / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"


def default_logits():
    return cache() / "oracle" / "oracle_logits.f32"


def load_tokenizer(path):
    """The tokenizer, put together from the GGUF's own vocabulary and merges.

    The one that transformers makes from a GGUF is wrong for this model in two ways: it has no rule for digits
    (`smollm` splits each digit off before the GPT-2 pattern is applied), and it puts token 1 in
    front although the file says `add_bos_token = false`.
    """
    import gguf
    import tokenizers
    from tokenizers import decoders, models, pre_tokenizers

    fields = gguf.GGUFReader(path).fields
    read = lambda name: fields["tokenizer.ggml." + name].contents()  # noqa: E731
    if (read("model"), read("pre"), read("add_bos_token")) != ("gpt2", "smollm", False):
        sys.exit(f"{path}: this oracle knows the smollm tokenizer without a BOS token only")
    tokens = read("tokens")
    merges = [tuple(merge.split(" ")) for merge in read("merges")]
    tokenizer = tokenizers.Tokenizer(models.BPE({t: i for i, t in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    # No special token is registered: text from a user never becomes a control token here.
    return tokenizer


def encode(tokenizer, text):
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    # No step of this tokenizer loses anything, so decoding must give the text back.
    if tokenizer.decode(ids, skip_special_tokens=False) != text:
        raise ValueError(f"{text!r} does not survive encoding and decoding")
    return ids


def load_model(path, threads):
    import torch
    import transformers

    transformers.logging.set_verbosity_error()
    torch.set_num_threads(threads)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32, attn_implementation="eager")
    return model.eval()


def write_json(path, value, one_per_line=False):
    """Small files that a person can read and a diff can show: a list has one entry on a line where asked for."""
    if one_per_line:
        rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in value)
        text = f"[\n{rows}\n]\n"
    else:
        text = json.dumps(value, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8")
    print(f"wrote {path}", file=sys.stderr)


def read_json(name):
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))


def greedy(args):
    import torch

    tokenizer = load_tokenizer(args.model)
    model = load_model(args.model, args.threads)
    rows = []
    for text in read_json("prompts.json"):
        prompt = encode(tokenizer, text)
        tokens, gaps, top2 = [], [], []
        step, past = torch.tensor([prompt]), None
        # EOS is a token like any other here: each row has exactly 64.
        for _ in range(NEW_TOKENS):
            with torch.inference_mode():
                out = model(step, past_key_values=past, use_cache=True)
            past = out.past_key_values
            values, ids = out.logits[0, -1].topk(2)
            tokens.append(int(ids[0]))
            top2.append(int(ids[1]))
            gaps.append(round(float(values[0] - values[1]), 6))
            step = ids[:1].reshape(1, 1)
        rows.append({"text": text, "prompt_ids": prompt, "tokens": tokens, "gaps": gaps, "top2": top2})
        print(f"{text!r} -> {tokenizer.decode(tokens, skip_special_tokens=False)!r}", file=sys.stderr)
    write_json(FIXTURES / "smollm2_greedy.json", rows, one_per_line=True)


def text(args):
    tokenizer = load_tokenizer(args.model)
    ids = encode(tokenizer, (FIXTURES / "english.txt").read_text(encoding="utf-8"))
    if len(ids) < TEXT_TOKENS:
        sys.exit(f"english.txt has {len(ids)} tokens, and {TEXT_TOKENS} are needed")
    print(f"english.txt has {len(ids)} tokens; the first {TEXT_TOKENS} are kept", file=sys.stderr)
    write_json(FIXTURES / "english_tokens.json", ids[:TEXT_TOKENS])


def tokenize_sample(args):
    tokenizer = load_tokenizer(args.model)
    rows = [{"text": sample, "ids": encode(tokenizer, sample)} for sample in read_json("tokenizer_sample.json")]
    write_json(FIXTURES / "smollm_tokens.json", rows, one_per_line=True)


def logits(args):
    import torch

    ids = read_json("english_tokens.json")
    if len(ids) % args.window:
        sys.exit(f"--window must divide {len(ids)}")
    model = load_model(args.model, args.threads)
    out = args.out or default_logits()
    out.parent.mkdir(parents=True, exist_ok=True)
    # Written aside and renamed, so that an interrupted run leaves no half file behind.
    part = out.with_name(out.name + ".part")
    with open(part, "wb") as file:
        for start in range(0, len(ids), args.window):
            with torch.inference_mode():
                rows = model(torch.tensor([ids[start:start + args.window]]), use_cache=False).logits[0]
            rows.numpy().astype("<f4", copy=False).tofile(file)
            print(f"tokens {start}..{start + args.window}", file=sys.stderr)
    part.replace(out)
    print(out)


def log_softmax(rows):
    rows = rows.astype(np.float64)
    rows -= rows.max(axis=1, keepdims=True)
    rows -= np.log(np.exp(rows).sum(axis=1, keepdims=True))
    return rows


def open_logits(path, count):
    size = path.stat().st_size
    if size == 0 or size % (4 * count):
        sys.exit(f"{path}: {size} bytes are not {count} rows of f32")
    return np.memmap(path, dtype="<f4", mode="r", shape=(count, size // 4 // count))


def measure(path, oracle_path, ids, window):
    """KL(oracle || tested) in nats at every position, and the perplexity of each.

    The last position of a window predicts a token of the next context, so it counts for KL and not for perplexity.
    """
    ids = np.asarray(ids)
    tested, oracle = open_logits(path, len(ids)), open_logits(oracle_path, len(ids))
    if tested.shape != oracle.shape:
        sys.exit(f"{path} has rows of {tested.shape[1]}, {oracle_path} of {oracle.shape[1]}")
    divergence, same_top, nll_tested, nll_oracle = [], [], [], []
    for start in range(0, len(ids), ROWS):
        a, b = tested[start:start + ROWS], oracle[start:start + ROWS]
        if not (np.isfinite(a).all() and np.isfinite(b).all()):
            sys.exit(f"a logit that is not finite in rows {start}..{start + ROWS}")
        same_top.append(a.argmax(axis=1) == b.argmax(axis=1))
        log_a, log_b = log_softmax(a), log_softmax(b)
        divergence.append((np.exp(log_b) * (log_b - log_a)).sum(axis=1))
        scored = np.array([i for i in range(start, start + len(a)) if (i + 1) % window], dtype=int)
        nll_tested.append(-log_a[scored - start, ids[scored + 1]])
        nll_oracle.append(-log_b[scored - start, ids[scored + 1]])
    divergence = np.concatenate(divergence)
    return {
        "positions": len(ids),
        "window": window,
        "kl_mean": float(divergence.mean()),
        "kl_median": float(np.median(divergence)),
        "kl_p99": float(np.percentile(divergence, 99)),
        "kl_max": float(divergence.max()),
        "kl_max_position": int(divergence.argmax()),
        "top1_agreement": float(np.concatenate(same_top).mean()),
        "perplexity": float(np.exp(np.concatenate(nll_tested).mean())),
        "perplexity_oracle": float(np.exp(np.concatenate(nll_oracle).mean())),
    }


def compare(args):
    ids = read_json("english_tokens.json")[:args.count]
    result = measure(args.tested, args.oracle or default_logits(), ids, args.window)
    if args.json:
        print(json.dumps(result))
        return
    print(f"KL(oracle || tested)  mean {result['kl_mean']:.3e}  median {result['kl_median']:.3e}  "
          f"99% {result['kl_p99']:.3e}  max {result['kl_max']:.3e} at {result['kl_max_position']}")
    print(f"top-1 agreement       {100 * result['top1_agreement']:.3f}% of {result['positions']}")
    print(f"perplexity            tested {result['perplexity']:.5f}  oracle {result['perplexity_oracle']:.5f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=pathlib.Path, default=default_model())
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    commands = parser.add_subparsers(required=True)
    for name, run in [("greedy", greedy), ("text", text), ("tokenize-sample", tokenize_sample)]:
        commands.add_parser(name).set_defaults(run=run)
    command = commands.add_parser("logits")
    command.add_argument("--out", type=pathlib.Path)
    command.add_argument("--window", type=int, default=512)
    command.set_defaults(run=logits)
    command = commands.add_parser("compare")
    command.add_argument("tested", type=pathlib.Path)
    command.add_argument("--oracle", type=pathlib.Path)
    command.add_argument("--window", type=int, default=512)
    command.add_argument("--count", type=int, help="tokens of the text (default: all)")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=compare)
    args = parser.parse_args()
    args.run(args)


main()
