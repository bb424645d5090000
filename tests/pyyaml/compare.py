"""Compares vramlint's YAML reader with PyYAML, OmegaConf and ruamel.yaml. Started by run.sh.

Usage: compare.py SCALAR_DUMP [FOLDER...]
"""

import datetime
import itertools
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import warnings

import yaml
from omegaconf._yaml import get_yaml_loader
from ruamel.yaml import YAML

from mutate import mutants
from samples import TRAPS, WHOLE_FILES

SEED = 20240101
SHOWN = 20
RUAMEL_SCALARS = 20_000

warnings.simplefilter("ignore")
sys.setrecursionlimit(6000)


def canonical(value, seen=()):
    """The notation of scalar_dump.rs."""
    if id(value) in seen:
        return ["none"]
    if value is None:
        return ["null"]
    if isinstance(value, bool):
        return ["bool", "true" if value else "false"]
    if isinstance(value, int):
        return ["int", str(int(value))]
    if isinstance(value, float):
        return ["float", "nan" if value != value else struct.pack(">d", value).hex()]
    if isinstance(value, str):
        return ["str", str(value)]
    if isinstance(value, (datetime.date, datetime.datetime)):
        return ["time"]
    seen = seen + (id(value),)
    if isinstance(value, (list, tuple)):
        return ["list", [canonical(item, seen) for item in value]]
    if isinstance(value, set):
        return ["list", [canonical(item, seen) for item in value]]
    if isinstance(value, dict):
        return ["map", [[canonical(k, seen), canonical(v, seen)] for k, v in value.items()]]
    return ["unknown", type(value).__name__]


def contains_itself(value):
    """Whether a canonical value has a place where it contained itself."""
    return value == ["none"] or isinstance(value, list) and any(contains_itself(item) for item in value)


def ours(program, mode, loader, texts):
    """What our reader makes of the texts."""
    with tempfile.TemporaryFile() as lines:
        lines.write("\n".join(text.encode().hex() for text in texts).encode())
        lines.seek(0)
        answer = subprocess.run([program, mode, loader], stdin=lines, capture_output=True, check=True)
    result = [json.loads(line) for line in answer.stdout.decode().split("\n") if line]
    assert len(result) == len(texts), (len(result), len(texts))
    return result


def scalar_with(loader, text):
    """A plain scalar through the resolver and the constructor of a PyYAML loader."""
    tag = loader.resolve(yaml.ScalarNode, text, (True, False))
    try:
        return canonical(loader.construct_object(yaml.ScalarNode(tag, text)))
    except Exception:
        return ["refused"]


def is_plain_scalar(text):
    """Whether PyYAML's scanner gives back this text as one plain scalar."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except Exception:
        return False
    return isinstance(node, yaml.ScalarNode) and node.style is None and node.value == text


def with_ruamel(text):
    """A plain scalar through ruamel.yaml, YAML 1.2."""
    try:
        return canonical(YAML(typ="safe", pure=True).load(text))
    except Exception:
        return ["refused"]


def generated_scalars():
    """Every short text over a telling alphabet, structured numbers, and the well-known traps."""
    rng = random.Random(SEED)
    wide = "0123456789_:.eE+-xbo~nNyYfFtTaAuUlLsS"
    for length in (1, 2, 3):
        yield from map("".join, itertools.product(wide, repeat=length))
    for length in (4, 5):
        yield from map("".join, itertools.product("0178_:.eE+-xb", repeat=length))
    pieces = ["0", "1", "07", "08", "60", "59", "123", "_", ".", ":", "e", "E", "+", "-", "e-5", "E+", "0x", "0b", "0o", "inf", ".inf",
              ".nan", "-", "T", "t", "Z", " ", "2024", "2024-", "-01", "-12", "-31", "12:30:45", ".5", "+08:00", "99999999999999999999"]
    for _ in range(150_000):
        yield "".join(rng.choice(pieces) for _ in range(rng.randint(2, 7)))
    for _ in range(30_000):
        day = f"{rng.randint(0, 9999):04}-{rng.randint(0, 13):0{rng.choice('12')}}-{rng.randint(0, 32):0{rng.choice('12')}}"
        time = f"{rng.randint(0, 25)}:{rng.randint(0, 61):02}:{rng.randint(0, 61):02}"
        zone = rng.choice(["", "Z", " Z", "+8", "-08:30", " +24:00", "-23:59", "+23:99"])
        yield rng.choice([day, day + rng.choice("Tt ") + time + rng.choice(["", ".", ".123"]) + zone])
    words = "yes no on off true false null none nan inf auto".split()
    for word in words:
        for form in itertools.product(*((c.lower(), c.upper()) for c in word)):
            yield "".join(form)
    yield from TRAPS


def harvested(files):
    """Every scalar of the files."""
    for text in files:
        try:
            for token in yaml.scan(text, Loader=yaml.SafeLoader):
                if isinstance(token, yaml.ScalarToken) and token.plain:
                    yield token.value
        except yaml.YAMLError:
            continue


def load_all(text):
    """The documents as PyYAML loads them, or why it refuses."""
    try:
        return ["documents", [canonical(document) for document in yaml.safe_load_all(text)]], ""
    except RecursionError:
        return None, ""
    except Exception as error:
        return ["refused"], " ".join(str(error).split())[:200]


class Report:
    """Counts, and the first differences of each kind."""

    def __init__(self):
        self.failed = 0

    def differences(self, name, compared, different, note=""):
        print(f"{name}: {compared} compared, {len(different)} different{note}")
        for line in different[:SHOWN]:
            print("   ", line)
        self.failed += len(different)


def compare_scalars(report, program, texts):
    loader = yaml.SafeLoader("")
    theirs = [scalar_with(loader, text) for text in texts]
    for name in ("pyyaml", "trl"):
        mine = ours(program, "scalars", name, texts)
        different = [f"{t!r}: PyYAML {p}, ours {o}" for t, p, o in zip(texts, theirs, mine) if p != o]
        report.differences(f"scalars as {name}", len(texts), different)
    omegaconf = get_yaml_loader()("")
    mine = ours(program, "scalars", "omegaconf", texts)
    different = []
    for text, own in zip(texts, mine):
        other = scalar_with(omegaconf, text)
        # Our value of what a loader refuses is the text.
        if other != own and not (other == ["refused"] and own == ["str", text]):
            different.append(f"{text!r}: OmegaConf {other}, ours {own}")
    report.differences("scalars as omegaconf", len(texts), different)


def compare_ruamel(report, program, texts):
    texts = [text for text in texts if is_plain_scalar(text)]
    mine = ours(program, "scalars", "yaml12", texts)
    different = []
    for text, own in zip(texts, mine):
        other = with_ruamel(text)
        if other != own and not (other == ["refused"] and own in (["str", text], ["time"])):
            different.append(f"{text!r}: ruamel {other}, ours {own}")
    report.differences("scalars as yaml12", len(texts), different)


def compare_json(report, program, texts):
    mine = ours(program, "scalars", "json", texts)
    different = []
    for text, own in zip(texts, mine):
        try:
            # The decoder takes blanks around a literal; a scalar has none.
            other = canonical(json.loads(text)) if text.strip() == text and text[:1] not in '"[{' else ["str", text]
        except ValueError:
            other = ["str", text]
        if other != own:
            different.append(f"{text!r}: json {other}, ours {own}")
    report.differences("scalars as json", len(texts), different)


def compare_files(report, program, name, texts, names, strict=True):
    mine = ours(program, "files", "pyyaml", texts)
    refused = itself = skipped = 0
    different = []
    for text, own, where in zip(texts, mine, names):
        other, why = load_all(text)
        if other is None:
            skipped += 1
        elif other == ["refused"] or own[0] == "refused":
            refused += 1
            if other[0] != own[0]:
                different.append(f"{where}: PyYAML {why or 'loads'}; ours {own[1] if own[0] == 'refused' else 'loads'}")
        elif contains_itself(other) or contains_itself(own):
            itself += 1
            if contains_itself(other) != contains_itself(own):
                different.append(f"{where}: only one of them contains itself")
        elif other != own:
            different.append(f"{where}: PyYAML {str(other)[:300]}; ours {str(own)[:300]}")
    note = f" ({refused} refused by one or both, {itself} contain themselves, {skipped} too deep for Python)"
    if strict:
        report.differences(name, len(texts), different, note)
    else:
        print(f"{name}: {len(texts)} compared, {len(different)} different{note}")
        for line in different[:SHOWN]:
            print("   ", line)


def read_folders(folders):
    """The YAML files of the folders that are UTF-8, and their names."""
    texts, names = [], []
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.y*ml")):
            if path.suffix not in (".yml", ".yaml") or not path.is_file():
                continue
            try:
                texts.append(path.read_bytes().decode())
                names.append(str(path.relative_to(folder)))
            except UnicodeDecodeError:
                continue
    return texts, names


def main():
    program, *folders = sys.argv[1:]
    report = Report()
    texts, names = read_folders(folders)
    scalars = sorted({s for s in itertools.chain(generated_scalars(), harvested(texts)) if "\n" not in s})
    compare_scalars(report, program, scalars)
    rng = random.Random(SEED)
    compare_ruamel(report, program, sorted(set(TRAPS) | set(rng.sample(scalars, RUAMEL_SCALARS))))
    compare_json(report, program, scalars)
    compare_files(report, program, "written samples", WHOLE_FILES, [repr(text) for text in WHOLE_FILES])
    if texts:
        compare_files(report, program, "files", texts, names)
    else:
        print("files: skipped, no folder")
    changed = list(mutants(WHOLE_FILES + [text for text in texts if len(text) < 2500], SEED))
    compare_files(report, program, "changed files (told, not counted)", changed, [repr(t)[:400] for t in changed], strict=False)
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    main()
