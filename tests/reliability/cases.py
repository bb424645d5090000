"""The files of the cases in `tests/rules` and `tests/runs`: what mutants and seeds are made of."""

import pathlib
import re

TESTS = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^(`{3,})\w* file=(\S+)\n(.*?)^\1$", re.M | re.S)


def texts():
    """The name without folders and the text of each file, in the same order each time."""
    for page in sorted([*TESTS.glob("rules/*.md"), *TESTS.glob("runs/*.md")]):
        for _, name, text in BLOCK.findall(page.read_text(encoding="utf-8")):
            yield pathlib.PurePosixPath(name).name, text
