#!/usr/bin/env python3
"""Compares estimates with the memory that the head comments of frameworks' examples state.

figures.py BINARY DIR PAGE

DIR holds each repository as OWNER__NAME (checkout.py writes them). A figure is a size in the first lines of a launch script or a recipe
(`# 2 * 20GiB`), per GPU. Writes a Markdown page with predicted and stated values; CAUSES names what most likely explains an error
over 20 %; nothing of it was measured again.
"""
import json
import os
import re
import statistics
import subprocess
import sys

REPOSITORIES = ["modelscope/ms-swift", "axolotl-ai-cloud/axolotl", "hiyouga/LlamaFactory", "pytorch/torchtune"]
SIZE = re.compile(r"(?:(\d+)\s*[*x×]\s*)?(\d+(?:\.\d+)?)\s*(Gi?B)\b(?!\))", re.I)
LINES = 4
# What a line with a size speaks of, if not of the run.
OTHER = re.compile(r"A100|H100|910B|tested on|without|fit in", re.I)
ROWS = "rows far shorter than the cutoff"
CAUSES = {
    "agent/glm4.sh": "the size of the card",
    "grpo/internal/transformers.sh": "the size of the card",
    "models/ovis2/train.sh": ROWS + "; the architecture is known by its size alone",
    "models/qwen3_5/transformers.sh": ROWS + "; linear attention counts as full attention",
    "models/qwen3_next/transformers.sh": "linear attention counts as full attention; the launch spreads the model over 4 GPUs",
    "multimodal/ocr.sh": ROWS,
    "multimodal/rlhf/dpo/lora.sh": "images in the vision tower come on top",
    "new_special_tokens/train.sh": ROWS,
    "padding_free/dpo_vlm.sh": ROWS,
    "rlhf/dpo/full.sh": ROWS,
    "seq_cls/regression/sft.sh": ROWS,
    "sequence_parallel/sequence_parallel.sh": ROWS + "; the loss is computed in parts (CELOSS_PARALLEL_SIZE)",
}


def figure(path):
    """The size per GPU that the head comment states, in the unit that it names; None without one."""
    with open(path, errors="replace") as file:
        head = [line for line in file.read().splitlines()[:LINES] if line.startswith("#") and not line.startswith("#!")]
    for line in head:
        found = None if OTHER.search(line) else SIZE.search(line)
        if found:
            unit = 1 if found[3].lower() == "gib" else 1e9 / 2**30
            return float(found[2]) * unit, found[0]
    return None


def estimates(binary, folder):
    done = subprocess.run([binary, "estimate", ".", "--output-format", "json"], cwd=folder, capture_output=True, text=True, timeout=900)
    runs = json.loads(done.stdout)
    by_file = {}
    for run in runs if isinstance(runs, list) else runs.get("runs", [runs]):
        by_file.setdefault(run["id"].split("#")[0], []).append(run)
    return by_file


def main():
    binary, root, page = sys.argv[1:]
    rows, without = [], []
    for repository in REPOSITORIES:
        folder = os.path.join(root, repository.replace("/", "__"))
        for name, runs in sorted(estimates(os.path.abspath(binary), folder).items()):
            path = os.path.join(folder, name)
            stated = figure(path) if name.endswith((".sh", ".yaml", ".yml")) and os.path.isfile(path) and len(runs) == 1 else None
            if stated is None:
                continue
            run = runs[0]
            if "gpu" not in run:
                without.append((repository, name, run.get("unknown", "")))
                continue
            peak, setup = run["gpu"]["peak"] / 2**30, run["setup"]
            rows.append((repository, name, stated, peak, 100 * (peak - stated[0]) / stated[0], setup))
    errors = [abs(row[4]) for row in rows]
    explained = [abs(row[4]) for row in rows if not any(row[1].endswith(end) for end in CAUSES)]
    lines = [
        "# Figures that frameworks state",
        "",
        "Head comments of official examples state the memory of a GPU. This page compares them with `vramlint estimate` of the same file;",
        "`tests/ecosystem/figures.py` writes it from checked-out repositories. Figures are rounded readings of unnamed tools, mostly of",
        "nvidia-smi; the estimate assumes rows as long as the cutoff. Causes are judged from the files, not measured again.",
        "",
        f"{len(rows)} figures, median error {statistics.median(errors):.1f} %; {statistics.median(explained):.1f} % over the {len(explained)} without a",
        "likely cause below.",
        "",
        "| example | setup | stated | predicted | error | likely cause |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    for repository, name, (size, text), peak, error, setup in rows:
        cause = next((why for end, why in CAUSES.items() if name.endswith(end)), "not understood") if abs(error) > 20 else ""
        model = str(setup["model"]).split("/")[-1]
        what = f"{model}, {setup['task']} {setup['method']}, {setup['micro_batch']} × {setup['sequence_length']}, {setup['world_size']} GPUs"
        lines.append(f"| {repository} {name} | {what} | {size:.1f} GiB | {peak:.1f} GiB | {error:+.0f} % | {cause} |")
    lines += ["", f"{len(without)} further figures belong to runs without an estimate:", ""]
    lines += [f"- {repository} {name}: {why.split(';')[0]}" for repository, name, why in without]
    with open(page, "w") as file:
        file.write("\n".join(lines) + "\n")
    print(lines[6], lines[7])


if __name__ == "__main__":
    main()
