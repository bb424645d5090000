"""Compares the tables with the libraries that are installed, by running them: names, defaults, kinds, bounds, sets of values.

    python compare.py        in an environment with transformers, trl, peft, accelerate and deepspeed

Prints every difference and exits with 1 if there is any. `past.py` does the same for earlier releases, from their source.
"""
import argparse
import contextlib
import dataclasses
import importlib
import inspect
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TABLES = pathlib.Path(__file__).resolve().parents[2] / "crates/vramlint_catalog/data/classes"
FLAGS = TABLES.parents[1] / "src/flags/accelerate.rs"
LIBRARIES = ("transformers", "trl", "peft", "accelerate", "torch")


def tables():
    """Every class by its full name."""
    found = {}
    for library in LIBRARIES:
        data = json.loads((TABLES / f"{library}.json").read_text(encoding="utf-8"))
        for row in data["classes"]:
            found[row["name"]] = row
    return found


def taken(row, classes):
    """The fields that the newest release takes, with those of the classes it is made from."""
    fields = dict(taken(classes[row["base"]], classes)) if row.get("base") in classes else {}
    for field in row["fields"]:
        # What a class no longer has of its own it may still have from its base.
        if not field.get("until"):
            fields[field["name"]] = field
    return fields


def real(path):
    """The names that the installed class takes with their defaults; None where it is not there or takes anything."""
    module, name = path.rsplit(".", 1)
    try:
        thing = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        return None
    # A constructor that somebody wrote has names of its own; the one that `dataclass` makes has those of the fields.
    made = getattr(getattr(thing, "__init__", None), "__code__", None)
    if dataclasses.is_dataclass(thing) and made is not None and made.co_filename == "<string>":
        return {f.name: f.default for f in dataclasses.fields(thing) if f.init}
    if not inspect.isclass(thing):
        return {p.name: p.default for p in inspect.signature(thing).parameters.values() if p.kind != p.VAR_KEYWORD}
    parameters = list(inspect.signature(thing.__init__).parameters.values())[1:]
    if any(p.kind == p.VAR_POSITIONAL for p in parameters):
        return None
    parameters = [p for p in parameters if p.kind != p.VAR_KEYWORD]
    return {p.name: p.default for p in parameters}


def plain(value):
    """A default as the tables write it, or None where it is no plain value."""
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return repr(value)
    return value if type(value) is str else None


def launcher(row):
    """The flags of the installed launcher against the table and against the list in the crate."""
    from accelerate.commands.launch import launch_command_parser

    actions = [action for action in launch_command_parser()._actions if action.option_strings]
    spelled = {option: action for action in actions for option in action.option_strings}
    ours = {f"--{field['name']}": field for field in row["fields"] if not field.get("until")}
    long = {option for option in spelled if option.startswith("--") and option.replace("-", "_").replace("__", "--", 1) == option}
    for option in sorted(long ^ set(ours)):
        yield f"{option}: {'the launcher' if option in long else 'the table'} alone has it"
    for option in sorted(long & set(ours)):
        action, field = spelled[option], ours[option]
        default, written = plain(action.default), field.get("default")
        if action.nargs == 0 and default == "null":
            default = "false"  # an empty switch
        if action.default is not argparse.SUPPRESS and default is not None and written not in (None, default):
            yield f"{option}: default {default}, {written} in the table"
        if [str(choice) for choice in action.choices or field.get("values", [])] != field.get("values", []):
            yield f"{option}: {action.choices}, {field.get('values')} in the table"
    text = FLAGS.read_text(encoding="utf-8")
    listed = {name: found[1] for found in re.finditer(r"Flag::(\w+)\(&\[([^\]]*)\]", text) for name in re.findall(r'"([^"]+)"', found[2])}
    gone = {f"--{field['name']}" for field in row["fields"] if field.get("until")}
    for option in sorted(set(spelled) ^ {name for name in listed if name.replace("-", "_").replace("__", "--", 1) not in gone}):
        yield f"{option}: {'the launcher' if option in spelled else 'the list of flags'} alone has it"
    for option in sorted(set(spelled) & set(listed)):
        if (spelled[option].nargs == 0) != (listed[option] in ("switch", "implies")):
            yield f"{option}: takes {spelled[option].nargs}, {listed[option]} in the list of flags"


def deepspeed():
    """The keys of the installed DeepSpeed, which its own parser asks for, against the table."""
    import importlib.util

    import keys

    root = pathlib.Path(importlib.util.find_spec("deepspeed").origin).parents[1]
    with tempfile.TemporaryDirectory() as scratch:
        answer = pathlib.Path(scratch) / "keys.json"
        subprocess.run([sys.executable, str(pathlib.Path(__file__).with_name("deepspeed_probe.py")), str(root), str(answer)], check=True)
        found = json.loads(answer.read_text(encoding="utf-8"))
    data = json.loads((TABLES.parent / "deepspeed.json").read_text(encoding="utf-8"))
    names = {spelling: said for path, said in found["keys"].items() for spelling in [path, *said.get("aliases", [])]}
    rows = {spelling: row for row in data["keys"] for spelling in [row["path"], *row.get("aliases", [])]}
    blocks = {path.rsplit(".", depth)[0] for path in rows for depth in range(1, path.count(".") + 1)}
    converted = tuple(f"{row['path']}." for row in data["keys"] if row.get("standing") == "converted")
    for path in sorted(set(names) - set(rows) - blocks):
        if not path.startswith(converted):
            yield f"{path}: the library alone reads it"
    for path, row in rows.items():
        said = names.get(path)
        if row.get("until"):
            if said is not None:
                yield f"{path}: gone in the table, read by the library"
            elif row.get("standing") == "refused" and "." not in path and path not in found["refused"]:
                yield f"{path}: refused in the table alone"
            continue
        if said is None:
            if not row["path"].startswith(keys.LATER) and row.get("standing") != "refused":
                yield f"{path}: the table alone knows it"
            continue
        default = said.get("default")
        if default is not None and row["kind"] not in ("map", "any") and keys.number(default) != keys.number(row.get("default", "null")):
            yield f"{path}: default {default}, {row.get('default')} in the table"
        if "kind" in said:
            for what in ("kind", "min", "above", "max", "below", "nullable"):
                written = row.get(what) or None if what == "nullable" else row.get(what)
                if written != said.get(what) and not (what == "kind" and "any" in (written, said[what])):
                    yield f"{path}: {what} {said.get(what)}, {written} in the table"
            if said.get("values") and said["values"] != row.get("values"):
                yield f"{path}: one of {said['values']}, {row.get('values')} in the table"
    written = {block["path"]: block["unknown"] for block in data["blocks"]}
    for path, refuses in found["blocks"].items():
        if f"{path}." not in converted and written.get(path) != ("rejects" if refuses else "ignores"):
            yield f"{path}: {'refuses' if refuses else 'takes'} unknown keys, {written.get(path)} in the table"


# Arguments that a class needs, or without which it looks no further.
FILE = {"compute_environment": "LOCAL_MACHINE", "distributed_type": "NO", "mixed_precision": "no", "use_cpu": False, "debug": False}
NEEDED = {
    "AdaLoraConfig": {"total_step": 2000, "tinit": 1, "tfinal": 1},
    "DataLoader": {"dataset": [0], "num_workers": 1},
    "ClusterConfig": FILE,
    "SageMakerConfig": {**FILE, "compute_environment": "AMAZON_SAGEMAKER", "ec2_instance_type": "m", "iam_role_name": "r"},
}


def accepts(path, given):
    """What the installed class says of these arguments: nothing, or the text of its error."""
    module, name = path.rsplit(".", 1)
    made = getattr(importlib.import_module(module), name)
    needed = NEEDED.get(name, {})
    if "output_dir" in inspect.signature(made).parameters:
        needed = {"output_dir": "unused", "use_cpu": True, "bf16": False}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            made(**{**needed, **given})
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def limits(path, row):
    """Bounds and closed sets, by giving the class what is just outside and what is inside."""
    for field in row["fields"]:
        name = field["name"]
        if field.get("until") or path.startswith("accelerate.launch"):
            continue
        step = 1 if field["kind"] == "int" else 0.5
        tries = [(field[word] + sign * step * outside, outside) for word, sign, outside in
                 (("min", -1, 1), ("min", 1, 0), ("max", 1, 1), ("max", 1, 0)) if word in field]
        tries += [(field[word] + sign * step * inside, 1 - inside) for word, sign, inside in
                  (("above", 1, 0), ("above", 1, 1), ("below", -1, 0), ("below", -1, 1)) if word in field]
        for value, outside in [] if "bounds_by" in field else tries:
            value = int(value) if field["kind"] == "int" else value
            said = accepts(path, {name: value})
            yield None if bool(said) == bool(outside) else f"{path}.{name}: {value} is {'accepted' if outside else said}"
        if field.get("closed"):
            yield None if accepts(path, {name: "nonsense"}) else f"{path}.{name}: nonsense is accepted"
            for value in field["values"]:
                said = accepts(path, {name: value}) or ""
                yield f"{path}.{name}: {value}: {said}" if "not a valid" in said else None


def main():
    classes, wrong, compared, tried = tables(), [], 0, 0
    for path, row in sorted(classes.items()):
        if path == "accelerate.launch":
            wrong += [f"accelerate launch {text}" for text in launcher(row)]
            compared += 1
            continue
        there = real(path)
        if there is None:
            continue
        compared += 1
        ours = taken(row, classes)
        wrong += [f"{path}: the library takes {name}, the table does not" for name in sorted(set(there) - set(ours))]
        wrong += [f"{path}: the table takes {name}, the library does not" for name in sorted(set(ours) - set(there))]
        for name in sorted(set(ours) & set(there)):
            default, written = plain(there[name]), ours[name].get("default")
            # The default of `optim` depends on the torch that is installed.
            if name != "optim" and default is not None and written not in (None, "", default) and str(written).strip("\"'") != default:
                wrong.append(f"{path}.{name}: default {default} in the library, {written} in the table")
        answers = list(limits(path, row))
        tried += len(answers)
        wrong += [answer for answer in answers if answer]
    wrong += [f"deepspeed {text}" for text in deepspeed()]
    for text in wrong:
        print(text)
    print(f"{compared} classes and the keys of DeepSpeed compared, {tried} values tried at bounds and sets, {len(wrong)} differences")
    return 1 if wrong or not compared else 0


sys.exit(main())
