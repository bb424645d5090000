"""Loads earlier releases and compares the tables, evaluated there, with the classes that Python then has.

    python run_past.py [LIBRARY VERSION]     in the environment of `compare.py`; without arguments the releases of `past.py`

`past.py` reads sources as `history.py` does; this here does not read, it runs. A wheel is unpacked beside the installed libraries;
modules and names that these no longer have are stood in for, so a class whose bases are among them is left out.
"""

import dataclasses
import importlib
import importlib.abc
import importlib.machinery
import inspect
import json
import logging
import pathlib
import subprocess
import sys
import tempfile
import types
import warnings
import zipfile
from unittest import mock

MISSING = ("requests", "httpx", "httpcore", "importlib_metadata", "tyro")


class Stand(types.ModuleType):
    """Has every name: a class that does nothing."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (Exception if name.endswith(("Error", "Exception", "Timeout")) else object,), {})
        setattr(self, name, made)
        return made


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The last that is asked: gives stand-ins of what is not installed."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in MISSING or name.startswith(("huggingface_hub.", "transformers.")):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Stand(spec.name)

    def exec_module(self, module):
        pass


def lenient(module: types.ModuleType) -> None:
    """Names that the installed library no longer has become empty classes."""
    before = getattr(module, "__getattr__", None)

    def give(name):
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            if before:
                return before(name)
        except (AttributeError, ImportError):
            pass
        if importlib.machinery.PathFinder.find_spec(f"{module.__name__}.{name}", module.__path__):
            return importlib.import_module(f"{module.__name__}.{name}")
        return Stand.__getattr__(module, name)

    module.__getattr__ = give


def taken(thing, library: str) -> dict | None:
    """Names and defaults that the library itself gives to a class or function."""
    made = getattr(getattr(thing, "__init__", None), "__code__", None)
    if dataclasses.is_dataclass(thing) and made is not None and made.co_filename == "<string>":
        own = {name for part in thing.__mro__ if part.__module__.split(".")[0] == library for name in part.__dict__.get("__annotations__", {})}
        return {field.name: plain(field.default) for field in dataclasses.fields(thing) if field.init and field.name in own}
    function = thing.__init__ if inspect.isclass(thing) else thing
    parameters = [part for part in inspect.signature(function).parameters.values() if part.name != "self"]
    if any(part.kind == part.VAR_POSITIONAL for part in parameters):
        return None
    return {part.name: plain(part.default) for part in parameters if part.kind != part.VAR_KEYWORD}


def plain(value):
    """A default in the words of the tables; None where it has none or is no plain value."""
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return repr(value)
    return value if type(value) is str else None


def child(root: str, library: str, names: list[str]) -> None:
    """In a process of its own: loads the release and prints what its classes take."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    sys.path.insert(0, root)
    check = types.ModuleType("transformers.dependency_versions_check")
    check.dep_version_check = lambda *_args, **_named: None
    sys.modules["transformers.dependency_versions_check"] = check
    sys.meta_path.append(Finder())
    for other in {"transformers": ("huggingface_hub",), "trl": ("huggingface_hub", "transformers", "peft")}.get(library, ("huggingface_hub", "transformers")):
        lenient(importlib.import_module(other))
    found = {}
    for name in names:
        thing = None
        for depth in range(1, name.count(".") + 1):
            parts = name.rsplit(".", depth)
            try:
                thing = importlib.import_module(parts[0])
                for part in parts[1:]:
                    thing = getattr(thing, part)
                break
            except (ImportError, AttributeError, RuntimeError, TypeError) as error:
                thing = None
                found[name] = f"{type(error).__name__}: {error}"[:200]
        if thing is not None and not isinstance(thing, mock.Mock):
            found[name] = taken(thing, library)
    print("\n" + json.dumps(found))


def compare(library: str, version: str) -> tuple[int, int, list[str], list[str]]:
    """Classes and facts compared, differences, and what could not be loaded."""
    import history
    import past
    import releases

    table = {row["name"]: row for row in json.loads((history.DATA / f"{library}.json").read_text(encoding="utf-8"))["classes"]}
    names = [name for name, row in table.items() if past.holds(row, version) and not name.endswith((".from_pretrained", ".launch"))]
    with tempfile.TemporaryDirectory() as root:
        zipfile.ZipFile(releases.archive(library, version)).extractall(root)
        run = subprocess.run([sys.executable, __file__, "--child", root, library, *names], capture_output=True, text=True)
    if run.returncode:
        return 0, 0, [], [run.stderr.strip().splitlines()[-1][:200]]
    classes, facts, wrong, left = 0, 0, [], []
    for name, there in json.loads(run.stdout.strip().splitlines()[-1]).items():
        if not isinstance(there, dict):
            left.append(f"{name}: {there}")
            continue
        classes += 1
        rows = {}
        for part in (table[name].get("base"), name):
            rows.update({field["name"]: field for field in table.get(part, {"fields": []})["fields"] if past.holds(field, version)})
        # The signature does not show a name that a decorator still takes.
        ours = {field for field, row in rows.items() if field in there or not ("tokenizer" == field and "processing_class" in there)}
        for field in sorted(ours ^ set(there)):
            wrong.append(f"{library} {version} {name}.{field}: {'the release' if field in there else 'the table'} alone has it")
        for field in sorted(ours & set(there)):
            facts += 1
            wanted = past.default_at(rows[field], version)
            # `optim` depends on torch. What an enumeration or a factory gives is no plain value.
            if field != "optim" and there[field] is not None and wanted not in (None, "computed") and past.keys.number(wanted) != past.keys.number(there[field]):
                wrong.append(f"{library} {version} {name}.{field}: default {there[field]}, {wanted} in the table")
    return classes, facts, wrong, left


def main() -> None:
    import past

    chosen = [tuple(sys.argv[1:3])] if len(sys.argv) > 2 else [
        (library, version) for library in ("transformers", "trl", "peft", "accelerate") for version in past.VERSIONS[library]]
    total = 0
    for library, version in chosen:
        classes, facts, wrong, left = compare(library, version)
        print(f"{library} {version}: {classes} classes, {facts} names with defaults, {len(wrong)} differences, {len(left)} not loaded", flush=True)
        for text in wrong:
            print("  " + text)
        if "--left" in sys.argv:
            for text in left:
                print("  not loaded: " + text)
        total += len(wrong)
    sys.exit(1 if total else 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        sys.path.remove(str(pathlib.Path(__file__).resolve().parent))
        child(sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        main()
