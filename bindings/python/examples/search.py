"""Semantic search over a folder: ``python search.py ENCODER FOLDER QUESTION`` prints the paragraphs nearest in meaning."""

import sys
from pathlib import Path

import akunu
import numpy as np


def paragraphs(folder: Path) -> list[tuple[Path, str]]:
    files = sorted(p for p in folder.rglob("*") if p.suffix in (".txt", ".md"))
    return [(p, part.strip()) for p in files for part in p.read_text(errors="replace").split("\n\n") if part.strip()]


def main(encoder: str, folder: str, question: str) -> None:
    embedder = akunu.Embedder(encoder, truncate=True)
    found = paragraphs(Path(folder))
    vectors = embedder.embed([text for _, text in found])
    # Vectors have length 1, so a product is the cosine of an angle.
    scores = vectors @ embedder.embed(question)
    for i in np.argsort(-scores)[:5]:
        path, text = found[i]
        print(f"{scores[i]:.3f} {path}: {' '.join(text.split())[:100]}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
