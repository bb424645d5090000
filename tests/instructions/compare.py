#!/usr/bin/env python3
"""Counts the instructions of five commands and compares them with counts.json.

    tests/instructions/compare.py VRAMLINT [--write]

Unlike times, the counts hardly depend on the machine and its load: more than 3 % above those kept is a change that somebody made. They are
those of a debug build by one compiler, on one thread; with another compiler, or without valgrind, nothing is compared. `--write` keeps
the counts as they are.
"""

import argparse
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
KEPT = HERE / "counts.json"
TOLERANCE = 0.03
FILES = 200

sys.dont_write_bytecode = True


def commands(tree: Path, example: Path) -> dict[str, tuple[list[str], Path]]:
    """The commands by name, each with the folder that it runs in."""
    setup = ["--model", "Qwen/Qwen2.5-7B", "--method", "lora", "--micro-batch", "2", "--seq", "2048"]
    return {
        "start": (["--version"], tree),
        "check of an example": (["check", ".", "--jobs", "1"], example),
        "runs of an example": (["runs", ".", "--jobs", "1", "--output-format", "json"], example),
        "estimate of a setup": (["estimate", *setup], tree),
        f"check of {FILES} files": (["check", ".", "--jobs", "1"], tree),
    }


def count(binary: Path, arguments: list[str], folder: Path, scratch: Path) -> int:
    """The instructions of a command. Its findings do not matter, a failure does."""
    out = scratch / "callgrind.out"
    environment = {**os.environ, "HOME": str(scratch), "HF_HOME": str(scratch), "LANG": "C.UTF-8", "VRAMLINT_LANG": "en"}
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", str(binary), *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(arguments)}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.MULTILINE).group(1))


def make_tree(folder: Path) -> None:
    """The tree of small files that scripts/bench makes."""
    loader = importlib.machinery.SourceFileLoader("bench", str(ROOT / "scripts" / "bench"))
    bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", loader))
    loader.exec_module(bench)
    bench.make_tree(folder, FILES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    compiler = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {"rustc": compiler, "counts": {}}
    if shutil.which("valgrind") is None:
        return print("left out: valgrind is absent")
    if kept["rustc"] != compiler and not given.write:
        return print(f"left out: the counts are those of rustc {kept['rustc']}")
    found, worse = {}, []
    with tempfile.TemporaryDirectory() as scratch:
        tree, example = Path(scratch) / "tree", Path(scratch) / "example"
        tree.mkdir()
        make_tree(tree)
        # Alone: inside this repository it would be read with all of it.
        shutil.copytree(ROOT / "examples" / "reward-model", example)
        for name, (arguments, folder) in commands(tree, example).items():
            found[name] = count(given.binary.resolve(), arguments, folder, Path(scratch))
            before = kept["counts"].get(name, found[name])
            change = found[name] / before - 1
            print(f"{name:22} {found[name]:>14,}  {change:+.1%}")
            if change > TOLERANCE:
                worse.append(name)
    if given.write:
        KEPT.write_text(json.dumps({"rustc": compiler, "counts": found}, indent=2) + "\n")
    elif worse:
        sys.exit(f"more than {TOLERANCE:.0%} above {KEPT.relative_to(ROOT)}: {', '.join(worse)}; --write keeps the new counts")


if __name__ == "__main__":
    main()
