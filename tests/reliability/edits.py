#!/usr/bin/env python3
"""Edits eight tabs of a workspace of 2,200 files for long: the memory of the server stays flat, and its findings are those of a new `check`.

    tests/reliability/edits.py target/release/vramlint [--edits 20000] [--seed 1]

Files also change on disk, tabs close and open again, requests come and are cancelled. Every so many edits the server is waited for and
its findings of all files are compared. Prints what differs, and the memory in between; fails if it grows by more than a quarter in
the second half.
"""

import argparse
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "clients"))
import workspace  # noqa: E402
from lsp_client import Server  # noqa: E402

TABS = ["p00/accelerate.yaml", "p00/ds.json", "p00/train.yaml", "p00/launch.sh", "p00/train.py", "p01/accelerate.yaml", "p01/train.py", "p02/launch.sh"]
ON_DISK = ["p03/accelerate.yaml", "p00/smoke.yaml", "p01/ds.json"]
LINES = ["num_procesess: 3\n", "num_processes: 4\n", "# 显存 🚀\n", "x: [1\n", "  - a\n", "export CUDA_VISIBLE_DEVICES=0\n", "import os\n", '"fp16": {"enabled": true},\n', "\n", "train()\n"]
PIECES = ["8", "0", "-1", "🚀", "显", "'", '"', ":", "}", " ", "\t", "true", "#"]
REQUESTS = ["hover", "completion", "documentSymbol", "codeLens", "inlayHint", "definition"]
GROWTH = 1.25
"""How much more memory the end of the edits may need than their middle."""


class Tab:
    """An open text, and what the editor knows of it."""

    def __init__(self, server, name):
        self.server, self.name = server, name
        self.uri = server.uri(name)
        self.kept = (server.root / name).read_text(encoding="utf-8")
        self.open(self.kept)

    def open(self, text):
        self.text, self.version = text, 1
        self.server.open(self.uri, text, "plaintext")

    def position(self, at):
        """Line and UTF-16 column of an offset."""
        before = self.text[:at]
        start = before.rfind("\n") + 1
        return {"line": before.count("\n"), "character": utf16(before[start:])}

    def replace(self, start, end, new):
        change = {"range": {"start": self.position(start), "end": self.position(end)}, "text": new}
        self.text = self.text[:start] + new + self.text[end:]
        self.version += 1
        self.server.change(self.uri, self.version, change)


def utf16(text):
    return len(text.encode("utf-16-le")) // 2


def edit(chance, tab):
    """One keystroke, line or number; now and then the text as it was, so that it keeps its meaning."""
    text, kind = tab.text, chance.randrange(8)
    if kind == 0 or len(text) > 2 * len(tab.kept):
        tab.replace(0, len(text), tab.kept)
    elif kind == 1:
        starts = [0] + [found.end() for found in re.finditer("\n", text)]
        at = chance.choice(starts)
        tab.replace(at, at, chance.choice(LINES))
    elif kind == 2 and (lines := list(re.finditer(".*\n", text))):
        line = chance.choice(lines)
        tab.replace(line.start(), line.end(), "")
    elif kind < 6 and (numbers := list(re.finditer(r"\d+", text))):
        number = chance.choice(numbers)
        tab.replace(number.start(), number.end(), str(chance.choice([0, 1, 2, 3, 4, 8, 16, chance.randrange(10_000)])))
    else:
        at = chance.randrange(len(text) + 1)
        tab.replace(at, min(len(text), at + chance.choice([0, 0, 1, 4])), chance.choice(PIECES))


def around(chance, server, tabs, originals):
    """What happens beside the edits."""
    kind, tab = chance.randrange(40), chance.choice(tabs)
    if kind == 0:
        name = chance.choice(list(originals))
        text = re.sub(r"\d+", lambda _: str(chance.randrange(1, 9)), originals[name]) if chance.randrange(4) else ""
        (server.root / name).write_text(text, encoding="utf-8")
        server.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": server.uri(name), "type": 2}]})
    elif kind == 1:
        server.close(tab.uri)
        tab.open(tab.text)
    elif kind < 8:
        place = tab.position(chance.randrange(len(tab.text) + 1))
        server.number += 1
        method = chance.choice(REQUESTS)
        params = {"textDocument": {"uri": tab.uri}, "position": place, "range": {"start": place, "end": place}}
        server.send({"id": server.number, "method": f"textDocument/{method}", "params": params})
        if chance.randrange(2):
            server.notify("$/cancelRequest", {"id": server.number})
    elif kind == 8:
        server.settled()


def shown(server, findings):
    """The findings that the server shows: path, line, column, rule and message of each, without the help in the lines after it."""
    while not server.notes.empty():
        message = server.notes.get()[1]
        if message["method"] == "textDocument/publishDiagnostics":
            findings[message["params"]["uri"]] = message["params"]["diagnostics"]
    rows = []
    for uri, items in findings.items():
        path = uri.removeprefix(server.root.as_uri() + "/")
        for item in items:
            start = item["range"]["start"]
            rows.append((path, start["line"], start["character"], item["code"], item["message"].split("\n")[0]))
    return sorted(rows)


def checked(binary, mirror):
    """The findings of a new process."""
    out = subprocess.run([binary, "check", "--exit-zero", "--output-format", "json"], cwd=mirror, capture_output=True, check=True).stdout
    rows = []
    for item in json.loads(out)["findings"]:
        at = item["start"]
        text = (mirror / item["path"]).read_text(encoding="utf-8").split("\n")[at["line"] - 1]
        rows.append((item["path"], at["line"] - 1, utf16(text[: at["column"] - 1]), item["code"], item["message"]))
    return sorted(rows)


def soak(binary, folder, edits, every, seed):
    """Whether the findings were right and the memory flat."""
    chance = random.Random(seed)
    root, mirror = folder / "root", folder / "mirror"
    workspace.write(root)
    workspace.write(mirror)
    server = Server(binary, root, stderr=subprocess.DEVNULL)
    server.initialize()
    tabs = [Tab(server, f"projects/{name}") for name in TABS]
    on_disk = {f"projects/{name}": (root / "projects" / name).read_text(encoding="utf-8") for name in ON_DISK}
    findings, memory, wrong = {}, [], 0
    for number in range(edits + 1):
        if number % every == 0:
            if server.settled(600) is None:
                sys.exit(f"after {number} edits: no answer")
            for tab in tabs:
                (mirror / tab.name).write_text(tab.text, encoding="utf-8")
            for name in on_disk:
                shutil.copyfile(root / name, mirror / name)
            ours, theirs = shown(server, findings), checked(binary, mirror)
            memory.append(server.resident()["VmRSS"])
            print(f"{number} edits: {memory[-1]:.0f} MiB, {len(ours)} findings", flush=True)
            if ours != theirs:
                wrong += 1
                print(f"  the server alone: {[row for row in ours if row not in theirs][:3]}\n  check alone: {[row for row in theirs if row not in ours][:3]}", flush=True)
        edit(chance, chance.choice(tabs))
        around(chance, server, tabs, on_disk)
        server.answers.clear()
    status = server.shut_down()
    middle, end = max(memory[1 : len(memory) // 2 + 1]), max(memory[len(memory) // 2 + 1 :])
    print(f"{edits} edits, {len(memory)} comparisons, {wrong} differ; {memory[0]:.0f} MiB at first, {middle:.0f} in the first half, {end:.0f} in the second, status {status}")
    return wrong == 0 and end <= middle * GROWTH and status == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--edits", type=int, default=20_000)
    parser.add_argument("--every", type=int, default=500, help="edits between two comparisons")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vramlint-edits-") as folder:
        return 0 if soak(str(given.binary.resolve()), pathlib.Path(folder), given.edits, given.every, given.seed) else 1


if __name__ == "__main__":
    sys.exit(main())
