"""Fields of invoices into JSON: ``python invoices.py MODEL FILE...`` prints a line for each file. All are read at once."""

import asyncio
import dataclasses
import json
import sys
from pathlib import Path
from typing import Literal

import akunu


@dataclasses.dataclass
class Invoice:
    number: str
    date: str
    total: float
    currency: Literal["EUR", "USD", "GBP", "CHF"]


async def read(model: akunu.Model, path: Path) -> Invoice:
    prompt = f"An invoice:\n\n{path.read_text()}\n\nIts number, date, total and currency as JSON: "
    return (await model.stream(prompt, schema=Invoice, temperature=0, max_tokens=200)).parsed


async def main(name: str, *files: str) -> None:
    with akunu.Model(name) as model:
        for invoice in await asyncio.gather(*(read(model, Path(f)) for f in files)):
            print(json.dumps(dataclasses.asdict(invoice)))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    asyncio.run(main(*sys.argv[1:]))
