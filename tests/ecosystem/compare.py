#!/usr/bin/env python3
"""compare.py BINARY_A BINARY_B DIR [NAME…]: findings, runs, values and estimates that appear, vanish or change, as Markdown.

Exit status 0; 1 if a binary crashes or does not answer. Time limit: 300 s a command.
"""
import json
import os
import subprocess
import sys
import time
from collections import Counter

LIMIT = 300
SHOWN = 12  # changes of one kind in one repository


def answer(binary, folder, words):
    """(JSON or None, seconds, what went wrong)"""
    start = time.time()
    environment = dict(os.environ, LANG="C.UTF-8", LC_ALL="C.UTF-8")
    try:
        process = subprocess.run(
            [binary, *words, "--isolated", "--output-format", "json"], cwd=folder, capture_output=True, timeout=LIMIT, env=environment
        )
    except subprocess.TimeoutExpired:
        return None, LIMIT, f"no answer in {LIMIT} s"
    seconds = time.time() - start
    if process.returncode not in (0, 1):
        return None, seconds, f"exit status {process.returncode}: {process.stderr.decode(errors='replace').strip()[-200:]}"
    return json.loads(process.stdout), seconds, None


def findings(report):
    """Findings by rule, place and message: how many of each."""
    found = Counter()
    for one in report["findings"]:
        found[f"{one['code']} {one['severity']} {one['path']}:{one['start']['line']} {one['message']}"] += 1
    return found


def runs(report):
    return {run["id"]: run for run in report["runs"]}


def value(run, name):
    setting = run["settings"].get(name)
    return "absent" if setting is None else json.dumps(setting.get("value"), ensure_ascii=False)


def peak(run):
    estimate = run.get("estimate")
    if not estimate:
        return None
    return estimate["gpu"]["peak"] / 2**30


def in_gib(size):
    return "none" if size is None else f"{size:.2f} GiB"


def changes(before, after):
    """Changes of one repository by kind."""
    old, new = findings(before["check"]), findings(after["check"])
    lists = {
        "new findings": sorted((new - old).elements()),
        "gone findings": sorted((old - new).elements()),
        "new runs": [],
        "gone runs": [],
        "values": [],
        "estimates": [],
    }
    old, new = runs(before["runs"]), runs(after["runs"])
    lists["new runs"] = sorted(new.keys() - old.keys())
    lists["gone runs"] = sorted(old.keys() - new.keys())
    for name in sorted(old.keys() & new.keys()):
        a, b = old[name], new[name]
        for setting in sorted(a["settings"].keys() | b["settings"].keys()):
            if value(a, setting) != value(b, setting):
                lists["values"].append(f"{name} {setting}: {value(a, setting)} → {value(b, setting)}")
        if (peak(a) is None) != (peak(b) is None) or peak(a) is not None and abs(peak(a) - peak(b)) > 0.005:
            lists["estimates"].append(f"{name}: {in_gib(peak(a))} → {in_gib(peak(b))}")
    return lists


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    a, b, whole = (os.path.abspath(path) for path in sys.argv[1:4])
    names = [name.lower().replace("/", "__") for name in sys.argv[4:]]
    total, seconds, broken, parts = Counter(), [0.0, 0.0], [], []
    folders = sorted(name for name in os.listdir(whole) if os.path.isdir(os.path.join(whole, name)))
    folders = [folder for folder in folders if not names or any(name in folder.lower() for name in names)]
    for folder in folders:
        title, answers = folder.replace("__", "/", 1), ({}, {})
        for index, binary in enumerate((a, b)):
            for command in ("check", "runs"):
                answers[index][command], time_taken, wrong = answer(binary, os.path.join(whole, folder), [command])
                seconds[index] += time_taken
                if wrong:
                    broken.append(f"{title}: `{command}` of binary {'AB'[index]}: {wrong}")
        if any(one is None for side in answers for one in side.values()):
            continue
        lists = changes(*answers)
        total.update({kind: len(entries) for kind, entries in lists.items()})
        if not any(lists.values()):
            continue
        parts.append(f"\n## {title}\n")
        for kind, entries in lists.items():
            if entries:
                parts.append(f"\n{kind}: {len(entries)}\n")
                parts.extend(f"- {entry}" for entry in entries[:SHOWN])
                if len(entries) > SHOWN:
                    parts.append(f"- … {len(entries) - SHOWN} more")
    print(f"# {len(folders)} repositories\n")
    print("| change | number |\n| --- | --- |")
    for kind in ("new findings", "gone findings", "new runs", "gone runs", "values", "estimates"):
        print(f"| {kind} | {total[kind]} |")
    print(f"\nTime: {seconds[0]:.0f} s before, {seconds[1]:.0f} s after.")
    print("\n".join(f"- {line}" for line in broken))
    print("\n".join(parts))
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
