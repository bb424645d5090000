#!/usr/bin/env python3
"""Whether `vramlint check` takes linear time for every text of `texts/`.

    tests/reliability/scaling.py target/release/vramlint [--only LANGUAGE[:PART OF A NAME]] [--largest BYTES] [--jobs N]

Each text is doubled until it has the largest size or takes `--seconds` of processor time. It fails if a doubling takes more than 2.3 times the
time of the size before, if it takes more than 10 s at 2 MiB or as much per byte, more than 1.5 GB of memory, or does not answer. Times are
those of the processor, so that other programs matter little; what fails is measured again.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import resource
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from texts import LANGUAGES, load

GROWTH = 2.3
"""A doubled text may take this many times the time."""
NOISE = 0.25
"""Seconds below which nothing is judged."""
PER_BYTE = 10.0 / (2 << 20)
"""Seconds for each byte at most."""
MEMORY = 1500 << 20
"""Bytes of memory at most."""


def run(binary, folder, seconds):
    """Processor time, peak of memory and exit status of one check; the status is `None` where the limit ended it."""
    pid = os.fork()
    if pid == 0:
        os.chdir(folder)
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        os.execv(binary, [binary, "check", "--exit-zero", "--jobs", "1", "--output-format", "concise"])
    _, status, usage = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10, code


def project(folder, files):
    """Writes the files, and a mark of the root."""
    os.makedirs(f"{folder}/.git", exist_ok=True)
    for path, text in files.items():
        path = pathlib.Path(folder, path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


def measure(binary, files, seconds):
    """One measurement of these files."""
    with tempfile.TemporaryDirectory(prefix="vramlint-scaling-") as folder:
        project(folder, files)
        return run(binary, folder, seconds)


def files_of(module, generator, size):
    text = generator(size)
    return text if isinstance(text, dict) else {module.PATH: text}


def judge(binary, language, name, options, base):
    """The sizes with their times, and what is wrong, if anything."""
    module = load(language)
    generator = module.TEXTS[name]
    rows, size = [], 1 << 16
    while size <= options.largest:
        files = files_of(module, generator, size)
        seconds, memory, code = measure(binary, files, options.seconds)
        length = sum(len(text.encode()) for text in files.values())
        rows.append((length, round(seconds, 3), memory >> 20, code))
        fault = wrong(rows, base, options)
        if fault or seconds > options.seconds:
            return rows, fault
        # Small times say nothing on growth: the next size is further away.
        size *= 2 if seconds - base > NOISE / 4 else 4
    return rows, None


def wrong(rows, base, options):
    length, seconds, memory, code = rows[-1]
    if code not in (0, 1, 2):
        return f"ended with {code}"
    if memory << 20 > MEMORY:
        return f"{memory} MB of memory"
    if seconds - base > max(PER_BYTE * options.slower * length, 0.5 * options.slower):
        return f"{seconds} s for {length} bytes"
    if len(rows) > 1 and seconds - base > NOISE * options.slower:
        before, then = rows[-2][:2]
        ratio = max(seconds - base, 0.001) / max(then - base, 0.02)
        doublings = length / max(before, 1) / 2
        if ratio > GROWTH * doublings:
            return f"{ratio:.1f} times the time for {length / max(before, 1):.1f} times the text"
    return None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--largest", type=int, default=2 << 20)
    parser.add_argument("--seconds", type=float, default=12.0, help="no larger text is tried beyond this time")
    parser.add_argument("--slower", type=float, default=1.0, help="how much slower than a release build the binary is")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path, help="where the measurements go")
    return parser.parse_args()


def chosen(options):
    """The generators that `--only` names; all without it."""
    for language in LANGUAGES:
        for name in load(language).TEXTS:
            wanted = [only.split(":", 1) for only in options.only]
            if not wanted or any(part[0] == language and (len(part) < 2 or part[1] in name) for part in wanted):
                yield language, name


def main():
    options = arguments()
    base = min(measure(options.binary, {"a.yaml": "a: 1\n"}, 5)[0] for _ in range(5))
    results, failed = {}, 0

    def one(row):
        rows, fault = judge(options.binary, *row, options, base)
        if fault:
            again, fault = judge(options.binary, *row, options, base)
            rows = again if fault else rows
        return row, rows, fault

    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (language, name), rows, fault in pool.map(one, chosen(options)):
            results[f"{language}: {name}"] = {"rows": rows, "fault": fault}
            if fault:
                failed += 1
                print(f"{language}: {name}: {fault}  {rows}", flush=True)
    print(f"{len(results)} texts, {failed} failed, in {time.time() - start:.0f} s (an empty project takes {base:.3f} s)")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
