"""What happens to files that are rewritten: killed at any moment, on a full disk, with owners, attributes and several names."""

import os
import random
import shutil
import subprocess

ACCELERATE = "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 2\ngpu_ids: [0, 1]\n"


def fixed(bench, path):
    ran = bench.run(path.parent, "check", "--fix", "--exit-zero")
    return ran, path.read_text() != ACCELERATE


def faults(bench):
    at = bench.folder({"a.yaml": ACCELERATE})
    path = at / "a.yaml"
    os.chmod(path, 0o640)
    if os.geteuid() == 0:
        os.chown(path, 1234, 1234)
    try:
        os.setxattr(path, "user.x", b"1")
        attributes = True
    except OSError:
        attributes = False
    ran, changed = fixed(bench, path)
    data = path.stat()
    yield "the file is fixed", changed, ran
    yield "its mode stays", data.st_mode & 0o7777 == 0o640, oct(data.st_mode)
    if os.geteuid() == 0:
        yield "its owner stays", (data.st_uid, data.st_gid) == (1234, 1234), (data.st_uid, data.st_gid)
    if attributes:
        try:
            value = os.getxattr(path, "user.x")
        except OSError as error:
            value = error
        yield "its attributes stay", value == b"1", value
    at = bench.folder({"a.yaml": ACCELERATE})
    os.link(at / "a.yaml", at / "b.txt")
    fixed(bench, at / "a.yaml")
    yield "its other name sees the change", (at / "a.yaml").samefile(at / "b.txt") and (at / "b.txt").read_text() != ACCELERATE, ""
    for mode in (0o755, 0o4755, 0o600, 0o666):
        at = bench.folder({"a.yaml": ACCELERATE})
        os.chmod(at / "a.yaml", mode)
        fixed(bench, at / "a.yaml")
        now = (at / "a.yaml").stat().st_mode & 0o7777
        yield f"mode {mode:o} stays", now == mode, oct(now)
    at = bench.folder({"a.yaml": ACCELERATE})
    os.chmod(at / "a.yaml", 0o444)
    ran, changed = fixed(bench, at / "a.yaml")
    yield "a read-only file is refused", not changed and ran.code == 2, ran
    yield from killed(bench)
    yield from full_disk(bench)


def killed(bench):
    files = {f"p{i}/a.yaml": ACCELERATE for i in range(40)}
    done = bench.folder(files)
    bench.run(done, "check", "--fix", "--exit-zero")
    new = (done / "p0/a.yaml").read_text()
    torn = left = 0
    for _ in range(30):
        at = bench.folder(files)
        started = subprocess.Popen([bench.binary, "check", "--fix", "--exit-zero", "-q"], cwd=at, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        first = (at / "p0/a.yaml").stat().st_ino
        while started.poll() is None and (at / "p0/a.yaml").stat().st_ino == first:
            pass
        for _ in range(random.randrange(20000)):
            pass
        started.kill()
        started.wait()
        torn += sum((at / name).read_text() not in (ACCELERATE, new) for name in files)
        bench.run(at, "check", "--fix", "--exit-zero")
        (at / "p39/a.yaml").write_text(ACCELERATE)
        left += len([f for f in at.rglob(".vramlint-*")])
        shutil.rmtree(at)
    yield "killed 30 times: every file is old or new", torn == 0, torn
    yield "killed 30 times: the next run leaves no temporary file where it writes", left <= 1, left


def full_disk(bench):
    at = bench.folder()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", at], capture_output=True, check=False).returncode:
        return
    try:
        (at / ".git").mkdir()
        for i in range(4):
            (at / f"p{i}").mkdir()
            (at / f"p{i}/a.yaml").write_text(ACCELERATE)
        bench.run(at, "check", "--write-baseline")
        old = (at / "vramlint-baseline.json").read_bytes()
        (at / "p3/a.yaml").write_text(ACCELERATE + "u: 1\n" * 200)
        with open(at / "fill", "wb", buffering=0) as fill:
            try:
                while True:
                    fill.write(b"x" * 512)
            except OSError:
                pass
        before = {path: path.read_bytes() for path in at.rglob("*.yaml")}
        for args in (["--fix"], ["--add-ignore"], ["--write-baseline"], ["-o", "out.json", "--output-format", "json"]):
            ran = bench.run(at, "check", *args)
            whole = all(path.read_bytes() == text for path, text in before.items()) and (at / "vramlint-baseline.json").read_bytes() == old
            rest = [path.name for path in at.rglob(".vramlint-*")] + [path.name for path in at.glob("out.json")]
            yield f"full disk, {args[0]}: nothing is torn, nothing is left", ran.code == 2 and whole and not rest, f"{ran} {rest}"
    finally:
        subprocess.run(["umount", at], check=False)
