#!/usr/bin/env python3
"""Writes what the fuzz targets start from, out of the cases in `tests`.

    fuzz/seeds.py

`fuzz/corpus/TARGET` gets the files of the cases that the target reads, `fuzz/corpus/TARGET.dict` the words that occur most often in them.
"""

import collections
import hashlib
import pathlib
import re
import sys

FUZZ = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FUZZ.parent / "tests" / "reliability"))
import cases  # noqa: E402

WORDS = 300
"""Words of one dictionary."""
SIZE = 4096
"""Bytes of one seed at most; a longer text is cut at the end of a line."""

YAML, JSON, PYTHON, BASH = r"\.ya?ml$", r"\.json$", r"\.py$", r"\.sh$"
VERSIONS = r"^(requirements.*\.txt|environment\.ya?ml|pyproject\.toml|setup\.(py|cfg)|.*\.lock|Pipfile.*|pylock\.toml)$"
TARGETS = {
    "yaml": YAML,
    "json": JSON,
    "python": PYTHON,
    "bash": BASH,
    "powershell": r"\.ps1$",
    "batch": r"\.(bat|cmd)$|\.env$",
    "embedded": r"\.(md|ya?ml)$|^Makefile$|^Dockerfile$",
    "versions": VERSIONS,
    "configuration": r"^vramlint\.toml$",
    "check_configuration": r"^vramlint\.toml$",
    "check_yaml": YAML,
    "check_json": JSON,
    "check_python": PYTHON,
    "check_shell": BASH,
    "check_markdown": r"\.md$",
    "fix": "|".join([YAML, JSON, PYTHON, BASH]),
}
FEW = {
    "powershell": ["& accelerate launch --num_processes 2 train.py `\n  --bf16\n$env:CUDA_VISIBLE_DEVICES = \"0,1\"\nif ($a -eq 1) { Write-Host @'\nx\n'@ }\n"],
    "batch": ["@echo off\nset N=2\nfor %%i in (1 2) do call :run %%i\n:run\naccelerate launch --num_processes %N% train.py ^\n  --bf16\n", "export A='x y'\nB=${A}\n"],
    "embedded": [
        "# Use\n\n```bash\naccelerate launch train.py\n```\n\n1. First:\n\n   ~~~console\n   $ deepspeed train.py\n   ~~~\n",
        "N := 2\ntrain: data\n\t@accelerate launch --num_processes $(N) \\\n\t  train.py\n",
        "FROM python:3.12\nENV A=1 B=\"2\"\nRUN <<EOF\naccelerate launch train.py\nEOF\nCMD [\"deepspeed\", \"train.py\"]\n",
        "jobs:\n  train:\n    steps:\n      - run: |\n          accelerate launch train.py\n",
    ],
    "versions": [
        "-r base.txt\ntransformers[torch]>=4.40,<5 ; python_version < '3.12'\ntrl @ git+https://example.org/trl@v0.9\n",
        "[project]\ndependencies = [\"torch==2.6.*\"]\n[tool.poetry.dependencies]\ntrl = {version = \"^0.9\"}\n",
        "[[package]]\nname = \"torch\"\nversion = \"2.6.0\"\n",
        "{\"default\": {\"torch\": {\"version\": \"==2.6.0\"}}}\n",
        "[options]\ninstall_requires =\n    torch>=2\n",
        "from setuptools import setup\nsetup(install_requires=['torch>=2'])\n",
        "dependencies:\n  - pytorch=2.6\n  - pip:\n    - trl==0.9\n",
    ],
    "check_markdown": ["# Use\n\n```bash\naccelerate launch --config_file a.yaml train.py\n```\n\n```yaml\nnum_processes: 8\n```\n"],
}
"""Texts of kinds that few cases have."""


def framed(body):
    return f"Content-Length: {len(body.encode())}\r\n\r\n{body}"


def messages():
    """What an editor says."""
    uri = '"uri":"file:///w/a.yaml"'
    place = '{"textDocument":{%s},"position":{"line":1,"character":3}}' % uri
    bodies = [
        '{"jsonrpc":"2.0","method":"initialized","params":{}}',
        '{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{%s,"languageId":"yaml","version":1,"text":"num_processes: 8\\n"}}}' % uri,
        '{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{%s,"version":2},"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"text":"\\ud83d\\ude80"}]}}' % uri,
        '{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{%s}}}' % uri,
        '{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":[{%s,"type":2}]}}' % uri,
        '{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":{"vramlint":{"target":{"gpu":"A100 80GB"}}}}}',
        '{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}',
    ]
    for number, method in enumerate(["hover", "completion", "definition", "references", "documentSymbol", "codeLens", "inlayHint", "codeAction", "diagnostic"]):
        bodies.append('{"jsonrpc":"2.0","id":%d,"method":"textDocument/%s","params":%s}' % (number + 7, method, place))
    yield from map(framed, bodies)
    yield "".join(map(framed, bodies[:4]))


def cut(text):
    """The whole lines within the size of a seed."""
    data = text.encode()[:SIZE]
    return data if len(data) < SIZE else data[: data.rfind(b"\n") + 1]


def quoted(word):
    return '"' + "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}" for byte in word.encode()) + '"'


def main():
    every = list(cases.texts())
    for target, pattern in [*TARGETS.items(), ("messages", None)]:
        if pattern is None:
            texts = list(messages())
        else:
            texts = [text for name, text in every if re.search(pattern, name)] + FEW.get(target, [])
        folder = FUZZ / "corpus" / target
        folder.mkdir(parents=True, exist_ok=True)
        words = collections.Counter()
        for text in texts:
            data = cut(text)
            (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)
            words.update(set(re.findall(r"--?[\w-]+|[A-Za-z_][\w./-]*|[^\w\s]+|\n +", text)))
        common = [word for word, _ in words.most_common(WORDS) if len(word) <= 60]
        (FUZZ / "corpus" / f"{target}.dict").write_text("".join(f"{quoted(word)}\n" for word in common))
        print(f"{target}: {len(texts)} texts, {len(common)} words")


if __name__ == "__main__":
    main()
