#!/usr/bin/env python3
"""The picture of a terminal in README.md, from a real run.

    tools/terminal_picture.py AKUNU    runs the commands, keeps what they print in docs/terminal.json, and draws
    tools/terminal_picture.py          draws what docs/terminal.json holds

Drawing writes docs/terminal-light.svg, docs/terminal-dark.svg and the README's part between its two marks. Run it on a
quiet machine with a release build: the rates are shown as they were printed. `crates/cli/tests/readme.rs` runs the
commands again and compares everything but the rates.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "docs/terminal.json"
BEGIN = "<!-- terminal: written by tools/terminal_picture.py -->\n"
END = "<!-- end of terminal -->"

COMMANDS = [
    ["run", "smollm2", "What does a compiler do? Answer in one sentence.", "--temp", "0"],
    ["profile", "--synthetic", "llama-3.2-1b:q4_0"],
]

COLUMNS = 100
# Of one character and one line, in pixels. Each line is stretched to its columns, so that any monospaced font fits.
ADVANCE, LINE, SIZE = 8.4, 20, 14
MARGIN, BAR = 22, 38

THEMES = {
    "light": {
        "page": "#ffffff", "bar": "#f2f4f7", "edge": "#d0d7de", "dot": "#c9d1d9",
        "text": "#1f2328", "dim": "#656d76", "sign": "#1a7f37", "title": "#656d76",
    },
    "dark": {
        "page": "#0d1117", "bar": "#161b22", "edge": "#30363d", "dot": "#3d444d",
        "text": "#e6edf3", "dim": "#8b949e", "sign": "#3fb950", "title": "#8b949e",
    },
}


def shown(args):
    """The command line as a person types it, with double quotes where a shell needs some."""
    words = (a if a == shlex.quote(a) else '"' + re.sub(r'(["\\$`])', r"\\\1", a) + '"' for a in args)
    return "akunu " + " ".join(words)


def machine():
    """Cores and processor, as the system names them."""
    name = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    name = re.sub(r"\(R\)|\(TM\)", "", name.group(1)) if name else "processor"
    cores = len(os.sched_getaffinity(0))
    return f"{cores} core{'s'[: cores != 1]} of {'an' if name[0] in 'AEIOU' else 'a'} {name.strip()}"


def record(akunu):
    """Runs the commands one after the other."""
    # What the user's settings would change is not what a reader gets.
    env = {k: v for k, v in os.environ.items() if not k.startswith("AKUNU_") or k == "AKUNU_CACHE"}
    runs = []
    for args in COMMANDS:
        done = subprocess.run([akunu, *args], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{shown(args)}: exit code {done.returncode}\n{done.stderr}")
        runs.append({"args": args, "stdout": done.stdout, "stderr": done.stderr})
    version = subprocess.run([akunu, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    recorded = {"version": version, "machine": machine(), "runs": runs}
    RECORD.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")


def wrapped(text):
    """Lines that fit, broken at spaces."""
    for line in text.rstrip("\n").split("\n"):
        # Only a line that is too long is touched: in a table, spaces are columns.
        yield from textwrap.wrap(line, COLUMNS) if len(line) > COLUMNS else [line]


def screen(runs):
    """The lines on the screen, each a list of pieces (class, text)."""
    for i, run in enumerate(runs):
        if i > 0:
            yield []
        yield [("sign", "$ "), ("command", shown(run["args"]))]
        yield from ([("text", line)] for line in wrapped(run["stdout"]))
        yield from ([("dim", line)] for line in wrapped(run["stderr"]))


def draw(lines, title, theme):
    """The picture."""
    width = round(COLUMNS * ADVANCE + 2 * MARGIN)
    height = BAR + len(lines) * LINE + 2 * MARGIN - 8
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
        f"<title>{escape(title)}</title>",
        "<style>text { white-space: pre; font: %dpx ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', "
        "'Liberation Mono', monospace }" % SIZE,
        *(f".{name} {{ fill: {theme[name]} }}" for name in ("text", "dim", "sign")),
        f".command {{ fill: {theme['text']}; font-weight: 600 }}",
        f".title {{ fill: {theme['title']}; font-size: 12.5px; font-family: system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif }}",
        "</style>",
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="9" fill="{theme["page"]}"/>',
        f'<path d="M0.5 {BAR}V9.5a9 9 0 0 1 9-9H{width - 9.5}a9 9 0 0 1 9 9V{BAR}z" fill="{theme["bar"]}"/>',
        f'<path d="M0.5 {BAR}H{width - 0.5}" stroke="{theme["edge"]}"/>',
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="9" fill="none" stroke="{theme["edge"]}"/>',
        *(f'<circle cx="{x}" cy="{BAR / 2}" r="5.5" fill="{theme["dot"]}"/>' for x in (22, 41, 60)),
        f'<text class="title" x="{width / 2}" y="{BAR / 2 + 4.5}" text-anchor="middle">{escape(title)}</text>',
    ]
    for row, line in enumerate(lines):
        column = 0
        for name, text in line:
            x, y = MARGIN + column * ADVANCE, BAR + MARGIN + row * LINE + 9
            length = len(text) * ADVANCE
            out.append(
                f'<text class="{name}" x="{x:.1f}" y="{y}" textLength="{length:.1f}" lengthAdjust="spacingAndGlyphs"'
                f' xml:space="preserve">{escape(text)}</text>'
            )
            column += len(text)
    return "\n".join([*out, "</svg>"]) + "\n"


def write(recorded):
    """The two pictures and the README's part."""
    lines, title = list(screen(recorded["runs"])), f"{recorded['version']} on {recorded['machine']}"
    for name, theme in THEMES.items():
        (ROOT / f"docs/terminal-{name}.svg").write_text(draw(lines, title, theme))
    plain = "\n".join("".join(text for _, text in line) for line in lines)
    part = f"""<picture>
  <source media="(prefers-color-scheme: dark)" srcset="docs/terminal-dark.svg">
  <img src="docs/terminal-light.svg" alt="A terminal: akunu answers a question and shows where the time of a step goes">
</picture>

<details>
<summary>The same as text</summary>

```text
{plain}
```

</details>
"""
    readme = ROOT / "README.md"
    before, rest = readme.read_text().split(BEGIN)
    after = rest.split(END)[1]
    readme.write_text(before + BEGIN + part + END + after)


def main():
    if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
        sys.exit(__doc__.strip())
    if len(sys.argv) == 2:
        record(sys.argv[1])
    write(json.loads(RECORD.read_text()))


main()
