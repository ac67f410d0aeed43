"""Summaries of the texts in a folder: ``python summaries.py MODEL FOLDER`` prints one for each file as soon as it is there."""

import asyncio
import sys
from pathlib import Path

import akunu


async def summarise(model: akunu.Model, path: Path) -> None:
    # What does not fit is left out, visibly.
    tokens = model.encode(path.read_text(errors="replace"), special=False, bos=False)
    room = model.context - 300
    text = model.decode(tokens[:room]) + (" […]" if len(tokens) > room else "")
    reply = await model.chat_stream(f"Summarise this in two sentences:\n\n{text}", temperature=0.3, max_tokens=150)
    print(f"{path}: {reply.text.strip()}\n", flush=True)


async def main(name: str, folder: str) -> None:
    files = sorted(p for p in Path(folder).rglob("*") if p.suffix in (".txt", ".md"))
    with akunu.Model(name) as model:
        await asyncio.gather(*(summarise(model, p) for p in files))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    asyncio.run(main(*sys.argv[1:]))
