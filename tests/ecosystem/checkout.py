#!/usr/bin/env python3
"""checkout.py MIRRORS DIR REPOSITORIES: writes DIR/OWNER__NAME for each repository of a list that is at hand.

MIRRORS holds git folders, bare or not, as OWNER+NAME, OWNER__NAME or OWNER/NAME, each possibly one folder deeper (`repo`). REPOSITORIES is a
text file with one OWNER/NAME a line; `#` begins a comment. Pictures, weights, archives and files above 5 MB are left out; blobs that a mirror
does not hold are skipped. DIR/OWNER__NAME.commit has the commit.
"""
import os
import re
import subprocess
import sys
import threading

LEFT_OUT = re.compile(
    r"\.(png|jpe?g|gif|mp4|safetensors|pth?|bin|zip|gz|pdf|wav|mp3|np[yz]|parquet|whl|so|ico|ttf|woff2?|pptx|docx|wandb)$", re.I
)
LARGEST = 5_000_000


def git_folder(mirrors, name):
    for form in (name.replace("/", "+"), name.replace("/", "__"), name):
        for rest in ("", "repo"):
            for git in ("", ".git"):
                folder = os.path.join(mirrors, form, rest, git)
                if os.path.exists(os.path.join(folder, "HEAD")):
                    return folder
    return None


def listing(git):
    """(path, mode, hash) of every file worth reading."""
    lines = subprocess.run([*git, "ls-tree", "-r", "-l", "-z", "HEAD"], capture_output=True, check=True).stdout.split(b"\0")
    for line in filter(None, lines):
        meta, path = line.split(b"\t", 1)
        mode, kind, blob, size = meta.split()
        path = os.fsdecode(path)
        if kind == b"blob" and size.isdigit() and int(size) <= LARGEST and not LEFT_OUT.search(path):
            yield path, mode, blob


def write(git, target):
    files = list(listing(git))
    names = b"".join(blob + b"\n" for _, _, blob in files)
    process = subprocess.Popen([*git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    threading.Thread(target=lambda: (process.stdin.write(names), process.stdin.close())).start()
    absent = 0
    for path, mode, _ in files:
        head = process.stdout.readline().split()
        if len(head) < 3:
            absent += 1
            continue
        data = process.stdout.read(int(head[2]))
        process.stdout.read(1)
        place = os.path.join(target, path)
        try:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            if mode == b"120000":
                os.symlink(os.fsdecode(data), place)
            else:
                with open(place, "wb") as file:
                    file.write(data)
        except OSError as error:
            print(f"{place}: {error}", file=sys.stderr)
    return len(files), absent


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    mirrors, target, names = sys.argv[1:]
    for line in open(names, encoding="utf-8"):
        name = line.split("#")[0].strip()
        if not name:
            continue
        folder = os.path.join(target, name.replace("/", "__"))
        source = git_folder(mirrors, name)
        if source is None or os.path.isdir(folder):
            print(f"{name}: {'not at hand' if source is None else 'already there'}")
            continue
        git = ["git", "--git-dir", source]
        os.makedirs(folder)
        count, absent = write(git, folder)
        commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout
        with open(folder + ".commit", "w", encoding="utf-8") as file:
            file.write(commit)
        print(f"{name}: {count - absent} files" + (f", {absent} not in the mirror" if absent else ""))


if __name__ == "__main__":
    main()
