"""How quick the language server is in a large workspace: `python3 tests/clients/bench.py [path of vramlint]`.

Starts the real binary over its pipes in a workspace of 200 configuration files and 2,000 Python files (workspace.py), and prints
what a person waits for. Needs nothing but Python; prints one line of JSON last.

  first        from the start of the process to the first findings
  edit         from a keystroke in a YAML to the findings of every file that it touches, or, where nothing changed, to the answer
               that says so (the request for findings of that file)
  hover, completion   answers in the edited file
  resident     memory of the process
"""

import argparse
import json
import queue
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import workspace  # noqa: E402
from lsp_client import Server  # noqa: E402


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, round(share * (len(values) - 1)))]


def line_of(text, key):
    return next(number for number, line in enumerate(text.splitlines()) if line.strip().startswith(key))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("binary", nargs="?", default="target/release/vramlint")
    arguments.add_argument("--edits", type=int, default=200)
    arguments.add_argument("--keep", help="write the workspace here and keep it")
    arguments.add_argument("--beside", help="copy this folder into the workspace, such as one of installed libraries")
    arguments.add_argument("--new-values", action="store_true", help="each edit writes a number that was never there")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(given.keep or temporary)
        if not (root / "projects").exists():
            workspace.write(root)
        if given.beside and not (root / "beside").exists():
            shutil.copytree(given.beside, root / "beside")
        print(json.dumps(measure(given.binary, root, given.edits, given.new_values)))


def measure(binary, root, edits, new_values):
    project = sorted((root / "projects").iterdir())[0]
    config = project / "accelerate.yaml"
    text = config.read_text()
    # A finding that follows each edit: fewer processes than the machine has cards, an unknown key, one in the script.
    uri = config.as_uri()
    server = Server(str(Path(binary).resolve()), root)
    server.initialize(textDocument={"publishDiagnostics": {"relatedInformation": True}}, general={"positionEncodings": ["utf-8", "utf-16"]})
    broken = text + "num_procesess: 3\n"
    server.open(uri, broken)
    now, first = server.published()
    if first is None:
        sys.exit("no findings came")
    result = {"first_ms": (now - server.began) * 1000}
    result["settled_ms"] = server.settled()
    result["resident_settled_mib"] = server.resident()

    # Every keystroke changes the findings of the YAML: the unknown key moves by a line, or goes.
    line = line_of(text, "num_processes:")
    times, hovers, completions, version, written = [], [], [], 1, "8"
    for number in range(edits):
        version += 1
        end = {"line": line, "character": 15 + len(written)}
        written = str(number + 2) if new_values else "248"[number % 3]
        change = {"range": {"start": {"line": line, "character": 15}, "end": end}, "text": written}
        while not server.notes.empty():
            server.notes.get()
        began = time.perf_counter()
        server.change(uri, version, change)
        while True:
            now, params = server.published(uri)
            if params is None:
                sys.exit("an edit without findings")
            if params["version"] == version:
                break
        # Further files that the edit touches come with it; none may come later than this.
        last = now
        while True:
            try:
                later, message = server.notes.get(timeout=0.005)
            except queue.Empty:
                break
            if message["method"] == "textDocument/publishDiagnostics":
                last = later
        times.append((last - began) * 1000)
        if number % 4 == 0:
            # Every key in turn.
            at = (number // 4) % text.count("\n")
            place = {"textDocument": {"uri": uri}, "position": {"line": at, "character": 4}}
            hovers.append(server.ask("textDocument/hover", place)[0])
            completions.append(server.ask("textDocument/completion", place)[0])
    for name, values in ("edit", times), ("hover", hovers), ("completion", completions):
        result[f"{name}_p50_ms"], result[f"{name}_p95_ms"] = statistics.median(values), quantile(values, 0.95)
    result["settle_after_edit_ms"] = server.settled()
    result["resident_mib"] = server.resident()
    result["exit"] = server.shut_down()
    for name, value in result.items():
        print(f"{name:22} {value if isinstance(value, int) else json.dumps(value) if isinstance(value, dict) else round(value, 2)}")
    return result


if __name__ == "__main__":
    main()
