"""Writes the tables of docs/quantization.md from the records of tools/convert_quality.py.

    python3 tools/quantization_table.py DITHERED.json AS_IT_IS.json
"""

import json
import pathlib
import sys

DOC = pathlib.Path(__file__).resolve().parent.parent / "docs" / "quantization.md"


def table(heads, rows):
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def measured(row, side, what, error):
    if side not in row:
        return "–"
    v, e = row[side][what], row[side][error]
    digits = 2 if what == "perplexity" else 3 if v >= 0.1 else 4 if v >= 0.01 else 5
    return f"{v:.{digits}f} ± {e:.{digits}f}"


def ratio(row):
    if "kl_ratio" not in row:
        return "–"
    low, high = row["kl_ratio_95"]
    return f"{row['kl_ratio']:.3f} ({low:.3f} to {high:.3f})"


def recipes(record):
    rows = []
    for r in record["recipes"]:
        kl = [measured(r, side, "kl", "kl_error") for side in ("akunu", "llama.cpp")]
        if not r["akunu"]["kl"]:
            kl = ["0" if side in r else "–" for side in ("akunu", "llama.cpp")]
        perplexity = [measured(r, side, "perplexity", "perplexity_error") for side in ("akunu", "llama.cpp")]
        rows.append([f"`{r['recipe']}`", f"{r['bytes'] / 1e6:.1f}", f"{r['bits_per_weight']:.2f}", *kl, ratio(r), *perplexity])
    return table(["recipe", "MB", "bits per weight", "KL", "KL, llama.cpp", "ratio (95%)", "perplexity",
                  "perplexity, llama.cpp"], rows)


def alone(record):
    rows = [[f"`{r['dtype']}`", *[measured(r, side, "kl", "kl_error") for side in ("akunu", "llama.cpp")], ratio(r)]
            for r in record["dtypes_alone"]]
    return table(["format", "KL", "KL, llama.cpp", "ratio (95%)"], rows)


def main():
    dithered, plain = (json.loads(pathlib.Path(p).read_text()) for p in sys.argv[1:3])
    text = DOC.read_text()
    for name, content in (("recipes", recipes(dithered)), ("formats", alone(dithered)), ("original", recipes(plain))):
        start, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
        before, rest = text.split(start)
        text = before + start + content + end + rest.split(end)[1]
    DOC.write_text(text)


main()
