"""Pipes, devices, files of the kernel, endless and unreadable files in place of every file that is read."""

import os

NAMES = """vramlint.toml pyproject.toml requirements.txt uv.lock poetry.lock setup.cfg setup.py environment.yml Pipfile Pipfile.lock pdm.lock
pylock.toml config.json adapter_config.json model.safetensors model.safetensors.index.json .env train.py run Makefile Dockerfile
vramlint-baseline.json requirements/base.txt .python-version .venv/pyvenv.cfg .gitignore .ignore .git/info/exclude""".split()
NOBODY = 65534


def pipe(path):
    os.mkfifo(path)


def link(target):
    return lambda path: os.symlink(target, path)


def sparse(path):
    with open(path, "wb") as file:
        file.truncate(5 << 30)


KINDS = {"a pipe": pipe, "a link to /dev/zero": link("/dev/zero"), "a link to /proc/kmsg": link("/proc/kmsg"), "5 GB of nothing": sparse}
CONTEXT = {"a.yaml": "a: [1\n", "run.sh": "accelerate launch train.py\n"}


def faults(bench):
    for name in NAMES:
        for kind, make in KINDS.items():
            at = bench.folder({**CONTEXT, name: make})
            ran = bench.run(at, "check", "--exit-zero")
            said = "a.yaml" in ran.text or name in ran.text
            yield f"{name} is {kind}", ran.answered and said, ran
            if name in ("config.json", "adapter_config.json", "model.safetensors", "model.safetensors.index.json"):
                ran = bench.run(at, "estimate", "--model", ".")
                yield f"estimate --model . where {name} is {kind}", ran.answered, ran
    for name in ("config.yaml", "noext", "train.py"):
        for kind, make in KINDS.items():
            ran = bench.run(bench.folder({name: make}), "check", name)
            yield f"{name}, named, is {kind}", ran.answered and name in ran.text, ran
    for device in ("/dev/zero", "/dev/full", "/proc/kmsg"):
        ran = bench.run(bench.folder(), "check", device)
        yield f"{device} named", ran.answered, ran
        for args in (["check", "--config", device], ["check", "--baseline", device], ["estimate", "--setup", device], ["estimate", "--isolated", "--model", device]):
            ran = bench.run(bench.folder(CONTEXT), *args)
            yield " ".join(args), ran.answered and ran.code == 2, ran
    for args in (["check", "-", "--stdin-filename", "a.yaml"], ["estimate", "--setup", "-"]):
        with open("/dev/zero", "rb") as endless:
            ran = bench.run(bench.folder(), *args, stdin=endless)
        yield f"{' '.join(args)}, endless", ran.answered and ran.code == 2, ran
    yield from unreadable(bench)


def unreadable(bench):
    if os.geteuid() != 0:
        return
    os.chmod(bench.root, 0o755)
    for what in (".gitignore", ".ignore", "b.yaml", "vramlint.toml"):
        at = bench.folder({**CONTEXT, what: "x\n"})
        os.chmod(at / what, 0)
        ran = bench.run(at, "check", "--exit-zero", user=NOBODY)
        yield f"unreadable {what}", ran.answered and what in ran.text, ran
    for mode, name in ((0o444, "listable but not enterable"), (0o111, "enterable but not listable"), (0, "closed")):
        at = bench.folder({**CONTEXT, "sub/c.yaml": "c: 1\n"})
        os.chmod(at / "sub", mode)
        ran = bench.run(at, "check", "--exit-zero", user=NOBODY)
        os.chmod(at / "sub", 0o755)
        yield f"a folder that is {name}", ran.answered and "sub" in ran.text, ran
    at = bench.folder({"c.yaml": "c: 1\n"})
    os.chmod(at, 0o444)
    ran = bench.run(bench.root, "check", str(at), "--exit-zero", user=NOBODY)
    os.chmod(at, 0o755)
    yield "the named folder is listable but not enterable", ran.answered and ("denied" in ran.text or "not read" in ran.text), ran
