"""Compares the tables with the libraries that are installed: the names that a class or a block takes, and plain defaults.

    python compare.py        in an environment with transformers, trl, peft, accelerate and deepspeed

Prints every difference and exits with 1 if there is any. The tables are made by `history.py`.
"""
import dataclasses
import importlib
import inspect
import json
import pathlib
import sys

TABLES = pathlib.Path(__file__).resolve().parents[2] / "crates/vramlint_catalog/data/classes"
LIBRARIES = ("transformers", "trl", "peft", "accelerate")


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


def keys(tool):
    """The rows of a table of keys that the measured version takes, by path; other spellings too."""
    data = json.loads((TABLES.parent / f"{tool}.json").read_text(encoding="utf-8"))
    rows = {}
    for row in data["keys"]:
        standing = row.get("standing", "current")
        if standing in ("current", "converted") or standing == "ignored" and not row.get("until"):
            rows.update({path: row for path in [row["path"], *row.get("aliases", [])]})
    return rows


def files():
    """Names that a loader takes and those of our table, by the block that they stand in."""
    try:
        from accelerate.commands.config.config_args import ClusterConfig
    except ImportError:
        pass
    else:
        ours = {path for path in keys("accelerate") if "." not in path}
        # The loader turns two old spellings into others before the class sees them.
        yield "accelerate", {f.name for f in dataclasses.fields(ClusterConfig)}, ours - {"fp16", "dynamo_backend"}
    try:
        from deepspeed.runtime.zero.config import DeepSpeedZeroConfig
        from deepspeed.runtime.zero.offload_config import DeepSpeedZeroOffloadOptimizerConfig, DeepSpeedZeroOffloadParamConfig
        from deepspeed.runtime.precision_config import DeepSpeedBF16Config, DeepSpeedFP16Config
    except ImportError:
        return
    blocks = {
        "zero_optimization": DeepSpeedZeroConfig,
        "zero_optimization.offload_optimizer": DeepSpeedZeroOffloadOptimizerConfig,
        "zero_optimization.offload_param": DeepSpeedZeroOffloadParamConfig,
        "bf16": DeepSpeedBF16Config,
        "fp16": DeepSpeedFP16Config,
    }
    table = keys("deepspeed")
    for block, model in blocks.items():
        inside = {path.removeprefix(block + ".").split(".")[0] for path in table if path.startswith(block + ".")}
        names = {alias for name, field in model.model_fields.items() for alias in (name, field.alias or name)}
        yield f"deepspeed {block}", names, inside


def main():
    classes, wrong, compared = tables(), 0, 0
    for what, there, ours in files():
        compared += 1
        for name in sorted(there ^ ours):
            print(f"{what}: {'the library' if name in there else 'the table'} alone knows {name}")
            wrong += 1
    for path, row in sorted(classes.items()):
        there = real(path)
        if there is None:
            continue
        compared += 1
        ours = taken(row, classes)
        for name in sorted(set(there) - set(ours)):
            print(f"{path}: the library takes {name}, the table does not")
            wrong += 1
        for name in sorted(set(ours) - set(there)):
            print(f"{path}: the table takes {name}, the library does not")
            wrong += 1
        for name in sorted(set(ours) & set(there)):
            default = plain(there[name])
            written = ours[name].get("default")
            # The default of `optim` depends on the torch that is installed.
            if name != "optim" and default is not None and written not in (None, "", default) and str(written).strip("\"'") != default:
                print(f"{path}.{name}: default {default} in the library, {written} in the table")
                wrong += 1
    print(f"{compared} classes and blocks compared, {wrong} differences")
    return 1 if wrong or not compared else 0


sys.exit(main())
