"""``python -m vramlint``: the binary, with the same arguments, output and exit status."""

import os
import subprocess
import sys

from ._binary import find_binary


def main() -> None:
    binary = find_binary()
    words = [binary, *sys.argv[1:]]
    if os.name == "nt":
        # There the new program would be a new process, and whoever waits for this one would not wait for it.
        try:
            sys.exit(subprocess.run(words).returncode)
        except KeyboardInterrupt:
            sys.exit(130)
    os.execv(binary, words)


main()
