"""What the classes of one release take, as plain data; kept in a cache beside the archives."""

import ast
import concurrent.futures
import json
import pathlib
import re
import sys

import archive
import classes
import fields
import frameworks
import releases

READERS = ["archive.py", "classes.py", "fields.py", "frameworks.py", "snapshot.py", "values.py"]


def snapshot(library: str, version: str) -> dict:
    """Class -> what it takes in this release. Classes that the release lacks are left out."""
    cache = releases.CACHE.parent / "snapshots" / library / f"{version}.json"
    here = pathlib.Path(__file__).parent
    newest = max((here / reader).stat().st_mtime for reader in READERS)
    if cache.is_file() and cache.stat().st_mtime > newest:
        return json.loads(cache.read_text())
    source = archive.Archive(library, version)
    index = archive.Index(source, classes.FILES[library])
    found = {}
    for spec in classes.CLASSES[library]:
        taken = read(source, index, spec)
        if taken:
            found[spec["name"]] = taken
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_text(json.dumps(found))
    return found


def read(source: archive.Archive, index: archive.Index, spec: dict) -> dict | None:
    """One class of one release."""
    if spec["kind"] == "dataclass":
        return dataclass(source, index, spec)
    if spec["kind"] == "argparse":
        return frameworks.argparse_flags(source, spec["file"])
    if spec["kind"] == "recipes":
        return frameworks.recipe_keys(source)
    last = spec["name"].rsplit(".", 1)[-1]
    if spec["kind"] == "function":
        found = index.find(last, function=True)
        if not found:
            return None
        taken, more = fields.parameters(index, *found)
        return {"path": found[0], "fields": taken, "rest": more, "exported": exported(source, last)}
    owner = last if spec["kind"] == "constructor" else spec.get("of") or spec["name"].split(".")[-2]
    method = "__init__" if spec["kind"] == "constructor" else last
    found = index.find(owner)
    if not found:
        return None
    function = inherited(index, found, method)
    if not function:
        return None
    path, node = function
    taken, more = fields.parameters(index, path, node, ast.get_docstring(found[1]) or "")
    for decorator in node.decorator_list:
        renamed(decorator, taken, path)
    if spec.get("popped"):
        taken.update({name: field for name, field in fields.popped(node, index, path).items() if name not in taken})
        auto = index.find("_BaseAutoModelClass")
        if auto and (chosen := inherited(index, auto, "from_pretrained")):
            taken.update({name: field for name, field in fields.popped(chosen[1], index, chosen[0]).items() if name not in taken})
            for statement in ast.walk(chosen[1]):
                if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "hub_kwargs_names":
                    for item in statement.value.elts:
                        taken.setdefault(item.value, {"kind": "any", "nullable": True, "values": [], "enum": None,
                                                      "at": f"{chosen[0]}:{item.lineno}"})
    return {"path": path, "fields": taken, "rest": more, "exported": exported(source, owner)}


def renamed(decorator: ast.expr, taken: dict, path: str) -> None:
    """`@deprecate_kwarg("tokenizer", new_name="processing_class", version="5.0.0")`: the old name is still taken."""
    if not isinstance(decorator, ast.Call) or not ast.unparse(decorator.func).endswith("deprecate_kwarg"):
        return
    old = next((a.value for a in decorator.args if isinstance(a, ast.Constant)), None)
    new = next((k.value.value for k in decorator.keywords if k.arg == "new_name" and isinstance(k.value, ast.Constant)), None)
    if old and old not in taken:
        taken[old] = {"kind": taken.get(new, {}).get("kind", "any"), "nullable": True, "values": [], "enum": None, "deprecated": True,
                      "instead": new, "at": f"{path}:{decorator.lineno}"}


def inherited(index: archive.Index, found: tuple, method: str):
    """The method of a class or of the first of its bases that has it."""
    path, node = found
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == method:
            if [argument.arg for argument in statement.args.args] != ["self"] or statement.args.vararg is None:
                return path, statement
    # Not there, or `*args, **kwargs` for the base.
    for base in node.bases:
        own = fields.shimmed(index, ast.unparse(base).rsplit(".", 1)[-1], path)
        if own and own[1] is not node and (function := inherited(index, own, method)):
            return function
    return None


def dataclass(source: archive.Archive, index: archive.Index, spec: dict) -> dict | None:
    """The fields of a dataclass, or of several that one parser fills together."""
    last = spec["name"].rsplit(".", 1)[-1]
    taken, foreign, path = {}, [], None
    for part in spec.get("parts", [last]):
        found = index.find(part)
        if not found:
            continue
        path = path or found[0]
        if spec.get("own"):
            # Its base stands in the tables itself.
            own = ast.ClassDef(found[1].name, [], [], found[1].body, [])
            more, bases = fields.dataclass_fields(index, found[0], own)
            bases = [ast.unparse(base) for base in found[1].bases]
        else:
            more, bases = fields.dataclass_fields(index, *found)
        taken.update(more)
        foreign.extend(bases)
    if path is None:
        return None
    known = {"TrainingArguments", "Seq2SeqTrainingArguments", "HfTrainingArguments", "HfSeq2SeqTrainingArguments"}
    return {"path": path, "fields": taken, "rest": False, "based": bool(set(foreign) & known) or any("TrainingArguments" in b for b in foreign),
            "exported": exported(source, last)}


def exported(source: archive.Archive, name: str) -> bool:
    """Whether the package's first file names it: `from trl import NAME` works."""
    package = {"ms-swift": "swift"}.get(source.library, source.library)
    try:
        return re.search(rf"\b{re.escape(name)}\b", source.text(f"{package}/__init__.py")) is not None
    except KeyError:
        return False


def main() -> None:
    """Reads one release (`trl 0.20.0`) or all that the cache has (`trl`)."""
    library, *versions = sys.argv[1:]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for _ in pool.map(snapshot, [library] * 1000, versions or releases.cached(library)):
            pass


if __name__ == "__main__":
    main()
