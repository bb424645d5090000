"""Readers of what frameworks take without a class: argparse flags and the keys of recipes."""

import ast
import copy
import re

from archive import Archive, Index
from fields import put_default
from values import NotConstant, constant, show

TYPES = {"int": "int", "float": "float", "str": "text", "_validate_ratio": "float"}


class Binding(ast.NodeTransformer):
    """Puts a constant for the variable of a loop, and folds what it decides: f-strings, comparisons."""

    def __init__(self, name: str, value: ast.Constant):
        self.name, self.value = name, value

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Constant(self.value.value), node) if node.id == self.name else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.generic_visit(node)
        parts = [part.value if isinstance(part, ast.FormattedValue) else part for part in node.values]
        if all(isinstance(part, ast.Constant) for part in parts):
            return ast.copy_location(ast.Constant("".join(str(part.value) for part in parts)), node)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        test = node.test
        sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq) else []
        if len(sides) == 2 and all(isinstance(side, ast.Constant) for side in sides):
            return node.body if sides[0].value == sides[1].value else node.orelse
        return node


def calls_unrolled(tree: ast.AST) -> list[ast.Call]:
    """Every call; in `for prefix in ("actor", "critic"):` once for each constant."""
    found = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call):
            found.append(node)
        values = node.iter.elts if isinstance(node, ast.For) and isinstance(node.iter, (ast.Tuple, ast.List)) else []
        if values and isinstance(node.target, ast.Name) and all(isinstance(value, ast.Constant) for value in values):
            for value in values:
                body = ast.Module(copy.deepcopy(node.body), [])
                found += calls_unrolled(Binding(node.target.id, value).visit(body))
        else:
            found += calls_unrolled(node)
    return found


def argparse_flags(source: Archive, pattern: str) -> dict | None:
    """The flags of a program, without their dashes."""
    files = source.matching(pattern)
    if not files:
        return None
    path = files[0]
    index = Index(source, rf"^{re.escape(path)}$")
    fields, aliases = {}, {}
    for node in calls_unrolled(source.tree(path)):
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "add_argument":
            continue
        flags = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and str(arg.value).startswith("--")]
        if not flags:
            continue
        arguments = {keyword.arg: keyword.value for keyword in node.keywords}
        action = arguments["action"].value if isinstance(arguments.get("action"), ast.Constant) else ""
        said = ast.unparse(arguments["type"]) if "type" in arguments else "str"
        kind = "bool" if action in ("store_true", "store_false") else TYPES.get(said, "any")
        field = {"kind": "list" if "nargs" in arguments else kind, "nullable": False, "values": [], "enum": None, "at": f"{path}:{node.lineno}"}
        if kind == "bool":
            field["default"] = "true" if action == "store_false" else "false"
        else:
            put_default(field, arguments.get("default", ast.Constant(None)), index, {})
        field.pop("required", None)
        if isinstance(arguments.get("required"), ast.Constant) and arguments["required"].value:
            field["required"] = True
            field.pop("default", None)
        if "choices" in arguments:
            try:
                field.update(values=[show(value) for value in constant(arguments["choices"], index, {})], closed=True)
            except NotConstant:
                pass
        for flag in flags:
            fields[flag.removeprefix("--")] = dict(field)
    return {"path": path, "fields": fields, "rest": False, "exported": True}


def recipe_keys(source: Archive) -> dict | None:
    """The keys that torchtune's recipes read (`cfg.key`, `cfg.get("key")`) or that its configurations set, at their top."""
    fields: dict[str, dict] = {}
    for path in source.matching(r"^recipes/configs/.*\.yaml$"):
        for number, line in enumerate(source.text(path).splitlines(), 1):
            entry = re.match(r"([a-z_]\w*):\s*(.*?)\s*(?:#.*)?$", line)
            if entry:
                note(fields, entry[1], literal(entry[2]), f"{path}:{number}")
    for path in source.matching(r"^recipes/\w+\.py$"):
        for node in ast.walk(source.tree(path)):
            name = None
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("cfg", "cfg_"):
                name = node.attr
            elif (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get"
                  and ast.unparse(node.func.value) == "cfg" and node.args and isinstance(node.args[0], ast.Constant)):
                name = node.args[0].value
            if name and re.fullmatch(r"[a-z_]\w*", name) and name not in ("get", "pop", "items", "keys", "update"):
                note(fields, name, None, f"{path}:{node.lineno}")
    if not fields:
        return None
    for field in fields.values():
        kinds = field.pop("seen")
        field["kind"] = "float" if kinds == {"int", "float"} else next(iter(kinds)) if len(kinds) == 1 else "any"
    return {"path": "recipes", "fields": fields, "rest": True, "exported": True}


def literal(text: str) -> str | None:
    """The kind of a plain scalar, roughly; nothing for one that says nothing."""
    if text in ("", "null", "None", "~"):
        return "map" if text == "" else None
    if text in ("True", "False", "true", "false"):
        return "bool"
    if re.fullmatch(r"-?\d+", text):
        return "int"
    if re.fullmatch(r"-?\d*\.?\d+(e-?\d+)?", text):
        return "float"
    if text.startswith("["):
        return "list"
    return None if text.startswith("$") else "text"


def note(fields: dict, name: str, kind: str | None, at: str) -> None:
    """Adds a place that uses a key."""
    field = fields.setdefault(name, {"kind": "any", "seen": set(), "nullable": False, "values": [], "enum": None, "at": at})
    if kind:
        field["seen"].add(kind)
