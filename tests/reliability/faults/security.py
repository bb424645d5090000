"""What a repository may make the linter read or write."""

import os
import shutil
import subprocess

SECRET = "SECRET_TOKEN: hunter2-abcdef\n\tbad: [\n"
ACCELERATE = "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 2\ngpu_ids: [0, 1]\n"


def link(target):
    return lambda path: os.symlink(target, path)


def repo(bench):
    at = bench.folder(
        {
            "outside/secret.yaml": SECRET,
            "outside/acc.yaml": ACCELERATE,
            "outside/req.txt": "torch==1.0\n",
            "outside/base.json": "{}",
            "repo/.git/HEAD": "",
            "repo/in.yaml": ACCELERATE,
            "repo/link.yaml": link("../outside/secret.yaml"),
            "repo/acc.yaml": link("../outside/acc.yaml"),
            "repo/inside.yaml": link("in.yaml"),
            "repo/passwd.yaml": link("/etc/passwd"),
            "repo/environ.yaml": link("/proc/self/environ"),
            "repo/linked": link("../outside"),
            "repo/train.py": "import yaml\nyaml.safe_load(open('linked/secret.yaml'))\nyaml.safe_load(open('../outside/secret.yaml'))\n",
            "repo/run.sh": "accelerate launch --config_file linked/acc.yaml train.py\naccelerate launch --config_file ../outside/acc.yaml train.py\nsource ../outside/secret.yaml\n",
            "repo/requirements.txt": "-r ../outside/req.txt\n-c /etc/passwd\n-r linked/req.txt\n",
        },
        git=False,
    )
    return at


def opened(bench, at, *args):
    """The files outside the repository that the command opens."""
    trace = at / "trace"
    subprocess.run(["strace", "-f", "-y", "-e", "trace=openat", "-o", trace, bench.binary, *args], cwd=at / "repo", capture_output=True, check=False)
    outside = [line for line in trace.read_text(errors="replace").splitlines() if "= -1" not in line]
    return sorted({word for line in outside for word in ("outside/secret", "outside/acc", "outside/req", "/etc/passwd", "/proc/self/environ") if word in line.rsplit("=", 1)[-1]})


def faults(bench):
    at = repo(bench)
    if shutil.which("strace"):
        found = opened(bench, at, "check")
        yield "no file outside is opened", not found, found
    for args in (["check"], ["check", "link.yaml"], ["check", "linked/secret.yaml"], ["check", "--output-format", "json"], ["runs"], ["why", "link.yaml"]):
        ran = bench.run(at / "repo", *args)
        yield f"{' '.join(args)} shows nothing of a file outside", ran.answered and "hunter2" not in ran.text and "root:" not in ran.text, ran
    ran = bench.run(at / "repo", "check")
    yield "a link that leads out is named", "link.yaml" in ran.text, ran
    bench.run(at / "repo", "check", "--fix", "--unsafe-fixes")
    bench.run(at / "repo", "check", "--add-ignore")
    bench.run(at / "repo", "check", "--fix", "--unsafe-fixes", "acc.yaml", "linked/acc.yaml")
    yield "--fix and --add-ignore write nothing outside", (at / "outside/acc.yaml").read_text() == ACCELERATE, (at / "outside/acc.yaml").read_text()
    yield "a link within the repository is fixed and stays", (at / "repo/inside.yaml").is_symlink(), ""
    os.symlink("../outside/base.json", at / "repo/vramlint-baseline.json")
    ran = bench.run(at / "repo", "check", "--write-baseline")
    yield "--write-baseline writes nothing outside", (at / "outside/base.json").read_text() == "{}", ran
    ran = bench.run(at / "repo", "check", "--follow-links")
    yield "--follow-links reads them", "hunter2" in ran.text or "secret" in ran.text or "link.yaml" in ran.text, ran
