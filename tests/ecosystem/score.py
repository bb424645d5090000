#!/usr/bin/env python3
"""score.py BINARY DIR [--repo NAME]… [--truth FILE]… [-v]: what `vramlint runs` says of real repositories, against truth.jsonl beside
this file, or other files of that form.

DIR holds each repository as OWNER__NAME (checkout.py writes them); those that are absent are left out. Prints the runs that were found,
and the values by setting: right, wrong, unknown although the repository decides them, and claimed although it does not; runs of what trains
nothing; and how many of the runs that can be estimated have an estimate. -v lists each miss.
"""
import argparse
import fnmatch
import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
# What the absence of a setting says as well.
ABSENT = {"quantization": "none", "gradient_checkpointing": False, "zero_stage": 0}
UNKNOWN = object()
DTYPES = {
    "bf16": "bfloat16 bf16 bf16-true bf16-mixed",
    "fp16": "float16 half fp16 16 16-mixed",
    "fp32": "float32 float fp32 32 32-true",
}
DTYPE = {word: name for name, words in DTYPES.items() for word in words.split()}
METHODS = {"qlora": "lora", "full_finetuning": "full", "full-finetuning": "full"}
TASKS = {"seq-cls": "sequence-classification", "classification": "sequence-classification", "sft": "causal-lm", "clm": "causal-lm"}
SHELLS = (".sh", ".slurm", ".ps1", ".bat")


def dtype(value):
    word = str(value).lower().removeprefix("torch.")
    return DTYPE.get(word, word)


def optimizer(value):
    name = re.sub(r"^(torch\.optim|bitsandbytes(\.optim)?|bnb(\.optim)?|optim|deepspeed\.ops\.adam)\.", "", str(value))
    name = name.lower().replace("-", "_")
    if name in ("fusedadam", "deepspeedcpuadam", "cpuadam"):
        return "adam or adamw"
    paged, bits = ("paged_" if "paged" in name else ""), ("8" if "8bit" in name else "")
    if name.startswith("adamw") or "adamw" in name:
        return f"{paged}adamw{bits}"
    if name.startswith("adam") and not name.startswith(("adamax", "adafactor")):
        return f"adam{bits}"
    return name


def targets(value):
    first = value[0] if isinstance(value, list) and len(value) == 1 else value
    if str(first).strip().lower() in ("all", "all-linear"):
        return "all-linear"
    names = value.split(",") if isinstance(value, str) else value
    return frozenset(str(name).strip().lower() for name in names) if isinstance(names, list) else str(value)


def quantization(value):
    word = str(value).lower().removeprefix("bnb.")
    if value is False:
        return "none"
    return next((kind for kind in ("nf4", "fp4") if word.startswith(kind)), "int8" if "8" in word else word)


def precision(value):
    word = dtype(value)
    return "no" if value is False or word in ("no", "none", "fp32", "false") else word


def switch(value):
    words = {"true": True, "1": True, "unsloth": True, "on": True, "yes": True, "false": False, "0": False, "off": False, "no": False, "none": False}
    return value if isinstance(value, bool) else words.get(str(value).lower(), str(value))


def number(value):
    try:
        return value if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return str(value)


READ = {
    "model": lambda value: str(value).rstrip("/").split("/")[-1].lower(),
    "method": lambda value: METHODS.get(str(value).lower(), str(value).lower()),
    "mixed_precision": precision,
    "weights_dtype": dtype,
    "quantization": quantization,
    "optimizer": optimizer,
    "lora_targets": targets,
    "gradient_checkpointing": switch,
    "task": lambda value: TASKS.get(str(value).lower().replace("_", "-"), str(value).lower().replace("_", "-")),
}


def read(name, value):
    """One spelling for values that mean the same; UNKNOWN for what is left open."""
    return UNKNOWN if value is None or value == "auto" else READ.get(name, number)(value)


def same(shown, wanted):
    if "adam or adamw" in (shown, wanted):
        return {shown, wanted} <= {"adam or adamw", "adam", "adamw"}
    if isinstance(shown, float) and isinstance(wanted, float):
        return abs(shown - wanted) <= 1e-6 * max(abs(shown), abs(wanted))
    return shown == wanted


def shown(run, name):
    """The value of a setting and where it comes from; the setup of the estimate counts where no setting is shown."""
    setting = run["settings"].get(name)
    if setting is not None:
        return setting.get("value"), "settings"
    setup = (run.get("estimate") or {}).get("setup") or {}
    return (setup[name], "setup") if name in setup else (None, "absent")


def place(run):
    place = run.get("place") or {}
    return place.get("path"), (place.get("start") or {}).get("line", 0)


def entry(run):
    return next((path for path in run["files"] if path.endswith(".py")), None)


def by_place(match, run):
    path, line = place(run)
    if path != match["file"]:
        return None
    away = abs(line - match["line"]) if match.get("line") else 0
    other = match.get("entry") and match["entry"] not in run["files"]
    if other and not (match.get("line") and away <= 2) and path.endswith(SHELLS) and entry(run):
        return None
    return away + (1000 if other else 0)


def by_files(match, run):
    if match["file"] not in run["files"]:
        return None
    return len(run["files"]) + (1000 if match.get("entry") and match["entry"] not in run["files"] else 0)


def by_entry(match, run):
    return 0 if match.get("entry") and match["entry"] != match["file"] and place(run)[0] == match["entry"] else None


def pair(truths, runs):
    """The run of each truth, by its place, else by the files that take part, else by its entry script."""
    found, used = {}, set()
    for cost in (by_place, by_files, by_entry):
        pairs = [(cost(truth["match"], run), i, j) for i, truth in enumerate(truths) for j, run in enumerate(runs)]
        for _, i, j in sorted(pair for pair in pairs if pair[0] is not None):
            if i not in found and j not in used:
                found[i] = j
                used.add(j)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("folder")
    parser.add_argument("--repo", action="append", default=[])
    parser.add_argument("--truth", action="append")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    files = options.truth or [os.path.join(HERE, "truth.jsonl")]
    rows = [json.loads(line) for file in files for line in open(file, encoding="utf-8")]
    rows = [row for row in rows if not options.repo or any(name.lower() in row["repo"].lower() for name in options.repo)]
    rows = [row for row in rows if os.path.isdir(os.path.join(options.folder, row["repo"].replace("/", "__")))]
    table, lists = defaultdict(Counter), defaultdict(list)
    total = Counter()
    for row in rows:
        folder = os.path.join(options.folder, row["repo"].replace("/", "__"))
        environment = dict(os.environ, LANG="C.UTF-8", LC_ALL="C.UTF-8")
        command = [os.path.abspath(options.binary), "runs", "--output-format", "json"]
        out = subprocess.run(command, cwd=folder, capture_output=True, env=environment, check=False).stdout
        runs, truths = json.loads(out)["runs"], row["runs"]
        found = pair(truths, runs)
        for i, truth in enumerate(truths):
            total["runs"] += 1
            total["estimable"] += truth["estimable"]
            match = truth["match"]
            name = f"{row['repo']} {match['file']}" + (f":{match['line']}" if match.get("line") else "")
            if i not in found:
                lists["missed runs"].append(name)
                continue
            total["found"] += 1
            run = runs[found[i]]
            total["estimated"] += truth["estimable"] and bool(run.get("estimate"))
            if truth["estimable"] and not run.get("estimate"):
                lists["runs without an estimate"].append(f"{name}: {run.get('estimate_unknown')}")
            for setting, wanted in truth["expect"].items():
                value, source = shown(run, setting)
                if source == "absent" and setting in ABSENT and wanted == ABSENT[setting]:
                    continue
                # A length that only the estimate has is an assumption.
                known = UNKNOWN if setting == "sequence_length" and source == "setup" else read(setting, value)
                verdict = "unknown" if known is UNKNOWN else "right" if same(known, read(setting, wanted)) else "wrong"
                table[setting][verdict] += 1
                if verdict != "right":
                    evidence = truth["evidence"].get(setting, "-")
                    lists[f"{verdict} values"].append(f"{name} {setting}: {json.dumps(value)}, in truth {json.dumps(wanted)} ({evidence})")
            for setting in truth["undecidable"]:
                value, source = shown(run, setting)
                if source == "settings" and read(setting, value) is not UNKNOWN:
                    table[setting]["claimed"] += 1
                    lists["claimed values"].append(f"{name} {setting}: {json.dumps(value)}")
        entries = {truth["match"].get("entry") for truth in truths}
        for j, run in enumerate(runs):
            paths = [place(run)[0] or ""] + [path for path in [entry(run)] if path and path not in entries]
            if j not in found.values() and any(fnmatch.fnmatch(path, glob) for path in paths for glob in row["not_training"]):
                total["spurious"] += 1
                lists["runs that train nothing"].append(f"{row['repo']} {run['id']}")
    for kind, entries in lists.items() if options.v else ():
        print(f"== {kind}: {len(entries)}", *(f"   {one}" for one in entries), sep="\n")
    print(f"{'setting':30}{'right':>7}{'wrong':>7}{'unknown':>9}{'claimed':>9}")
    values = Counter()
    for setting, counts in sorted(table.items()):
        values.update(counts)
        print(f"{setting:30}" + "".join(f"{counts[kind]:{width}}" for kind, width in (("right", 7), ("wrong", 7), ("unknown", 9), ("claimed", 9))))
    count = max(1, values["right"] + values["wrong"] + values["unknown"])
    share = {kind: f"{100 * values[kind] / count:.1f} %" for kind in ("right", "wrong", "unknown")}
    print(f"{len(rows)} repositories: {total['found']} of {total['runs']} runs found, {total['spurious']} that train nothing")
    print(f"{count} values: {share['right']} right, {share['wrong']} wrong, {share['unknown']} unknown; {values['claimed']} claimed")
    print(f"estimates: {total['estimated']} of {total['estimable']}")


if __name__ == "__main__":
    sys.exit(main())
