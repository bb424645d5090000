"""Messages that are none, texts beyond measure, files that are none, a parent that is gone: the server lives, or ends, as it should."""

import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent / "clients"))
from lsp_client import Server, frame  # noqa: E402

FILES = {
    "a.yaml": "compute_environment: LOCAL_MACHINE\nnum_processes: 8\ngpu_ids: [0, 1]\n",
    "run.sh": "accelerate launch --config_file a.yaml train.py\n",
    "train.py": "from transformers import TrainingArguments\nTrainingArguments('o', bf16=True)\n",
}


def started(bench, parent=None, files=None):
    """A server in a folder of files."""
    server = Server(bench.binary, bench.folder(FILES | (files or {})), stderr=subprocess.DEVNULL)
    server.initialize(parent)
    return server


def hover(server, name="a.yaml", line=1, seconds=60):
    """The answer of a request that needs an analysis; `None` if none comes."""
    return server.ask("textDocument/hover", {"textDocument": {"uri": server.uri(name)}, "position": {"line": line, "character": 3}}, seconds)[1]


def is_small(server, most=1 << 10):
    """Whether the server has at most so many MiB resident."""
    return server.resident().get("VmRSS", 0) < most


MESSAGES = {
    "half of JSON": frame("{"),
    "garbage": frame(b"\xff\xfe\x00garbage"),
    "an empty batch": frame("[]"),
    "null": frame("null"),
    "a batch": frame('[{"jsonrpc":"2.0","id":90,"method":"x"},{"jsonrpc":"2.0","method":"y"}]'),
    "nested 100,000 deep": frame("[" * 100_000 + "]" * 100_000),
    "parameters nested 100,000 deep": frame('{"jsonrpc":"2.0","id":91,"method":"x","params":' + "[" * 100_000 + "]" * 100_000 + "}"),
    "no version": frame('{"id":1,"method":"textDocument/hover"}'),
    "a mapping as number": frame('{"jsonrpc":"2.0","id":{},"method":"x"}'),
    "a fraction as number": frame('{"jsonrpc":"2.0","id":1.5,"method":"x"}'),
    "a number as method": frame('{"jsonrpc":"2.0","id":92,"method":7}'),
    "half a surrogate": frame('{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///x.py","version":2},"contentChanges":[{"text":"x = \\"\\ud83d\\"\\n"}]}}'),
    "a length too small": b"Content-Length: 5\r\n\r\n" + b'{"jsonrpc":"2.0","id":1,"method":"x"}',
    "no length": b"Content-Type: x\r\n\r\n{}",
    "a negative length": b"Content-Length: -5\r\n\r\n{}",
    "a word as length": b"Content-Length: abc\r\n\r\n{}",
    "two lengths": b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "line feeds alone": b"Content-Length: 2\n\n{}",
    "text without header": b"hello\r\n\r\n",
    "another encoding": b"Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-16\r\n\r\n{}",
    "many headers": b"X: y\r\n" * 10_000 + b"Content-Length: 2\r\n\r\n{}",
    "an answer with result and error": frame('{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"x"}}'),
}


def faults(bench):
    for name, raw in MESSAGES.items():
        server = started(bench)
        hover(server)
        server.send_bytes(raw)
        answer = hover(server)
        yield f"a message: {name}", answer is not None, answer
        server.kill()
    for name, raw in (("2^64", b"Content-Length: 18446744073709551616\r\n\r\n"), ("2^63", b"Content-Length: 9223372036854775808\r\n\r\n")):
        server = started(bench)
        server.send_bytes(raw + frame("{}"))
        hover(server, seconds=5)
        yield f"a length of {name}", server.process.poll() in (None, 0, 1) and is_small(server), server.process.poll()
        server.kill()
    yield from texts(bench)
    yield from odd_files(bench)
    yield from parents(bench)


def texts(bench):
    server = started(bench)
    server.open(server.uri("big.yaml"), "a: 1\n" * (8 << 20))
    answer = hover(server, seconds=120)
    yield "40 MB of YAML opened", answer is not None and is_small(server, 2 << 10), server.resident()
    server.kill()
    server = started(bench)
    deep = {"d.yaml": "{" * 60_000, "d.json": "[" * 300_000, "d.py": "-" * 300_000, "n.py": "not " * 100_000, "d.md": "> " * 300_000, "d.sh": "$(" * 100_000, "d.ps1": "(" * 100_000}
    for name, text in deep.items():
        server.open(server.uri(name), text, "plaintext")
    answer = hover(server, seconds=120)
    yield "seven deep texts opened at once", answer is not None, answer
    server.kill()
    server = started(bench)
    for number in range(500):
        server.open(f"untitled:{number}.yaml", "a: 1\n")
    answer = hover(server, seconds=120)
    threads = len(os.listdir(f"/proc/{server.process.pid}/task")) if server.process.poll() is None else 0
    yield "500 untitled documents", answer is not None and threads < 64, threads
    server.kill()
    bad = 'x](command:evil?%22)[y](http://evil/) <img src=x onerror=alert(1)> `` ``` | **b** \\n\\n# H'
    server = started(bench, files={"m.py": f'from transformers import *\nm = AutoModelForCausalLM.from_pretrained("{bad}")\nTrainer(model=m, args=TrainingArguments("o")).train()\n', "l.sh": "accelerate launch m.py\n"})
    answer = hover(server, "l.sh", 0)
    text = ((answer or {}).get("result") or {}).get("contents", {}).get("value", "")
    plain = re.sub(r"\\.", "", re.sub(r"(?<!\\)`[^`]*`", "", text))
    yield "values in hovers are no markup", answer is not None and "](" not in plain and "<img" not in plain, text[:400]
    server.kill()


def odd_files(bench):
    for kind, make in (("a pipe", os.mkfifo), ("a link to /dev/zero", lambda path: os.symlink("/dev/zero", path))):
        server = started(bench)
        path = server.root / "p.yaml"
        make(path)
        server.open(server.uri("p.yaml"), "a: 1\n")
        server.close(server.uri("p.yaml"))
        server.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": server.uri("p.yaml"), "type": 1}]})
        answer = hover(server)
        yield f"opened and closed where {kind} is", answer is not None and is_small(server), answer
        server.kill()


def parents(bench):
    parent = subprocess.Popen(["sleep", "60"])
    server = started(bench, parent=parent.pid)
    hover(server)
    parent.kill()
    parent.wait()
    end = time.time() + 30
    while server.process.poll() is None and time.time() < end:
        time.sleep(0.2)
    yield "the parent is gone", server.process.poll() is not None, server.process.poll()
    server.kill()
    server = started(bench)
    server.process.stdin.close()
    end = time.time() + 20
    while server.process.poll() is None and time.time() < end:
        time.sleep(0.2)
    yield "the input ends", server.process.poll() is not None, server.process.poll()
    server.kill()
