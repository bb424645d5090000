"""Compares vramlint's JSON reader with Python's json and with hjson, as DeepSpeed calls it.

Strict verdicts must never differ. Hjson verdicts may differ in HJSON_BOUND of the texts (see there). Where a reader accepts, the
values must be the same.
"""

import collections
import json
import math
import pathlib
import random
import re
import subprocess
import sys

import hjson

# Share of the texts whose Hjson verdict or value may differ. Not imitated: digits that are not ASCII in numbers, signs and `0x`
# inside `\\uXXXX`. Counted apart and not bounded: a text that strict JSON accepts and that holds NaN or Infinity, which Hjson
# reads as text up to the end of the line; the tree keeps the strict reading there.
HJSON_BOUND = 0.0005

SAMPLES = [
    """{
  "fp16": {"enabled": "auto", "loss_scale": 0, "initial_scale_power": 16},
  "bf16": {"enabled": true},
  "optimizer": {"type": "AdamW", "params": {"lr": 2e-5, "betas": [0.9, 0.999], "eps": 1e-8}},
  "zero_optimization": {
    "stage": 3,
    "offload_optimizer": {"device": "cpu", "pin_memory": true},
    "overlap_comm": true,
    "reduce_bucket_size": 5e8,
    "sub_group_size": 1e9
  },
  "gradient_clipping": 1.0,
  "train_batch_size": null,
  "wall_clock_breakdown": false
}
""",
    '{"train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8, "zero_optimization": {"stage": 2}}',
    """{
  // Hjson comment
  "stage": 2, # more
  /* block */ "device": 'cpu',
  lr: 1e-4
  note: some text, with a comma
  path: C:\\models\\qwen
  list: [
    1
    2, 3
    text here
  ]
  text: '''
        several
          lines
        '''
}
""",
    "stage: 3\nbf16: {enabled: true}\nname: 训练 配置\n",
    '[{"a": "\\u4e2d\\ud83d\\ude00\\n", "b": -0.5E+3, "c": ["x", "y"]}, NaN, -Infinity, Infinity\n, {}, []]',
    '{"a": NaN,\n "b": Infinity\n}',
    "{\r\n  \"a\": \"批量\",\r\n  \"b\": [1, 2],\r\n}\r\n",
    '"text"',
    "12",
    "",
]

PIECES = list("{}[],:\"'#/\\ \n\t\r-+.0123e_=*") + [
    "//", "/*", "*/", "'''", "\r\n", "true", "false", "null", "True", "None", "NaN", "-Infinity", "1e400", "auto", "\ufeff",
    "\u00a0", "\u3000", "，", "：", "“", "”", "\\u12", "\\ud83d", "\\'", "\\x", "# c\n", "// c\n", ",\n", "a: 1\n", '"a": 1',
    "\x0b", "\x00", "\x1c", "中",
]


def mutate(rng, text):
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 5])):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(7)
        if kind == 0:
            text = text[:at] + text[at + 1 :]
        elif kind == 1:
            text = text[:at] + text[at + rng.randrange(1, 20) :]
        elif kind in (2, 3):
            text = text[:at] + rng.choice(PIECES) + text[at:]
        elif kind == 4:
            text = text[:at] + rng.choice(PIECES) + text[at + 1 :]
        elif kind == 5:
            places = [i for i, c in enumerate(text) if c in "{}[],:\"'\n"]
            if places:
                at = rng.choice(places)
                text = text[:at] + rng.choice(["", "", rng.choice(PIECES)]) + text[at + 1 :]
        else:
            lines = text.splitlines(keepends=True)
            if lines:
                i = rng.randrange(len(lines))
                lines.insert(rng.randrange(len(lines) + 1), lines[i] if rng.random() < 0.5 else lines.pop(i))
                text = "".join(lines)
    return text


def unique(pairs):
    # As deepspeed 0.19.8 runtime/config_utils.py: one level, raised at the end of each object.
    if len({k for k, _ in pairs}) != len(pairs):
        raise ValueError("duplicate keys")
    return dict(pairs)


def attempt(load):
    try:
        return True, load()
    except Exception:
        return False, None


def texts(count, seed, corpus):
    for sample in SAMPLES:
        yield sample
        for end in range(len(sample)):
            yield sample[:end]
            yield sample[:end] + sample[end + 1 :]
    files = []
    if corpus.is_dir():
        for path in sorted(corpus.rglob("*.json")):
            files.append(path.read_bytes().decode("utf-8", "replace"))
        yield from files
    print(f"corpus files: {len(files)}" if files else f"corpus files: skipped, {corpus} is absent")
    rng = random.Random(seed)
    bases = SAMPLES + [text for text in files if len(text) < 4000]
    for _ in range(count):
        yield mutate(rng, rng.choice(bases))


NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")


def plain(text, strict):
    if text in ("null", "true", "false"):
        return {"null": None, "true": True, "false": False}[text]
    if strict and text in ("NaN", "Infinity", "-Infinity"):
        return float(text)
    match = NUMBER.fullmatch(text)
    if match:
        return float(text) if match[2] or match[3] else int(text)
    return text


def build(tree, strict):
    if tree is None:
        return {}
    kind = tree[0]
    if kind == "p":
        return plain(tree[1], strict)
    if kind == "s":
        return tree[1]
    if kind == "l":
        return [build(item, strict) for item in tree[1]]
    if kind == "m":
        return {key[1]: build(value, strict) for key, value in tree[1]}
    return ("missing",)


def same(ours, theirs):
    if isinstance(theirs, dict):
        theirs = {lone(key): value for key, value in theirs.items()}
        return isinstance(ours, dict) and ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in theirs)
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, str):
        return ours == lone(theirs)
    if isinstance(theirs, float) and math.isnan(theirs):
        return isinstance(ours, float) and math.isnan(ours)
    if isinstance(theirs, bool) or theirs is None:
        return ours is theirs
    return not isinstance(ours, bool) and ours == theirs


def lone(text):
    """Lone surrogates cannot stand in Rust's text."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def main():
    program, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    cases = list(texts(count, seed, pathlib.Path(sys.argv[4])))
    frames = b"".join(b"%d\n%b" % (len(raw), raw) for raw in (text.encode() for text in cases))
    lines = subprocess.run([program], input=frames, capture_output=True, check=True).stdout.decode().splitlines()
    assert len(lines) == len(cases), f"{len(lines)} answers for {len(cases)} texts"
    figures = collections.Counter()
    shown = collections.Counter()

    def differ(kind, text, detail):
        figures[kind] += 1
        shown[kind] += 1
        if shown[kind] <= 5:
            print(f"--- {kind}: {detail}\n{text!r}")

    for text, line in zip(cases, lines):
        strict, loose, tree = line.split(" ", 2)
        tree = json.loads(tree)
        accepted, value = attempt(lambda: json.loads(text))
        figures["strict accepts"] += accepted
        if accepted != (strict == "1"):
            differ("strict verdict", text, f"json {accepted}, ours {strict}")
        elif accepted and not same(build(tree, True), value):
            differ("strict value", text, f"json {value!r}, ours {tree}")
        accepted_strictly = accepted
        accepted, value = attempt(lambda: hjson.loads(text, object_pairs_hook=unique))
        figures["hjson accepts"] += accepted
        if accepted != (loose == "1"):
            differ("hjson verdict", text, f"hjson {accepted}, ours {loose}")
        elif accepted and not same(build(tree, False), value):
            constants = accepted_strictly and re.search("NaN|Infinity", text)
            if constants:
                figures["hjson value, with NaN or Infinity (strict reading kept)"] += 1
            else:
                differ("hjson value", text, f"hjson {value!r}, ours {tree}")
    print(f"texts: {len(cases)}")
    for kind, number in sorted(figures.items()):
        print(f"{kind}: {number}")
    loose = figures["hjson verdict"] + figures["hjson value"]
    strict = figures["strict verdict"] + figures["strict value"]
    if strict or loose > HJSON_BOUND * len(cases):
        sys.exit(f"too many differences: strict {strict} (0 allowed), Hjson {loose} ({HJSON_BOUND:.2%} allowed)")


if __name__ == "__main__":
    main()
