"""The examples do what they say."""

import json
import os
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name: str, *arguments: object, given: str = "") -> str:
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_invoices(tmp_path: Path) -> None:
    files = []
    for i, total in enumerate(("1,250.00", "18.90")):
        files.append(tmp_path / f"{i}.txt")
        files[-1].write_text(f"Invoice no. A-{i}47\nDate: 2026-03-1{i}\nTotal due: EUR {total}\n")
    lines = [json.loads(line) for line in run("invoices.py", "smollm2", *files).splitlines()]
    assert [set(line) for line in lines] == [{"number", "date", "total", "currency"}] * 2
    assert all(isinstance(line["total"], float) for line in lines)


def test_search(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one paragraph\n\nanother one of them")
    (tmp_path / "b.md").write_text("the third")
    out = run("search.py", os.environ["AKUNU_TINY_BERT"], tmp_path, "another one of them")
    assert out.splitlines()[0].startswith("1.000") and "a.txt: another one of them" in out.splitlines()[0]


def test_chat_with_tool() -> None:
    assert run("chat_with_tool.py", os.environ["AKUNU_TINY"], given="hello\n").startswith("> ")


def test_summaries(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The shop opens at nine. It is closed on Sundays. " * 5)
    assert f"{tmp_path / 'a.txt'}: " in run("summaries.py", "smollm2", tmp_path)


def test_subtitles() -> None:
    recording = Path(os.environ["AKUNU_AUDIO"]) / "tone.mp3"
    out = run("subtitles.py", os.environ["AKUNU_TINY_WHISPER"], recording)
    assert out == "" or out.startswith("1\n00:00:0")
