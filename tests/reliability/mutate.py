#!/usr/bin/env python3
"""Mutates the files of the cases and checks and fixes them: no panic, no hang, no fix that breaks a file, no second fix.

    tests/reliability/mutate.py target/debug/vramlint MINUTES [SEED]

Prints what went wrong, with a folder that holds the files; it is kept.
"""

import collections
import pathlib
import random
import re
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import cases
from faults.bench import Bench

BATCH = 40
ENDS = ("yaml", "yml", "json", "py", "sh", "ps1", "bat", "md")
WORDS = [b"\x00", b"\xff", "🚀".encode(), "批".encode(), b"\r", b"\r\n", b"\t", b"\x0c", b"9" * 400, b"1e999", b"-0", b"[" * 60, b"{" * 60, b"(" * 60, b"$(" * 30, b"'", b'"', b"`", b"\\", b"\\\n", b"#", b": ", b"|", b">", b"!", b"%", b"@", b"&x", b"*x", b",", b"=", b"<<: *x"]


def seeds():
    """Texts of the cases by the end of their names."""
    found = collections.defaultdict(list)
    for name, text in cases.texts():
        end = name.rpartition(".")[2]
        if end in ENDS:
            found[end].append((name, text.encode()))
    return found


def mutated(chance, text, others):
    text = bytearray(text[:6000])
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        at, kind = chance.randrange(len(text) + 1), chance.randrange(8)
        if kind == 0 and text:
            text[chance.randrange(len(text))] = chance.randrange(256)
        elif kind == 1:
            text[at:at] = chance.choice(WORDS)
        elif kind == 2:
            del text[at : at + chance.choice((1, 2, 8, 40))]
        elif kind == 3:
            text[at:at] = text[at : at + chance.choice((3, 20, 200))] * chance.choice((1, 2, 5))
        elif kind == 4:
            other = chance.choice(others)[1]
            start = chance.randrange(len(other) + 1)
            text[at:at] = other[start : start + chance.choice((5, 40, 300))]
        elif kind == 5:
            lines = bytes(text).split(b"\n")
            a, b = chance.randrange(len(lines)), chance.randrange(len(lines))
            lines[a], lines[b] = lines[b], lines[a]
            text = bytearray(b"\n".join(lines))
        elif kind == 6:
            lines = bytes(text).split(b"\n")
            a = chance.randrange(len(lines))
            lines[a] = chance.choice((b"  ", b"\t", b"- ", b"# ")) + lines[a]
            text = bytearray(b"\n".join(lines))
        else:
            numbers = list(re.finditer(rb"\d+", bytes(text)))
            if numbers:
                number = chance.choice(numbers)
                text[number.start() : number.end()] = chance.choice((b"0", b"-1", b"1e400", b"99999999999999999999", b"1.5", b"''", b"null", b"[1]", b"nan"))
    return bytes(text)


def snapshot(at):
    return {path.relative_to(at): path.read_bytes() for path in at.rglob("*") if path.is_file()}


def main():
    binary, minutes = sys.argv[1], float(sys.argv[2])
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    texts, bench = seeds(), Bench(binary)
    end, files, wrong = time.time() + 60 * minutes, 0, 0

    def report(what, at, ran):
        nonlocal wrong
        wrong += 1
        kept = tempfile.mkdtemp(prefix="vramlint-mutant-")
        shutil.copytree(at, kept, dirs_exist_ok=True)
        print(f"{what}: {kept}: {ran}", flush=True)

    while time.time() < end:
        kind = chance.choice(sorted(texts))
        made = {}
        for number in range(BATCH):
            name, text = chance.choice(texts[kind])
            made[f"p{number}/{name}"] = mutated(chance, text, texts[kind])
        at = bench.folder(made)
        files += BATCH
        original = pathlib.Path(tempfile.mkdtemp(prefix="vramlint-original-"))
        shutil.copytree(at, original, dirs_exist_ok=True)
        ran = bench.run(at, "check", "--exit-zero", "--output-format", "jsonl")
        if not ran.answered or b'"internal-error"' in ran.out:
            report("check", original, ran)
        ran = bench.run(at, "check", "--fix", "--unsafe-fixes", "--exit-zero", "-q", "--output-format", "jsonl")
        if not ran.answered or b"bug" in ran.err:
            report("fix", original, ran.err.decode("utf-8", "replace"))
        once = snapshot(at)
        bench.run(at, "check", "--fix", "--unsafe-fixes", "--exit-zero", "-q", "--output-format", "jsonl")
        twice = snapshot(at)
        changed = [str(path) for path in once if once[path] != twice.get(path)]
        if changed:
            report("a second fix changes", original, changed)
        shutil.rmtree(at)
        shutil.rmtree(original)
    bench.clean()
    print(f"{files} files, {wrong} batches with faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
