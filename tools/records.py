"""Writes a record whole or not at all: the rule of akunu's own outputs.

    records.write(path, {...})
    ... | records.py RECORD.json      the JSON of standard input, which is checked first

Links are followed. What is no regular file, such as /dev/stdout, is written straight through.
"""
import json
import os
import pathlib
import sys


def write(path, record):
    """The record as indented JSON. An error leaves the file as it was."""
    text = json.dumps(record, indent=1) + "\n"
    path = pathlib.Path(path)
    if path.exists() and not path.is_file():
        path.write_text(text)
        return
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    try:
        with open(part, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


if __name__ == "__main__":
    write(sys.argv[1], json.load(sys.stdin))
