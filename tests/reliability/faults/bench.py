"""Runs the binary under limits, and says what came."""

import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

SECONDS = 60
"""Processor time and wall clock that one run may take at most; a debug build is slow, and the machine may be busy."""
MEMORY = 1 << 30
"""Bytes that a run may have resident."""

ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]")
"""Characters that act on a terminal."""


class Ran:
    """What came of a run."""

    def __init__(self, code, out, err, memory, why):
        self.code, self.out, self.err, self.memory, self.why = code, out, err, memory, why

    @property
    def text(self):
        return (self.out + self.err).decode("utf-8", "replace")

    @property
    def answered(self):
        """It ended by itself, with a status that is documented, without a panic and within its memory."""
        return self.why is None and self.code in (0, 1, 2) and b"this is a bug" not in self.err and self.memory < MEMORY

    def __str__(self):
        return f"status {self.code}{', ' + self.why if self.why else ''}, {self.memory >> 20} MB: {self.text[:300]!r}"


class Bench:
    """A folder for the faults, and the binary."""

    def __init__(self, binary):
        self.binary = str(pathlib.Path(binary).resolve())
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="vramlint-faults-"))
        self.count = 0

    def folder(self, files=None, git=True):
        """A new project; texts, bytes, or functions that make something at their path."""
        self.count += 1
        at = self.root / str(self.count)
        at.mkdir()
        if git:
            (at / ".git").mkdir()
        for name, content in (files or {}).items():
            path = at / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if callable(content):
                content(path)
            else:
                path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))
        return at

    def run(self, at, *args, stdin=None, user=None, seconds=SECONDS):
        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
            if user is not None:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)

        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            started = subprocess.Popen(
                [self.binary, *map(str, args)],
                cwd=at,
                stdin=stdin or subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                preexec_fn=limits,
                env={**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(self.root)},
            )
            why, end = None, time.time() + seconds
            while True:
                ended, status, usage = os.wait4(started.pid, os.WNOHANG)
                if ended:
                    break
                if why is None and time.time() > end:
                    why = "no answer"
                    os.kill(started.pid, signal.SIGKILL)
                time.sleep(0.005)
            started.returncode = os.waitstatus_to_exitcode(status)
            if started.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
                why = why or "too much processor time"
            out.seek(0)
            err.seek(0)
            return Ran(started.returncode, out.read(), err.read(), usage.ru_maxrss << 10, why)

    def clean(self):
        shutil.rmtree(self.root, ignore_errors=True)


def acting(ran, allow="\n\t"):
    """The characters of an output that act on a terminal."""
    return sorted({c for c in ACTS.findall(ran.text) if c not in allow})


def wait(seconds):
    time.sleep(seconds)
