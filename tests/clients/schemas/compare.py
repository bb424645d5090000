"""Holds the schemas that we make against real files whose fate with the real tools is known.

    compare.py CORPUS SCHEMAS

LABELS.jsonl of the corpus says which files the tools accept and which they reject. A schema may let a rejected file pass: what several keys
refuse together it cannot say. It must not refuse a file that is accepted, or that is merely odd.
"""

import collections
import json
import sys
from pathlib import Path

import jsonschema
import yaml

corpus, schemas = map(Path, sys.argv[1:])
VALIDATORS = {}
for name in ("accelerate", "deepspeed"):
    schema = json.loads((schemas / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    VALIDATORS[name] = jsonschema.Draft202012Validator(schema)

counts, wrong = collections.Counter(), []
for line in (corpus / "LABELS.jsonl").read_text(encoding="utf-8").splitlines():
    label = json.loads(line)
    kind = label["kind"].split("_")[0]
    if kind not in VALIDATORS:
        continue
    try:
        text = (corpus / label["path"]).read_text(encoding="utf-8-sig")
        data = json.loads(text) if label["path"].endswith("json") else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError):
        # No schema speaks of text that is no JSON and no YAML.
        counts[kind, label["label"], "unreadable"] += 1
        continue
    errors = list(VALIDATORS[kind].iter_errors(data))
    counts[kind, label["label"], "refused" if errors else "passes"] += 1
    if errors and label["label"] != "rejected":
        where = "/".join(map(str, errors[0].path))
        wrong.append(f"{label['path']} ({label['label']}): {where}: {errors[0].message[:200]}")

for kind in VALIDATORS:
    labels = sorted({label for one, label, _ in counts if one == kind})
    assert "accepted" in labels and "rejected" in labels, f"{kind}: the corpus has {labels}"
    for label in labels:
        fates = ", ".join(f"{counts[kind, label, fate]} {fate}" for fate in ("passes", "refused", "unreadable"))
        print(f"{kind}, {label}: {fates}")
    assert counts[kind, "rejected", "refused"] > 0, f"the schema of {kind} refuses nothing"
if wrong:
    print("refused although the tool does not reject it:", *wrong, sep="\n  ")
    sys.exit(1)
