"""A client of the language server: the binary, its pipes, and what came through them."""

import json
import os
import queue
import subprocess
import threading
import time
from pathlib import Path


def frame(body):
    """A message with its header."""
    body = body if isinstance(body, bytes) else body.encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class Server:
    """A server in a folder. Requests of the server are answered with nothing; its notifications are kept with the moment at which they came."""

    def __init__(self, binary, root, **options):
        self.began = time.perf_counter()
        self.root = Path(root)
        self.process = subprocess.Popen([binary, "lsp"], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        self.notes = queue.Queue()
        self.number, self.answers, self.ended, self.changed = 0, {}, False, threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        """Takes what comes until the server ends."""
        while (message := self.message()) is not None:
            now = time.perf_counter()
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "result": None})
            elif "method" in message:
                self.notes.put((now, message))
            elif isinstance(message.get("id"), int):
                with self.changed:
                    self.answers[message["id"]] = (now, message)
                    self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def message(self):
        length = None
        while (line := self.process.stdout.readline().strip()) or length is None:
            if not line:
                return None
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def send_bytes(self, raw):
        """Sends what may be no message at all; a server that is gone takes nothing."""
        try:
            self.process.stdin.write(raw)
            self.process.stdin.flush()
        except OSError:
            pass

    def send(self, message):
        self.send_bytes(frame(json.dumps({"jsonrpc": "2.0", **message})))

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params, timeout=120):
        """Milliseconds to the answer of a request, and the answer: `None` where the server ends, or the time is over."""
        self.number += 1
        number, began = self.number, time.perf_counter()
        self.send({"id": number, "method": method, "params": params})
        with self.changed:
            self.changed.wait_for(lambda: number in self.answers or self.ended, timeout)
            now, message = self.answers.pop(number, (time.perf_counter(), None))
        return (now - began) * 1000, message

    def initialize(self, process=None, **capabilities):
        """Says hello; `process` is the parent of the server."""
        folders = [{"uri": self.root.as_uri(), "name": "workspace"}]
        params = {"processId": process or os.getpid(), "rootUri": self.root.as_uri(), "workspaceFolders": folders, "capabilities": capabilities}
        answer = self.ask("initialize", params)[1]
        self.notify("initialized", {})
        return answer

    def uri(self, name):
        return (self.root / name).as_uri()

    def open(self, uri, text, language="yaml", version=1):
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": language, "version": version, "text": text}})

    def change(self, uri, version, *changes):
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)})

    def close(self, uri):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def settled(self, timeout=120):
        """Milliseconds until everything sent before is analyzed and published; `None` where no answer comes."""
        took, answer = self.ask("vramlint/settled", None, timeout)
        return took if answer is not None else None

    def published(self, uri=None, timeout=60):
        """The next findings (of one file): when, and what."""
        while True:
            try:
                now, message = self.notes.get(timeout=timeout)
            except queue.Empty:
                return None, None
            if message["method"] == "textDocument/publishDiagnostics" and uri in (None, message["params"]["uri"]):
                return now, message["params"]

    def resident(self):
        """Memory of the process now and at most, MiB; nothing of a process that ended."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return {}
        return {name: int(line.split()[1]) / 1024 for line in status.splitlines() for name in ("VmRSS", "VmHWM") if line.startswith(name)}

    def shut_down(self):
        """Ends the server as an editor does; its exit status."""
        self.ask("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(timeout=10)

    def kill(self):
        self.process.kill()
        self.process.wait()
