"""Annotations and defaults of Python, in the words of the tables."""

import ast

from archive import Index

KINDS = {
    "str": "text", "int": "int", "float": "float", "bool": "bool", "list": "list", "List": "list", "Sequence": "list", "tuple": "list",
    "Tuple": "list", "set": "list", "Set": "list", "dict": "map", "Dict": "map", "Mapping": "map", "dtype": "text", "PathLike": "text",
    "NonNegativeInt": "int", "PositiveInt": "int", "NonNegativeFloat": "float", "PositiveFloat": "float", "StrictBool": "bool",
    "StrictInt": "int", "StrictStr": "text", "conint": "int", "confloat": "float", "Path": "text", "DictDefault": "map", "timedelta": "any",
}


def show(value: object) -> str | None:
    """A constant as configuration writes it; nothing for what is no constant of configuration."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        parts = [show(item) for item in value]
        return None if None in parts else "[" + ", ".join(parts) + "]"
    if isinstance(value, dict):
        return "{}" if not value else None
    return None


class NotConstant(Exception):
    """The expression has no value that is known without running the program."""


def constant(node: ast.expr, index: Index, names: dict[str, ast.expr], depth: int = 0):
    """The value of an expression of constants, members of enumerations and names that are bound to such."""
    if depth > 8:
        raise NotConstant
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -constant(node.operand, index, names, depth + 1)
    if isinstance(node, ast.BinOp):
        left, right = constant(node.left, index, names, depth + 1), constant(node.right, index, names, depth + 1)
        operations = {ast.Mult: lambda: left * right, ast.Pow: lambda: left**right, ast.Add: lambda: left + right,
                      ast.Sub: lambda: left - right, ast.Div: lambda: left / right}
        if type(node.op) in operations:
            return operations[type(node.op)]()
    if isinstance(node, (ast.List, ast.Tuple)):
        return [constant(item, index, names, depth + 1) for item in node.elts]
    if isinstance(node, ast.Dict) and not node.keys:
        return {}
    if isinstance(node, ast.Name):
        bound = names.get(node.id) or index.bound(node.id)
        if bound is not None:
            return constant(bound, index, names, depth + 1)
    if isinstance(node, ast.Attribute):
        if node.attr == "value":
            return constant(node.value, index, names, depth + 1)
        members = index.members(ast.unparse(node.value).rsplit(".", 1)[-1])
        if members and node.attr in members:
            return members[node.attr]
        if ast.unparse(node.value) == "torch":
            return node.attr
    if isinstance(node, ast.Call) and not node.args and not node.keywords and isinstance(node.func, ast.Name):
        if node.func.id in ("list", "dict"):
            return [] if node.func.id == "list" else {}
    raise NotConstant


def annotation(node: ast.expr | None, index: Index) -> dict:
    """What an annotation says: `kind`, `nullable`, `values`, `enum` (the enumeration that lists them)."""
    said = {"kinds": [], "nullable": False, "values": [], "enum": None}
    if node is not None:
        _annotation(node, index, said)
    kinds = list(dict.fromkeys(said["kinds"]))
    if set(kinds) == {"int", "float"}:
        kind = "float"
    elif len(kinds) == 1:
        kind = kinds[0]
    elif kinds and set(kinds) <= {"text", "map"} and "map" in kinds and "text" in kinds:
        kind = "any"
    else:
        kind = "any"
    values = list(dict.fromkeys(said["values"]))
    if kind == "any" and "text" in kinds and set(kinds) != {"text"}:
        pass
    return {"kind": kind, "kinds": kinds, "nullable": said["nullable"], "values": values, "enum": said["enum"]}


def _annotation(node: ast.expr, index: Index, said: dict) -> None:
    if isinstance(node, ast.Constant):
        if node.value is None:
            said["nullable"] = True
        elif isinstance(node.value, str):
            try:
                _annotation(ast.parse(node.value.strip(), mode="eval").body, index, said)
            except SyntaxError:
                said["kinds"].append("any")
        return
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        _annotation(node.left, index, said)
        _annotation(node.right, index, said)
        return
    if isinstance(node, ast.Subscript):
        name = ast.unparse(node.value).rsplit(".", 1)[-1]
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Optional":
            said["nullable"] = True
            _annotation(inner[0], index, said)
        elif name == "Union":
            for part in inner:
                _annotation(part, index, said)
        elif name in ("Annotated", "Required", "NotRequired", "ClassVar", "Final"):
            _annotation(inner[0], index, said)
        elif name == "Literal":
            for part in inner:
                if isinstance(part, ast.UnaryOp):
                    part = ast.Constant(ast.literal_eval(part))
                if not isinstance(part, ast.Constant):
                    said["kinds"].append("any")
                elif part.value is None:
                    said["nullable"] = True
                else:
                    kind = {str: "text", bool: "bool", int: "int", float: "float"}.get(type(part.value), "any")
                    said["kinds"].append(kind)
                    if kind != "bool":
                        said["values"].append(show(part.value))
        elif name in ("list", "List", "Sequence", "tuple", "Tuple"):
            said["kinds"].append("list")
        elif name in ("dict", "Dict", "Mapping"):
            said["kinds"].append("map")
        else:
            said["kinds"].append("any")
        return
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func).rsplit(".", 1)[-1]
        said["kinds"].append(KINDS.get(name, "any"))
        return
    name = ast.unparse(node).rsplit(".", 1)[-1]
    if name in KINDS:
        said["kinds"].append(KINDS[name])
    elif name == "None":
        said["nullable"] = True
    elif (members := index.members(name)) is not None:
        values = [value for value in members.values() if isinstance(value, str)]
        said["kinds"].append("text" if len(values) == len(members) else "any")
        if said["kinds"][-1] == "text":
            said["values"].extend(values)
            said["enum"] = name
    elif isinstance(bound := index.bound(name), (ast.Subscript, ast.BinOp)):
        _annotation(bound, index, said)
    else:
        said["kinds"].append("any")
