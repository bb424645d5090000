#!/usr/bin/env python3
"""Compares estimates with the memory that frameworks and papers state, and writes a Markdown page.

figures.py BINARY DIR PAGE

DIR holds each repository as OWNER__NAME (checkout.py writes them). Figures come from the head comments of launch scripts and recipes
(`# 2 * 20GiB`), from READMEs that follow a command (`This config uses about 8.7 GiB VRAM`), from outputs that notebooks keep (`Peak reserved
memory = 7.9 GB`), and from tables whose setups `figures.jsonl` and the published records write down. Nothing was measured again.

A run without packing has rows of unknown length up to its cutoff, or up to the longest row of its data where that is published. What rows of
SHORT tokens would save is estimated too; what lies between both is explained by its rows. CAUSES says what else explains an error of over
20 %.
"""
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDS = os.path.join(HERE, "../../crates/vramlint_memory/tests/records")
COMMENTED = ["modelscope/ms-swift", "axolotl-ai-cloud/axolotl", "hiyouga/LlamaFactory", "pytorch/torchtune"]
NOTEBOOKS = "unslothai/notebooks"
SHORT = 256
SIZE = re.compile(r"(?:(\d+)\s*[*x×]\s*)?(\d+(?:\.\d+)?)\s*(Gi?B)\b(?!\))", re.I)
LINES = 4
# What a line says of its size: a method, or an engine.
LABEL = re.compile(r"#\s*([A-Za-z]\w*)[\w-]*:")
# What a line with a size speaks of, if not of the run.
OTHER = re.compile(r"A100|H100|910B|Ascend|tested on|without|fit in", re.I)
TRAIN = re.compile(r"axolotl train (\S+\.ya?ml)")
USES = re.compile(r"uses about (\d+(?:\.\d+)?)\s*(Gi?B)", re.I)
PRINTED = re.compile(r"Peak reserved memory = (\d+(?:\.\d+)?) GB")
# What else the output of a notebook says: rows of a micro-batch, the release, memory before training, and the type that a card forced.
ROWS = re.compile(r"Batch size per device = (\d+)")
RELEASE = re.compile(r"Unsloth:? (?:Fast \w+ patching release )?(\d{4}\.\d+(?:\.\d+)?)")
BEFORE = re.compile(r"(\d+(?:\.\d+)?) GB of memory reserved")
# The GPU that loaded the model, and what share of one the peak is.
LOADED_ON = re.compile(r"Max memory: (\d+(?:\.\d+)?) GB")
SHARE = re.compile(r"Peak reserved memory % of max memory = (\d+(?:\.\d+)?) %")
WIDENED = re.compile(r"Using float32|upcast weights to float32|Switching to float32")
GIB = 1e9 / 2**30
CAUSES = json.load(open(os.path.join(HERE, "figure_causes.json")))


class Figure:
    """A stated size and its prediction, GiB per GPU."""

    def __init__(self, source, what, stated, answer, saved=0, part="peak", cause=None, outside=0):
        gpu = answer["gpu"]
        self.source, self.what, self.stated, self.given = source, what, stated, cause
        # What the source itself says of memory outside of torch, in MiB.
        outside /= 1024
        self.predicted, self.tensors = gpu[part] / 2**30 + outside, gpu["tensors"] / 2**30 + outside
        # With rows of the length that the source names, or of the only length that packing leaves, there is no range.
        self.least = self.predicted - saved / 2**30

    @property
    def exact(self):
        return self.least == self.predicted

    @property
    def error(self):
        return 100 * (self.predicted - self.stated) / self.stated

    @property
    def error_in_range(self):
        """The error against the nearest of the lengths that rows may have."""
        low, high = sorted((self.least, self.predicted))
        return 100 * (min(max(self.stated, low), high) - self.stated) / self.stated

    @property
    def cause(self):
        if abs(self.error) <= 20:
            return ""
        named = next((why for end, why in CAUSES.items() if self.source.endswith(end)), None)
        if named:
            return named
        if self.error > 0 and abs(self.error_in_range) <= 20:
            return f"rows shorter than the cutoff: {self.least:.1f} GiB with {SHORT} tokens"
        if self.given:
            return self.given
        if self.exact and abs(self.tensors - self.stated) <= 0.2 * self.stated:
            return f"memory that the estimate holds cached and unused: tensors alone are {self.tensors:.1f} GiB"
        return "not understood"


def gib(number, unit):
    return float(number) * {"gib": 1, "mib": 1 / 1024, "gb": GIB, "mb": GIB / 1000}[unit.lower()]


def comment(path):
    """The size per GPU that the head comment states, in the unit that it names; None without one. Of several, the one whose label is what
    the file uses: `# lora: 2 * 14GiB`.
    """
    with open(path, errors="replace") as file:
        text = file.read()
    head = [line for line in text.splitlines()[:LINES] if line.startswith("#") and not line.startswith("#!")]
    sized = [(line, SIZE.search(line)) for line in head if SIZE.search(line) and not OTHER.search(line)]
    body = text[sum(map(len, head)) :].lower()
    label = lambda line: (LABEL.match(line) or [None, ""])[1].lower()
    uses = lambda word: re.search(rf"_type\W+{word}\b|^\s*{word}\b", body, re.M)
    used = [size for line, size in sized if label(line) and uses(label(line))]
    return next((gib(size[2], size[3]) for size in used + [size for _, size in sized]), None)


def readmes(folder):
    """READMEs that train a configuration, with the size that they state right after the command."""
    found = {}
    for path in glob.glob(os.path.join(folder, "examples/**/README.md"), recursive=True):
        with open(path, errors="replace") as file:
            text = file.read()
        for command in TRAIN.finditer(text):
            after = text[command.end() : command.end() + 400]
            stated = USES.search(after.split("axolotl train")[0])
            if stated:
                found.setdefault(os.path.relpath(path, folder), gib(stated[1], stated[2]))
    return found


def estimates(binary, folder, names, *more):
    """Answers by file, for the runs of these files."""
    command = [binary, "estimate", *names, "--output-format", "jsonl", *more]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1800)
    by_file = {}
    for run in map(json.loads, done.stdout.splitlines()):
        by_file.setdefault(run["id"].split("#")[0], []).append(run)
    return by_file


def of_short_rows(answer):
    """Bytes that rows of SHORT tokens save, by what the estimate says of its lightest rows: all but the weights grows with the length."""
    told = next((one for one in answer.get("open", []) if one["setting"] == "sequence_length"), None)
    if told is None or told["assumed"] <= SHORT:
        return 0
    return told["bytes"] * (told["assumed"] - SHORT) / (told["assumed"] - told["lightest"])


def described(setup):
    model = str(setup["model"]).split("/")[-1]
    return f"{model}, {setup['task']} {setup['method']}, {setup['micro_batch']} × {setup['sequence_length']}, {setup['world_size']} GPUs"


def of_runs(binary, root, repository, stated_by_file, part="peak"):
    """Figures of files that state one, and the reasons of those without an estimate."""
    folder = os.path.join(root, repository.replace("/", "__"))
    sizes = stated_by_file(folder)
    runs = estimates(binary, folder, sorted(sizes)) if sizes else {}
    figures, without = [], []
    for name, stated in sorted(sizes.items()):
        found = runs.get(name, [])
        if len(found) != 1:
            continue
        if "gpu" not in found[0]:
            without.append((f"{repository} {name}", found[0].get("unknown", "")))
            continue
        less = 0 if name in packed_files(folder, [name]) else of_short_rows(found[0])
        figures.append(Figure(f"{repository} {name}", described(found[0]["setup"]), stated, found[0], less, part))
    return figures, without


def packed_files(folder, names):
    """Files that fill rows up to the cutoff."""
    on = re.compile(r"--packing\s+true|\bsample_packing:\s*true|\bpacking:\s*true", re.I)
    return {name for name in names if on.search(open(os.path.join(folder, name), errors="replace").read())}


def commented(folder):
    """Scripts and configurations with a size in their head comment, and those that a README states one for."""
    patterns = [os.path.join(folder, "**", ending) for ending in ("*.sh", "*.yaml", "*.yml")]
    paths = {os.path.relpath(path, folder): path for pattern in patterns for path in glob.glob(pattern, recursive=True)}
    stated = {name: comment(path) for name, path in paths.items() if os.path.isfile(path)}
    return {**readmes(folder), **{name: size for name, size in stated.items() if size}}


def printed(folder):
    """The scripts of notebooks that keep their output, each with its size in torch's GiB and the text; copies for other services repeat it."""
    found = {}
    for path in glob.glob(os.path.join(folder, "nb/*.ipynb")):
        name = os.path.splitext(os.path.basename(path))[0]
        if name.startswith(("AMD-", "Kaggle-", "HuggingFace ")):
            continue
        with open(path, errors="replace") as file:
            text = file.read()
        sizes = PRINTED.findall(text)
        # torch's byte count over 1024³.
        script = f"python_scripts/{name}.py"
        if sizes and os.path.isfile(os.path.join(folder, script)):
            found[script] = (float(sizes[-1]), text)
    return found


def of_notebooks(binary, root):
    """Figures that notebooks printed, each estimated with the release that it names; those that ran otherwise than they are now."""
    folder = os.path.join(root, NOTEBOOKS.replace("/", "__"))
    outputs = printed(folder)
    figures, without, changed = [], [], []
    with tempfile.TemporaryDirectory() as copies:
        for number, name in enumerate(sorted(outputs)):
            os.makedirs(os.path.join(copies, str(number)))
            shutil.copy(os.path.join(folder, name), os.path.join(copies, str(number), "train.py"))
            release = RELEASE.search(outputs[name][1])
            if release:
                with open(os.path.join(copies, str(number), "requirements.txt"), "w") as file:
                    file.write(f"unsloth=={release[1]}\n")
        runs = estimates(binary, copies, [])
        named = {name: runs.get(f"{number}/train.py", []) for number, name in enumerate(sorted(outputs))}
    for name, found in sorted(named.items()):
        stated, text = outputs[name]
        if len(found) != 1:
            continue
        if "gpu" not in found[0]:
            without.append((f"{NOTEBOOKS} {name}", found[0].get("unknown", "")))
            continue
        rows, before = ROWS.findall(text), BEFORE.search(text)
        weights = found[0]["gpu"]["parts"]["weights"] / 2**30
        # The output is that of other settings if its rows are others, or if the weights alone need more than it held before training; it
        # is that of two sessions if the peak was not on the GPU that loaded the model.
        loaded, share = LOADED_ON.search(text), SHARE.search(text)
        moved = loaded and share and abs(100 * stated / float(share[1]) - float(loaded[1])) > 0.02 * float(loaded[1])
        if rows and int(rows[-1]) != found[0]["setup"]["micro_batch"] or before and float(before[1]) < 0.8 * weights or moved:
            changed.append(name)
            continue
        cause = None
        if before and float(before[1]) >= 0.95 * stated:
            cause = "reserved before training, as its output says"
        elif WIDENED.search(text):
            cause = "computed in fp32, since the card has no bf16, as its output says"
        elif before and abs(found[0]["gpu"]["reserved"] / 2**30 - weights + float(before[1]) - stated) <= 0.2 * stated:
            cause = f"{before[1]} GiB reserved before training, as its output says, not {weights:.1f} GiB of weights"
        less = 0 if name in packed_files(folder, [name]) else of_short_rows(found[0])
        figures.append(Figure(f"{NOTEBOOKS} {name}", described(found[0]["setup"]), stated, found[0], less, "reserved", cause))
    return figures, without, changed


def of_setups(binary):
    lines, meta = [], []
    for number, line in enumerate(open(os.path.join(HERE, "figures.jsonl"))):
        series = json.loads(line)
        for tokens, stated in zip(series["seq"], series["stated"]):
            lines.append({"id": f"{number}-{tokens}", "model": series["model"], "setup": {**series["setup"], "seq": tokens}})
            per = series.get("gpus", 1)
            cause = series.get("cause") if tokens >= 4096 else None
            meta.append((series["source"], gib(stated, series["unit"]) / per, series["figure"], cause, 0))
    published = {row["id"]: row for row in map(json.loads, open(os.path.join(RECORDS, "published.jsonl")))}
    for row in map(json.loads, open(os.path.join(RECORDS, "published_setups.jsonl"))):
        known = published[row["id"]]
        if known["source"].startswith("modelscope/ms-swift"):
            continue
        lines.append({key: row[key] for key in ("id", "model", "setup")})
        stated = gib(known["measured"], known["unit"].split()[0])
        meta.append((known["source"], stated, row["figure"], None, row.get("outside_mib", 0)))
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write("\n".join(map(json.dumps, lines)))
        file.flush()
        done = subprocess.run([binary, "estimate", "--setup", file.name], capture_output=True, text=True)
    figures = []
    for answer, (source, stated, part, cause, outside) in zip(map(json.loads, done.stdout.splitlines()), meta):
        figures.append(Figure(source, described(answer["setup"]), stated, answer, 0, part, cause, outside))
    return figures


def main():
    binary, root, page = sys.argv[1:]
    binary = os.path.abspath(binary)
    figures, without = of_setups(binary), []
    for repository in COMMENTED:
        more, reasons = of_runs(binary, root, repository, commented)
        figures, without = figures + more, without + reasons
    more, reasons, changed = of_notebooks(binary, root)
    figures, without = figures + more, without + reasons
    middle = lambda errors: statistics.median(map(abs, errors))
    exact = [figure.error for figure in figures if figure.exact]
    open_causes = [figure for figure in figures if figure.cause == "not understood"]
    lines = [
        "# Figures that frameworks state",
        "",
        "Examples, READMEs, notebooks and tables state the memory of a GPU. This page compares them with `vramlint estimate` of the same file, or",
        "of the setup that the source names; `tests/ecosystem/figures.py` writes it. Figures are rounded readings of unnamed tools, mostly of",
        "nvidia-smi; GB is 10⁹ bytes unless torch printed it. Nothing was measured again.",
        "",
        f"{len(figures)} figures: median error {middle([figure.error for figure in figures]):.1f} % with rows as long as the cutoff or the longest of public data, and",
        f"{middle([figure.error_in_range for figure in figures]):.1f} % within the lengths that rows may have ({SHORT} tokens up to the cutoff); {middle(exact):.1f} % over the {len(exact)} whose rows have a",
        f"known length. {len(open_causes)} errors over 20 % are not understood.",
        "",
        "| source | setup | stated | predicted | error | cause |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    for figure in figures:
        lines.append(f"| {figure.source} | {figure.what} | {figure.stated:.1f} GiB | {figure.predicted:.1f} GiB | {figure.error:+.0f} % | {figure.cause} |")
    lines += ["", f"{len(without)} further figures belong to runs without an estimate:", ""]
    lines += [f"- {name}: {why.split(';')[0]}" for name, why in without]
    lines += ["", f"{len(changed)} outputs of notebooks are of other micro-batches or weights than the notebooks have now, or of two sessions, and are left out:", ""]
    lines += [f"- {name}" for name in changed]
    with open(page, "w") as file:
        file.write("\n".join(lines) + "\n")
    print(*lines[6:9], sep="\n")


if __name__ == "__main__":
    main()
