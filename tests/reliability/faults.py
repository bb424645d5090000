#!/usr/bin/env python3
"""Faults in what vramlint reads, and what comes of them.

    tests/reliability/faults.py target/debug/vramlint [GROUP…] [--markdown FILE]

Prints every fault that is not handled; the last line counts. Some need root (other users, full disks) or strace and are left out without.
"""

import argparse
import importlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from faults.bench import Bench

GROUPS = ["files", "formats", "toml", "metadata", "security", "fix_safety", "server"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("groups", nargs="*", default=GROUPS)
    parser.add_argument("--markdown", type=pathlib.Path, help="where a table of all faults goes")
    options = parser.parse_args()
    lines, failed_at_all = [], 0
    for group in options.groups or GROUPS:
        bench = Bench(options.binary)
        tried = failed = 0
        try:
            for name, passed, got in importlib.import_module(f"faults.{group}").faults(bench):
                tried += 1
                lines.append(f"| {group} | {name!r} | {'yes' if passed else '**no**'} |")
                if not passed:
                    failed += 1
                    print(f"{group}: {name}: {got}", flush=True)
        finally:
            bench.clean()
        failed_at_all += failed
        print(f"{group}: {tried} tried, {failed} failed", flush=True)
    if options.markdown:
        options.markdown.write_text("| group | fault | handled |\n| --- | --- | --- |\n" + "\n".join(lines) + "\n")
    return 1 if failed_at_all else 0


if __name__ == "__main__":
    sys.exit(main())
