#!/usr/bin/env python3
"""What `--draft ngram` does to the speed of decoding: `akunu run` with it and without, in turn.

    python3 tools/drafts_speed.py AKUNU MODEL [--device cuda] [--runs 5] [--only NAME] [--out RECORD.json] [--machine TEXT]

Needs Python's standard library. Prompts that are copied and edited, and free prose. Prints for each the medians of tokens per second, their ratio, and how
many tokens were drafted and right. The two texts must be the same.
"""
import argparse, datetime, json, platform, statistics, subprocess, sys, tempfile

PARAGRAPH = """The ferry leaves the island at half past six in the morning, and again at noon and at five. In winter, when the wind blows from \
the north, the captain waits for the light before he casts off, so the passengers stand in the small stone house on the quay and \
drink coffee from paper cups. Most of them know each other. The teacher corrects the essays of her pupils, the baker reads the \
prices of flour in the newspaper, and two fishermen argue about a net that one of them borrowed nine years ago and never gave \
back."""

FILE = '''def read_config(path):
    with open(path) as f:
        lines = f.readlines()
    config = {}
    for line in lines:
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        key, value = line.split("=", 1)
        config[key.strip()] = value.strip()
    return config


def write_config(path, config):
    with open(path, "w") as f:
        for key, value in sorted(config.items()):
            f.write(f"{key}={value}\\n")


def merge_config(base, other):
    merged = dict(base)
    for key, value in other.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = value
    return merged
'''

FIRST = PARAGRAPH.split(". ")[0]

PROMPTS = {
    "copy": (["--raw", "-n", "240", "--temp", "0"], f"Text: {PARAGRAPH}\n\nThe same text again, word for word: {FIRST}."),
    "copy, asked for": (["-n", "240", "--temp", "0"], f"Repeat the following text exactly, word for word:\n\n{PARAGRAPH}"),
    "edit": (["-n", "300", "--temp", "0"], "Rewrite this Python file and rename the variable `config` to `settings`. Answer with the whole "
             f"file.\n\n```python\n{FILE}```"),
    "story, greedy": (["-n", "300", "--temp", "0"], "Write a long story about a sailor and a storm."),
    "story at 0.8": (["-n", "400", "--temp", "0.8", "--seed", "3"], "Write a long story about a sailor and a storm."),
    "essay at 0.8": (["-n", "400", "--temp", "0.8", "--seed", "5"], "Explain how rivers shape the land over time."),
}


def run(a, options, prompt, drafts):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
        f.write(prompt)
        f.flush()
        command = [a.akunu, "run", a.model, "-f", f.name, *options, "--device", a.device, "--json", *drafts]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed ({done.returncode}):\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("akunu")
    p.add_argument("model")
    p.add_argument("--device", default="cpu")
    p.add_argument("--runs", type=int, default=5)
    p.add_argument("--only", default="", help="prompts whose name has this in it")
    p.add_argument("--machine", default=platform.processor() or platform.machine())
    p.add_argument("--out")
    a = p.parse_args()
    rows = []
    for name, (options, prompt) in PROMPTS.items():
        if a.only not in name:
            continue
        plain, drafting, same = [], [], True
        run(a, options, prompt, [])
        for _ in range(a.runs):
            x, y = run(a, options, prompt, []), run(a, options, prompt, ["--draft", "ngram"])
            plain.append(x["decode_tps"])
            drafting.append(y["decode_tps"])
            same &= x["text"] == y["text"]
        ratio = statistics.median(drafting) / statistics.median(plain)
        counts = {k: y[k] for k in ("drafted_tokens", "accepted_tokens", "generated_tokens") if k in y}
        # A machine that others use is not as fast in one minute as in the next: of each pair its own quotient.
        pairs = statistics.median(y / x for x, y in zip(plain, drafting))
        rows.append({"prompt": name, "plain": plain, "drafting": drafting, "ratio": round(ratio, 3), "ratio_in_pairs": round(pairs, 3),
                     "same_text": same, **counts})
        print(f"{name:16} plain {statistics.median(plain):8.1f}  drafting {statistics.median(drafting):8.1f}  {ratio:.2f}x, in pairs {pairs:.2f}x  {counts}"
              f"{'' if same else '  OTHER TEXT'}", file=sys.stderr, flush=True)
    record = {
        "what": "decoding with --draft ngram and without, in turn, tokens per second",
        "date": datetime.date.today().isoformat(), "machine": a.machine,
        "commit": subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip() or None,
        "command": " ".join(sys.argv), "rows": rows,
    }
    text = json.dumps(record, indent=1)
    if a.out:
        with open(a.out, "w") as f:
            f.write(text + "\n")
    else:
        print(text)
    if not all(r["same_text"] for r in rows):
        sys.exit("drafts changed a text")


main()
