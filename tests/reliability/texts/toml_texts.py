"""TOML: `vramlint.toml` and `pyproject.toml`."""

from texts.make import at, repeat, table

PATH = "pyproject.toml"
OTHER = {"a.yaml": "a: 1\n"}


def own(*row):
    """A `vramlint.toml`."""
    return at("vramlint.toml", repeat(*row), **OTHER)


def python_project(*row):
    """A `pyproject.toml`."""
    return at("pyproject.toml", repeat(*row), **OTHER)


TEXTS = table(
    {
        "dependencies": python_project("'torch>=1',", "[project]\ndependencies=[", "]\n"),
        "other dependencies": python_project("'p{i}>=1',", "[project]\ndependencies=[", "]\n"),
        "dependencies of groups": python_project("g{i} = ['torch>=1']\n", "[dependency-groups]\n"),
        "groups that include groups": python_project("g{i} = [{include-group = 'g'}]\n", "[dependency-groups]\ng = ['torch>=1']\n"),
        "optional dependencies": python_project("g{i} = ['torch>=1']\n", "[project.optional-dependencies]\n"),
        "Poetry": python_project("p{i} = '>=1'\n", "[tool.poetry.dependencies]\n"),
        "sources of uv": python_project("p{i} = {git = 'x'}\n", "[tool.uv.sources]\n"),
        "tables": python_project("[tool.t{i}]\na = 1\n"),
        "arrays of tables": python_project("[[tool.t]]\na = 1\n"),
        "dotted keys": python_project("a{i}.b.c = 1\n", "[tool.x]\n"),
        "nested arrays": python_project("[", "a = "),
        "nested tables": python_project("{a=", "a = "),
        "keys": python_project("k{i} = 1\n"),
        "duplicate keys": python_project("k = 1\n"),
        "texts over lines": python_project("a\n", "a = '''", "'''\n"),
        "texts without end": python_project("a\n", "a = '''"),
        "comments": python_project("# c\n"),
        "vramlint: ignored rules": own("'VL201',", "[lint]\nignore=[", "]\n"),
        "vramlint: exclude": own("'d{i}/*',", "exclude=[", "]\n"),
        "vramlint: exclude with stars": own("'**/d{i}/**/*.yaml',", "exclude=[", "]\n"),
        "vramlint: per-file-ignores": own("'d{i}/*' = ['VL201']\n", "[lint.per-file-ignores]\n"),
        "vramlint: models": own("[[model]]\nname='m{i}'\nconfig='c.json'\n"),
        "vramlint: one model": own("[[model]]\nname='m'\nparams='7B'\n"),
        "vramlint: versions": own("p{i} = '1.0'\n", "[versions]\n"),
        "vramlint: unknown keys": own("k{i} = 1\n"),
        "vramlint: array": own("1,", "exclude=[", "]\n"),
        "vramlint: numbers": own("{i},", "batch=[", "]\n"),
        "uv.lock": at("uv.lock", repeat("[[package]]\nname = \"p{i}\"\nversion = \"1.0\"\n"), **OTHER),
        "uv.lock of one package": at("uv.lock", repeat("[[package]]\nname = \"torch\"\nversion = \"2.{i}\"\n"), **OTHER),
        "poetry.lock": at("poetry.lock", repeat("[[package]]\nname = \"p{i}\"\nversion = \"1.0\"\n"), **OTHER),
        "pdm.lock": at("pdm.lock", repeat("[[package]]\nname = \"p{i}\"\nversion = \"1.0\"\n"), **OTHER),
        "Pipfile": at("Pipfile", repeat("p{i} = '*'\n", "[packages]\n"), **OTHER),
        "pylock.toml": at("pylock.toml", repeat("[[packages]]\nname = \"torch\"\nversion = \"2.{i}\"\n"), **OTHER),
        "dependencies of one": python_project("'torch>={i}',", "[project]\ndependencies=[", "]\n"),
        "dependencies of extras": python_project("'torch[a{i}]>=1',", "[project]\ndependencies=[", "]\n"),
        "dependencies of markers": python_project("\"torch>=1; extra == 'a{i}'\",", "[project]\ndependencies=[", "]\n"),
        "dependencies of bounds": python_project(">=1.{i},", "[project]\ndependencies=['torch", "<9']\n"),
        "chain of groups": lambda size: {PATH: "[dependency-groups]\ng0 = ['torch>=1']\n" + "".join(f"g{i + 1} = [{{include-group = 'g{i}'}}]\n" for i in range(size // 34))} | OTHER,
        "groups that include themselves": python_project("g{i} = [{include-group = 'g{i}'}]\n", "[dependency-groups]\n"),
        "one group of many": python_project("'p{i}', ", "[dependency-groups]\ng = [", "]\n"),
        "Poetry, tables": python_project("[tool.poetry.group.g{i}.dependencies]\ntorch = '>=1'\n"),
        "Poetry, many of one": python_project("{version = '{i}', python = '3'}, ", "[tool.poetry.dependencies]\ntorch = [", "]\n"),
        "PDM": python_project("g{i} = ['torch>=1']\n", "[tool.pdm.dev-dependencies]\n"),
        "constraints of uv": python_project("'p{i}<2',", "[tool.uv]\nconstraint-dependencies = [", "]\n"),
        "tables in tables": python_project(".a", "[a", "]\n"),
        "tables in quotes": python_project("[tool.'a{i}'.\"b\"]\n"),
        "one table again": python_project("[tool.a]\nk{i} = 1\n"),
        "keys in quotes": python_project("'k {i}' = 1\n"),
        "long key": python_project("k", "", " = 1\n"),
        "dotted key": python_project(".a", "a", " = 1\n"),
        "inline tables of many": python_project("k{i} = 1, ", "a = {", "b = 1}\n"),
        "arrays over lines": python_project("  1, # c {i}\n", "a = [\n", "]\n"),
        "dates": python_project("d{i} = 2026-01-01T00:00:00Z\n"),
        "digits": python_project("9", "a = ", "\n"),
        "hexadecimals": python_project("f", "a = 0x", "\n"),
        "underlines": python_project("1_", "a = ", "1\n"),
        "escapes": python_project("\\u0041", "a = \"", "\"\n"),
        "wrong escapes": python_project("k{i} = \"\\q\"\n"),
        "lines without values": python_project("k{i}\n"),
        "blanks": python_project(" "),
        "carriage returns": python_project("k{i} = 1\r\n"),
        "vramlint: run settings": own("[runs.\"r{i}\"]\nmicro_batch = 2\n"),
        "vramlint: patterns of one run": own("[runs.\"*\"]\nmicro_batch = 2\n"),
    }
)
