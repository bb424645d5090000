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
    }
)
