"""Messages that are none, texts beyond measure, files that are none, a parent that is gone: the server lives, or ends, as it should."""

import json
import os
import queue
import re
import subprocess
import threading
import time

FILES = {
    "a.yaml": "compute_environment: LOCAL_MACHINE\nnum_processes: 8\ngpu_ids: [0, 1]\n",
    "run.sh": "accelerate launch --config_file a.yaml train.py\n",
    "train.py": "from transformers import TrainingArguments\nTrainingArguments('o', bf16=True)\n",
}


def frame(body):
    body = body if isinstance(body, bytes) else body.encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class Server:
    """A server in a folder of files."""

    def __init__(self, bench, parent=None, files=None):
        self.at = bench.folder(FILES | (files or {}))
        self.process = subprocess.Popen([bench.binary, "lsp"], cwd=self.at, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.answers = queue.Queue()
        self.number = 0
        threading.Thread(target=self.read, daemon=True).start()
        root = self.uri("")
        folders = [{"uri": root, "name": "x"}]
        self.request("initialize", {"processId": parent or os.getpid(), "rootUri": root, "workspaceFolders": folders, "capabilities": {}})
        self.notify("initialized", {})

    def uri(self, name):
        return "file://" + str(self.at / name)

    def read(self):
        stream = self.process.stdout
        while True:
            length = 0
            while True:
                line = stream.readline()
                if not line:
                    return
                if line == b"\r\n":
                    break
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            self.answers.put(json.loads(stream.read(length)))

    def send(self, raw):
        try:
            self.process.stdin.write(raw)
            self.process.stdin.flush()
        except OSError:
            pass

    def notify(self, method, params):
        self.send(frame(json.dumps({"jsonrpc": "2.0", "method": method, "params": params})))

    def request(self, method, params, seconds=60):
        self.number += 1
        self.send(frame(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})))
        end = time.time() + seconds
        while time.time() < end and self.process.poll() is None:
            try:
                answer = self.answers.get(timeout=0.2)
            except queue.Empty:
                continue
            if answer.get("id") == self.number and "method" not in answer:
                return answer
            if "method" in answer and "id" in answer:
                self.send(frame(json.dumps({"jsonrpc": "2.0", "id": answer["id"], "result": None})))
        return None

    def open(self, name, text, language="yaml"):
        self.notify("textDocument/didOpen", {"textDocument": {"uri": name if ":" in name else self.uri(name), "languageId": language, "version": 1, "text": text}})

    def hover(self, name="a.yaml", seconds=60):
        return self.request("textDocument/hover", {"textDocument": {"uri": self.uri(name)}, "position": {"line": 1, "character": 3}}, seconds)

    def resident(self):
        try:
            return int(open(f"/proc/{self.process.pid}/statm").read().split()[1]) * 4096
        except (OSError, IndexError, ValueError):
            return 0

    def end(self):
        self.process.kill()
        self.process.wait()


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
        server = Server(bench)
        server.hover()
        server.send(raw)
        answer = server.hover()
        yield f"a message: {name}", answer is not None, answer
        server.end()
    for name, raw in (("2^64", b"Content-Length: 18446744073709551616\r\n\r\n"), ("2^63", b"Content-Length: 9223372036854775808\r\n\r\n")):
        server = Server(bench)
        server.send(raw + frame("{}"))
        server.hover(seconds=5)
        yield f"a length of {name}", server.process.poll() in (None, 0, 1) and server.resident() < 1 << 30, server.process.poll()
        server.end()
    yield from texts(bench)
    yield from odd_files(bench)
    yield from parents(bench)


def texts(bench):
    server = Server(bench)
    server.open("big.yaml", "a: 1\n" * (8 << 20))
    answer = server.hover(seconds=120)
    yield "40 MB of YAML opened", answer is not None and server.resident() < 2 << 30, server.resident()
    server.end()
    server = Server(bench)
    deep = {"d.yaml": "{" * 60_000, "d.json": "[" * 300_000, "d.py": "-" * 300_000, "n.py": "not " * 100_000, "d.md": "> " * 300_000, "d.sh": "$(" * 100_000, "d.ps1": "(" * 100_000}
    for name, text in deep.items():
        server.open(name, text, "plaintext")
    answer = server.hover(seconds=120)
    yield "seven deep texts opened at once", answer is not None, answer
    server.end()
    server = Server(bench)
    for number in range(500):
        server.open(f"untitled:{number}.yaml", "a: 1\n")
    answer = server.hover(seconds=120)
    threads = len(os.listdir(f"/proc/{server.process.pid}/task")) if server.process.poll() is None else 0
    yield "500 untitled documents", answer is not None and threads < 64, threads
    server.end()
    bad = 'x](command:evil?%22)[y](http://evil/) <img src=x onerror=alert(1)> `` ``` | **b** \\n\\n# H'
    server = Server(bench, files={"m.py": f'from transformers import *\nm = AutoModelForCausalLM.from_pretrained("{bad}")\nTrainer(model=m, args=TrainingArguments("o")).train()\n', "l.sh": "accelerate launch m.py\n"})
    answer = server.request("textDocument/hover", {"textDocument": {"uri": server.uri("l.sh")}, "position": {"line": 0, "character": 3}})
    text = ((answer or {}).get("result") or {}).get("contents", {}).get("value", "")
    plain = re.sub(r"\\.", "", re.sub(r"(?<!\\)`[^`]*`", "", text))
    yield "values in hovers are no markup", answer is not None and "](" not in plain and "<img" not in plain, text[:400]
    server.end()


def odd_files(bench):
    for kind, make in (("a pipe", os.mkfifo), ("a link to /dev/zero", lambda path: os.symlink("/dev/zero", path))):
        server = Server(bench)
        path = server.at / "p.yaml"
        make(path)
        server.open("p.yaml", "a: 1\n")
        server.notify("textDocument/didClose", {"textDocument": {"uri": server.uri("p.yaml")}})
        server.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": server.uri("p.yaml"), "type": 1}]})
        answer = server.hover()
        yield f"opened and closed where {kind} is", answer is not None and server.resident() < 1 << 30, answer
        server.end()


def parents(bench):
    parent = subprocess.Popen(["sleep", "60"])
    server = Server(bench, parent=parent.pid)
    server.hover()
    parent.kill()
    parent.wait()
    end = time.time() + 30
    while server.process.poll() is None and time.time() < end:
        time.sleep(0.2)
    yield "the parent is gone", server.process.poll() is not None, server.process.poll()
    server.end()
    server = Server(bench)
    server.process.stdin.close()
    end = time.time() + 20
    while server.process.poll() is None and time.time() < end:
        time.sleep(0.2)
    yield "the input ends", server.process.poll() is not None, server.process.poll()
    server.end()
