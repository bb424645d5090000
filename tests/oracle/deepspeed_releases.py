"""The keys of DeepSpeed's JSON in every release: `snapshots()` runs each release's parser with `deepspeed_probe.py`.

The environment must have torch, pydantic and hjson; the releases are source archives that `releases.py` fetched.
"""

import ast
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import archive
import releases

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = releases.CACHE.parent / "snapshots" / "deepspeed"
# Classes whose constructors get `scheduler.params`.
SCHEDULES = ("LRRangeTest", "OneCycle", "WarmupLR", "WarmupDecayLR", "WarmupCosineLR")


def snapshots(versions: list[str]) -> None:
    """Writes what is not yet known of these releases."""
    newest = max((HERE / name).stat().st_mtime for name in ("deepspeed_releases.py", "deepspeed_probe.py"))
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = [version for version in versions if not (FOLDER / f"{version}.json").is_file() or (FOLDER / f"{version}.json").stat().st_mtime < newest]
    for start in range(0, len(wanted), 12):
        with tempfile.TemporaryDirectory() as scratch:
            pairs = []
            for version in wanted[start : start + 12]:
                (FOLDER / f"{version}.json").unlink(missing_ok=True)
                with tarfile.open(releases.archive("deepspeed", version)) as tar:
                    chosen = [member for member in tar if member.isfile() and member.name.endswith(".py") and member.name.count("/") > 1
                              and member.name.split("/")[1] == "deepspeed"]
                    tar.extractall(scratch, chosen, filter="data")
                pairs += [f"{scratch}/{chosen[0].name.split('/')[0]}", str(FOLDER / f"{version}.json")]
            subprocess.run([sys.executable, str(HERE / "deepspeed_probe.py"), *pairs], check=True)
        for version in wanted[start : start + 12]:
            path = FOLDER / f"{version}.json"
            found = json.loads(path.read_text(encoding="utf-8"))
            found.update(read_later(version))
            path.write_text(json.dumps(found), encoding="utf-8")


def read_later(version: str) -> dict:
    """What code reads after the file was parsed: the parameters of schedules, and every word that stands in a constant or parameter."""
    source = archive.Archive("deepspeed", version)
    words = set()
    for name in source.matching(r"^deepspeed/"):
        for node in ast.walk(ast.parse(source.text(name))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
                words.add(node.value)
            elif isinstance(node, ast.arg):
                words.add(node.arg)
    return {"schedules": schedules(source), "words": sorted(words)}


def schedules(source: archive.Archive) -> dict[str, list]:
    """The parameters of the schedules with the default in each class: `null` for None, None where there is none."""
    found = {}
    for node in ast.parse(source.text("deepspeed/runtime/lr_schedules.py")).body:
        if not isinstance(node, ast.ClassDef) or node.name not in SCHEDULES:
            continue
        made = next(part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__")
        names = [argument.arg for argument in made.args.args]
        defaults = [None] * (len(names) - len(made.args.defaults)) + made.args.defaults
        for argument, default in zip(names, defaults):
            if argument not in ("self", "optimizer"):
                value = ast.literal_eval(default) if default is not None and not isinstance(default, ast.Name) else None
                told = default is not None and value is None and isinstance(default, ast.Constant)
                found.setdefault(f"scheduler.params.{argument}", []).append("null" if told else value)
    return found


def main() -> None:
    versions = sys.argv[1:] or releases.cached("deepspeed")
    snapshots(versions)
    for version in versions:
        found = json.loads((FOLDER / f"{version}.json").read_text(encoding="utf-8"))
        print(f"deepspeed {version}: {len(found['keys'])} keys, {len(found['blocks'])} models")


if __name__ == "__main__":
    main()
