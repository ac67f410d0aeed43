"""The command line: ``python -m akunu`` is ``akunu``."""

import sys

from . import _akunu


def main() -> None:
    """Runs the command with this process's arguments and exits with its code."""
    sys.stdout.flush()
    sys.exit(_akunu.cli(["akunu", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
