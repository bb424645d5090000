"""What a class or a function takes: its fields or parameters with kind, values, default and bounds, read from its source."""

import ast
import re

from archive import Index
from values import NotConstant, annotation, constant, show

BOUND = {ast.Lt: "min", ast.LtE: "above", ast.Gt: "max", ast.GtE: "below"}
# "Deprecated, use ..." at the start of a sentence; "`x` is deprecated".
WHOLE = re.compile(r"(?i)(?:^\W*|[.:;)\]] *|\bthis (?:parameter|argument|field|option) is )deprecated\b(?!`)")
NAMED = re.compile(r"`?(?:--)?(\w+)`? (?:argument |parameter |flag |field |option )?(?:is|are|has been|was) (?:now )?deprecated")
PYDANTIC_BOUND = {"ge": "min", "gt": "above", "le": "max", "lt": "below"}


def dataclass_fields(index: Index, path: str, node: ast.ClassDef, seen: tuple = ()) -> tuple[dict, list[str]]:
    """The fields of a dataclass or of a pydantic model with those of its bases in the same library, and its foreign bases."""
    fields, foreign = {}, []
    for base in reversed(node.bases):
        name = ast.unparse(base).rsplit(".", 1)[-1]
        own = shimmed(index, name, path)
        if own and own[1] is not node and name not in seen:
            inherited, more = dataclass_fields(index, *own, (*seen, node.name))
            fields.update(inherited)
            foreign.extend(more)
        else:
            foreign.append(name)
    names = {statement.targets[0].id: statement.value for statement in reversed(node.body)
             if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)}
    documents = documented(ast.get_docstring(node) or "")
    for statement in node.body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        name = statement.target.id
        said = ast.unparse(statement.annotation)
        if name.startswith("_") or "ClassVar" in said or "InitVar" in said or name == "model_config":
            continue
        field = read_field(statement, index, names, documents.get(name, ""))
        if field is None:
            fields.pop(name, None)
            continue
        field["at"] = f"{path}:{statement.lineno}"
        fields[name] = field
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name in ("__post_init__", "_validate_args", "post_init"):
            checks(method, index, fields)
    return fields, foreign


def shimmed(index: Index, name: str, path: str):
    """The definition of a base. `_KTOConfig` is how TRL imports the `KTOConfig` of another module to subclass it."""
    if name.startswith("_") and not index.find(name):
        return index.find(name[1:], rf"^(?!{re.escape(path)}$)")
    return index.find(name)


def read_field(statement: ast.AnnAssign, index: Index, names: dict, document: str) -> dict | None:
    """One annotated line of a class; nothing for one that the constructor does not take."""
    field = annotation(statement.annotation, index)
    text = document
    # pydantic: constraints stand in `Annotated[..., Field(ge=1)]` too.
    for call in ast.walk(statement.annotation):
        if isinstance(call, ast.Call):
            bounds(call, field)
    default = statement.value
    if isinstance(default, ast.Call) and ast.unparse(default.func).rsplit(".", 1)[-1] in ("field", "Field", "HfArg"):
        call, default = default, None
        bounds(call, field)
        arguments = {keyword.arg: keyword.value for keyword in call.keywords}
        if isinstance(arguments.get("init"), ast.Constant) and arguments["init"].value is False:
            return None
        if "default" in arguments:
            default = arguments["default"]
        elif call.args:
            default = call.args[0]
        elif "default_factory" in arguments:
            factory = ast.unparse(arguments["default_factory"])
            default = {"list": ast.List([]), "dict": ast.Dict([], [])}.get(factory)
            if isinstance(arguments["default_factory"], ast.Lambda):
                default = arguments["default_factory"].body
            field["computed"] = default is None
        for part in ("metadata", "json_schema_extra", "help", "description"):
            text += " ".join(strings(arguments.get(part)))
        metadata = arguments.get("metadata")
        if isinstance(metadata, ast.Dict):
            for key, value in zip(metadata.keys, metadata.values):
                if isinstance(key, ast.Constant) and key.value == "choices" and not field["values"]:
                    try:
                        field["values"] = [show(item) for item in constant(value, index, names)]
                    except NotConstant:
                        pass
        if "choices" in arguments and not field["values"]:
            try:
                field["values"] = [show(item) for item in constant(arguments["choices"], index, names)]
            except NotConstant:
                pass
        if isinstance(arguments.get("deprecated"), ast.Constant) and arguments["deprecated"].value:
            text = "Deprecated. " + str(arguments["deprecated"].value)
        if isinstance(default, ast.Constant) and default.value is Ellipsis:
            default = None
    put_default(field, default, index, names)
    deprecation(statement.target.id, text, field)
    return field


def put_default(field: dict, default: ast.expr | None, index: Index, names: dict) -> None:
    """`default` where it is a constant, `required` where there is none, `computed` where the program makes it."""
    if default is None:
        if not field.get("computed"):
            field["required"] = True
        return
    try:
        value = constant(default, index, names)
    except (NotConstant, ArithmeticError):
        field["computed"] = True
        return
    if value is None:
        field["nullable"] = True
    if field["kind"] == "float" and isinstance(value, int) and not isinstance(value, bool):
        pass
    shown = show(value)
    if shown is None:
        field["computed"] = True
    else:
        field["default"] = shown


def bounds(call: ast.Call, field: dict) -> None:
    """The bounds of pydantic's `Field(ge=0)`."""
    for keyword in call.keywords:
        if keyword.arg in PYDANTIC_BOUND and isinstance(keyword.value, ast.Constant):
            field[PYDANTIC_BOUND[keyword.arg]] = keyword.value.value


def strings(node: ast.expr | None) -> list[str]:
    """The text constants inside an expression, pieces of one literal joined."""
    if node is None:
        return []
    return [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def documented(docstring: str) -> dict[str, str]:
    """The paragraphs of a docstring's list of arguments, by name."""
    found, name, depth = {}, None, 0
    for line in docstring.splitlines():
        entry = re.match(r"(\s*)`?(\w+)`?(?: ?\(.*|\s*:.*)$", line)
        indent = len(line) - len(line.lstrip())
        if entry and (name is None or indent <= depth):
            name, depth = entry[2], indent
            found[name] = line + " "
        elif name is not None and line.strip():
            if indent <= depth:
                name = None
            else:
                found[name] += line.strip() + " "
    return found


def deprecation(name: str, text: str, field: dict) -> None:
    """Whether the text says that the whole field is deprecated, and what to use instead."""
    if "deprecat" not in text.lower():
        return
    whole = WHOLE.search(text) or next((found for found in NAMED.finditer(text) if found[1] == name), None)
    if not whole:
        return
    field["deprecated"] = True
    near = text[whole.start():]
    instead = re.search(r"(?i)(?:use|in favou?r of|replaced by|renamed to|set)\s+(?:the )?[`'\"]?(?:--)?([A-Za-z_][\w.]*)(?:=\S*)?[`'\"]", near)
    if instead and instead[1] != name:
        field["instead"] = instead[1]


def named(node: ast.expr) -> str | None:
    """`x` of `self.x`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        return node.attr
    return None


def checks(method: ast.FunctionDef, index: Index, fields: dict) -> None:
    """What the constructor itself refuses: sets, bounds, enumerations; and what it calls deprecated."""
    for node in ast.walk(method):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and len(node.value.args) == 1:
            name, argument = named(node.targets[0]), node.value.args[0]
            enum = ast.unparse(node.value.func)
            if name and named(argument) == name and name in fields and (members := index.members(enum)):
                fields[name].update(values=[str(value) for value in members.values()], closed=True, enum=enum)
    # What stands below another `if` holds only under its condition.
    for node in method.body:
        if isinstance(node, ast.If) and any(isinstance(part, ast.Raise) for part in node.body):
            condition(node.test, index, fields)
        elif isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.In):
            member(node.test, index, fields)
    for text in strings(method):
        for name in re.findall(r"`(\w+)`(?: argument| parameter)? is (?:now )?deprecated", text):
            if name in fields:
                deprecation(name, text, fields[name])


def condition(test: ast.expr, index: Index, fields: dict) -> None:
    """The test of an `if` that raises, where it looks at one field alone."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.Compare):
        inner = test.operand
        if len(inner.ops) == 2 and (name := named(inner.comparators[0])) in fields:
            low, high = inner.left, inner.comparators[1]
            if isinstance(low, ast.Constant) and isinstance(high, ast.Constant):
                kinds = {ast.Lt: ("above", "below"), ast.LtE: ("min", "max")}
                if all(type(operation) in kinds for operation in inner.ops):
                    fields[name][kinds[type(inner.ops[0])][0]] = low.value
                    fields[name][kinds[type(inner.ops[1])][1]] = high.value
        return
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return
    if isinstance(test.ops[0], ast.NotIn):
        member(test, index, fields)
        return
    name, limit = named(test.left), test.comparators[0]
    if name in fields and type(test.ops[0]) in BOUND and isinstance(limit, ast.Constant) and isinstance(limit.value, (int, float)):
        fields[name][BOUND[type(test.ops[0])]] = limit.value


def member(test: ast.Compare, index: Index, fields: dict) -> None:
    """`self.x in ["a", "b"]`."""
    name = named(test.left)
    if name not in fields:
        return
    try:
        values = constant(test.comparators[0], index, {})
    except NotConstant:
        return
    if isinstance(values, list) and values and all(isinstance(value, (str, int, type(None))) and not isinstance(value, bool) for value in values):
        fields[name].update(values=[show(value) for value in values if value is not None], closed=True)
        if None in values:
            fields[name]["nullable"] = True


def parameters(index: Index, path: str, node: ast.FunctionDef, document: str = "") -> tuple[dict, bool]:
    """The parameters of a function, and whether it takes any other keyword too."""
    documents = documented(document + "\n" + (ast.get_docstring(node) or ""))
    arguments = node.args
    fields, position = {}, 0
    listed = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(listed) - len(arguments.defaults)) + list(arguments.defaults)
    for argument, default, positional in [*((a, d, True) for a, d in zip(listed, defaults)),
                                          *((a, d, False) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults))]:
        if argument.arg in ("self", "cls"):
            continue
        field = annotation(argument.annotation, index)
        put_default(field, default, index, {})
        if positional:
            field["position"] = position
            position += 1
        field["at"] = f"{path}:{argument.lineno}"
        deprecation(argument.arg, documents.get(argument.arg, ""), field)
        fields[argument.arg] = field
    return fields, arguments.kwarg is not None


def popped(function: ast.FunctionDef, index: Index, path: str) -> dict:
    """The keywords that a function takes out of its `**kwargs`."""
    found = {}
    for node in ast.walk(function):
        if isinstance(node, ast.For) and isinstance(node.iter, (ast.List, ast.Tuple)) and "kwargs.pop(" in ast.unparse(node.body[0]):
            # Accepted and dropped.
            for item in node.iter.elts:
                if isinstance(item, ast.Constant) and isinstance(item.value, str) and not item.value.startswith("_"):
                    found[item.value] = {"kind": "any", "nullable": True, "values": [], "enum": None, "default": "null", "deprecated": True,
                                         "dropped": True, "at": f"{path}:{item.lineno}"}
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in ("pop", "get"):
            continue
        if ast.unparse(node.func.value) != "kwargs" or not node.args or not isinstance(node.args[0], ast.Constant):
            continue
        name = node.args[0].value
        if not isinstance(name, str) or name.startswith("_") or name in found:
            continue
        field = {"kind": "any", "nullable": False, "values": [], "enum": None, "at": f"{path}:{node.lineno}"}
        put_default(field, node.args[1] if len(node.args) > 1 else ast.Constant(None), index, {})
        if field.get("default") in ("true", "false"):
            field["kind"] = "bool"
        found[name] = field
    return found
