"""What one release of DeepSpeed takes in its JSON: its own parser is run on a dictionary that notes what it is asked for.

    python deepspeed_probe.py FOLDER FILE [FOLDER FILE ...]        each FOLDER holds the `deepspeed` package of a release

Needs torch, pydantic and hjson, but not DeepSpeed: only the modules that read the configuration are loaded, all others are
stand-ins. Blocks that are pydantic models are told by a mark that the dictionary carries into them.
"""

import copy
import enum
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import json
import logging
import os
import pathlib
import sys
import types
import typing
from unittest import mock

MARK = "__mark__"
# Modules that are loaded: they define configuration and import little else.
REAL = {"config", "config_utils", "constants", "offload_config", "leaf_module_config", "precision_config", "compiler", "loss_scaler",
        "aio_config", "zenflow_config", "pydantic_v1", "elasticity", "autotp_config",
        "swap_tensor", "zenflow"}


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads modules of configuration, makes empty packages of folders and stand-ins of the rest."""

    def __init__(self, root: pathlib.Path):
        self.root = root

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] != "deepspeed":
            return None
        place = self.root.joinpath(*name.split("."))
        last = name.rsplit(".", 1)[-1]
        file = place.with_suffix(".py")
        if file.is_file() and (last in REAL or ".auto_ep_" in name):
            return importlib.util.spec_from_file_location(name, file)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = Stand(spec.name)
        module.__path__ = [str(self.root.joinpath(*spec.name.split(".")))]
        return module

    def exec_module(self, module):
        pass


class Stand(types.ModuleType):
    """A package whose first file is not run: what it would give comes from its modules, or stands in."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("get_rank", "get_world_size"):
            # One process.
            return lambda *_args, **_named: int(name == "get_world_size")
        if name == "logger":
            return logging.getLogger("quiet")
        place = pathlib.Path(self.__path__[0])
        if (place / f"{name}.py").is_file() or (place / name).is_dir():
            return importlib.import_module(f"{self.__name__}.{name}")
        for inner in ("config", "elasticity", "zenflow_config", "constants"):
            if (place / f"{inner}.py").is_file():
                module = importlib.import_module(f"{self.__name__}.{inner}")
                if name in vars(module):
                    return vars(module)[name]
        return mock.MagicMock()


class Trace(dict):
    """A mapping that notes every key it is asked for, with the default that stands beside it."""

    def __init__(self, path: str, notes: dict, content: dict):
        super().__init__(content)
        self.path, self.notes = path, notes

    def note(self, key, **more):
        if isinstance(key, str) and key != MARK:
            self.notes.setdefault(f"{self.path}.{key}" if self.path else key, {}).update(more)

    def get(self, key, default=None):
        self.note(key, default=default)
        return super().get(key, default)

    def __contains__(self, key):
        self.note(key)
        return super().__contains__(key)

    def __getitem__(self, key):
        self.note(key)
        return super().__getitem__(key)

    def pop(self, key, *default):
        if super().__contains__(key):
            return super().pop(key)
        self.note(key, **({"default": default[0]} if default else {}))
        return super().pop(key, *default)

    def keys(self):
        outer = self

        class Keys:
            def __contains__(self, key):
                return key in outer

            def __iter__(self):
                return iter(list(dict.keys(outer)))

        return Keys()

    def __copy__(self):
        return Trace(self.path, self.notes, dict(dict.items(self)))

    copy = __copy__

    def __deepcopy__(self, memo):
        return Trace(self.path, self.notes, {key: copy.deepcopy(value, memo) for key, value in dict.items(self)})


def show(value):
    """A default in the words of the tables; nothing for what is no plain value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, enum.Enum):
        return show(value.value)
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        parts = [show(part) for part in value]
        return None if None in parts else json.dumps(list(value)) if all(isinstance(part, str) for part in value) else "[" + ", ".join(parts) + "]"
    if isinstance(value, dict):
        return "{}" if not value else None
    if type(value).__module__ == "torch":
        return str(value)
    return None


KINDS = {bool: "bool", int: "int", float: "float", str: "text", list: "list", tuple: "list", set: "list", dict: "map"}


def told(hint, models) -> dict:
    """What an annotation says: kinds, values of enumerations, whether None is fine, models inside."""
    found = {"kinds": [], "values": [], "nullable": False, "models": []}

    def walk(part):
        origin = typing.get_origin(part)
        if part is type(None) or part is None:
            found["nullable"] = True
        elif origin is typing.Union or origin is getattr(types, "UnionType", None):
            for inner in typing.get_args(part):
                walk(inner)
        elif origin is typing.Literal:
            for inner in typing.get_args(part):
                found["kinds"].append(KINDS.get(type(inner), "any"))
                found["values"].append(show(inner))
        elif origin is typing.Annotated:
            walk(typing.get_args(part)[0])
        elif origin is not None:
            found["kinds"].append(KINDS.get(origin, "any"))
        elif inspect.isclass(part) and issubclass(part, models):
            found["kinds"].append("map")
            found["models"].append(part)
        elif inspect.isclass(part) and issubclass(part, enum.Enum):
            values = [member.value for member in part]
            found["kinds"].append("text" if all(isinstance(value, str) for value in values) else "int" if all(
                isinstance(value, int) for value in values) else "any")
            found["values"] += [show(value) for value in values]
        else:
            plain = next((kind for base, kind in KINDS.items() if inspect.isclass(part) and issubclass(part, base)), "any")
            found["kinds"].append(plain)

    walk(hint)
    kinds = list(dict.fromkeys(found["kinds"]))
    found["kind"] = kinds[0] if len(kinds) == 1 else "float" if set(kinds) == {"int", "float"} else "any"
    return found


BOUNDS = {"ge": "min", "gt": "above", "le": "max", "lt": "below"}


def model_fields(model, models) -> tuple[dict, bool]:
    """Field -> what the model says of it, for both generations of pydantic; and whether it refuses other names."""
    found = {}
    if hasattr(model, "model_fields"):
        for name, field in model.model_fields.items():
            said = told(field.annotation, models)
            extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
            bounds = {BOUNDS[word]: value for part in field.metadata for word in BOUNDS
                      if (value := getattr(part, word, None)) is not None}
            factory = field.default_factory
            default = factory() if factory else field.default
            found[name] = {**said, **bounds, "alias": field.alias, "required": field.is_required(), "default": default,
                           "deprecated": bool(extra.get("deprecated") or field.deprecated), "instead": extra.get("new_param")}
        refuses = model.model_config.get("extra") == "forbid"
    else:
        hints = typing.get_type_hints(model)
        for name, field in model.__fields__.items():
            said = told(hints.get(name, field.outer_type_), models)
            info, extra = field.field_info, field.field_info.extra
            bounds = {BOUNDS[word]: value for word in BOUNDS if (value := getattr(info, word, None)) is not None}
            default = field.get_default()
            found[name] = {**said, **bounds, "nullable": said["nullable"] or field.allow_none,
                           "alias": field.alias if field.alias != name else None, "required": bool(field.required), "default": default,
                           "deprecated": bool(extra.get("deprecated")), "instead": extra.get("new_param")}
        refuses = str(getattr(model.__config__, "extra", "")).endswith("forbid")
    for field in found.values():
        if type(field["default"]).__name__ in ("PydanticUndefinedType", "UndefinedType", "ellipsis"):
            field["default"] = None
    return found, refuses


def parse(root: pathlib.Path) -> dict:
    """Keys and blocks of the release whose package lies in `root`."""
    if not (root / "deepspeed/pydantic_v1.py").is_file() and "ConfigDict" not in (root / "deepspeed/runtime/config_utils.py").read_text():
        # Releases up to 0.9 were written for pydantic 1.
        import pydantic.v1

        sys.modules["pydantic"] = pydantic.v1
    sys.meta_path.insert(0, Finder(root))
    package = Stand("deepspeed")
    package.__path__ = [str(root / "deepspeed")]
    sys.modules["deepspeed"] = package
    base = importlib.import_module("deepspeed.runtime.config_utils").DeepSpeedConfigModel
    models, marks = base.__mro__[1], {}
    made = base.__init__

    def marked(self, *args, **data):
        path = data.pop(MARK, None)
        if path:
            marks[path] = type(self)
        made(self, *args, **data)

    base.__init__ = marked
    config = importlib.import_module("deepspeed.runtime.config")
    # What a whole file needs beyond its keys is not asked here.
    config.DeepSpeedConfig._configure_train_batch_size = lambda self: setattr(self, "gradient_accumulation_steps", 1)
    config.DeepSpeedConfig._do_sanity_check = lambda self: self._do_warning_check()
    notes, errors = {}, []

    def run(content) -> None:
        try:
            config.DeepSpeedConfig(content)
        except Exception as error:  # the file is not whole; what was read until here is known
            errors.append(f"{type(error).__name__}: {str(error)[:100]}")

    def block(path: str, **content) -> Trace:
        """A file in which only the block at `path` stands."""
        parts = path.split(".")
        inner = Trace(path, notes, {MARK: path, **content})
        for depth in range(len(parts) - 1, -1, -1):
            inner = Trace(".".join(parts[:depth]), notes, {parts[depth]: inner})
        return inner

    run(Trace("", notes, {}))
    tried = set()
    while left := [path for path in notes if path not in tried and path.count(".") < 5]:
        for path in left:
            tried.add(path)
            run(block(path))
            run(block(path, enabled=True))
    # The oldest form of ZeRO's block is a truth value with keys beside it.
    run(Trace("", notes, {"zero_optimization": True}))
    if hasattr(config, "get_pipeline_config"):
        for key, default in config.get_pipeline_config({}).items():
            notes.setdefault(f"pipeline.{key}", {})["default"] = default
    if (root / "deepspeed/module_inject/autotp_config.py").is_file():
        path = "tensor_parallel.partition_config"
        layer = Trace(f"{path}.layer_specs[]", notes, {})
        try:
            importlib.import_module("deepspeed.module_inject.autotp_config").AutoTPConfig.from_dict(Trace(path, notes, {"layer_specs": [layer]}))
        except Exception as error:
            errors.append(f"{path}: {error}")
    found = {path: {"default": show(note.get("default")) if "default" in note else None} for path, note in notes.items()}
    blocks = {}

    def add(path: str, model) -> None:
        said, refuses = model_fields(model, models)
        blocks[path] = refuses
        for name, field in said.items():
            inner, own = field.pop("models"), f"{path}.{field['alias'] or name}"
            kept = {key: value for key, value in field.items() if key not in ("alias", "kinds", "default") and value is not None
                    and value is not False and value != []}
            found[own] = {**kept, "default": show(field["default"]), "aliases": [f"{path}.{name}"] if field["alias"] else []}
            for part in inner:
                add(own, part)

    for path, model in marks.items():
        if path.rpartition(".")[0] not in marks:
            add(path, model)
    # Names that it asks for only to refuse the file.
    refused = [*getattr(config, "_REMOVED_TOP_LEVEL_CONFIG_KEYS", ()),
               *(f"zero_optimization.{name}" for name in getattr(config, "_REMOVED_ZERO_CONFIG_KEYS", ()))]
    found = {path: said for path, said in found.items() if path not in refused}
    return {"keys": found, "blocks": blocks, "refused": refused, "errors": sorted(set(errors))}


def main() -> None:
    logging.disable(logging.CRITICAL)
    import pydantic  # noqa: F401
    import torch  # noqa: F401  its types are named by the models

    for root, target in zip(sys.argv[1::2], sys.argv[2::2]):
        child = os.fork()
        if child == 0:
            try:
                found = parse(pathlib.Path(root))
                pathlib.Path(target).write_text(json.dumps(found, default=str))
            except BaseException as error:
                print(f"{root}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
                os._exit(1)
            os._exit(0)
        os.waitpid(child, 0)


main()
