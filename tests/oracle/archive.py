"""Reads the Python files of an archive without importing any of them."""

import ast
import bisect
import functools
import pathlib
import re
import tarfile
import textwrap
import zipfile

import releases


class Archive:
    """The files of one release, by their path inside the package's folder: `trl/trainer/sft_config.py`."""

    def __init__(self, library: str, version: str):
        path = releases.archive(library, version)
        if path is None:
            raise FileNotFoundError(f"{library} {version} is not in {releases.CACHE}: run releases.py")
        self.library, self.version = library, version
        self._texts = None
        if path.suffix in (".whl", ".zip"):
            self._zip = zipfile.ZipFile(path)
            # Wheels with compiled parts keep their modules in a folder of their own.
            inside = {re.sub(r"^[^/]+\.data/purelib/", "", name): name for name in self._zip.namelist()}
            self._inside = {name: path for name, path in inside.items() if name.endswith((".py", ".yaml"))}
            self.names = list(self._inside)
        else:
            self._zip = None
            self._texts = {}
            with tarfile.open(path) as tar:
                for member in tar:
                    name = re.sub(r"^[^/]+/(src/)?", "", member.name)
                    if member.isfile() and name.endswith((".py", ".yaml")):
                        self._texts[name] = tar.extractfile(member).read().decode("utf-8", "replace")
            self.names = list(self._texts)

    def text(self, name: str) -> str:
        if self._zip is not None:
            return self._zip.read(self._inside[name]).decode("utf-8", "replace")
        return self._texts[name]

    @functools.lru_cache(maxsize=None)
    def tree(self, name: str) -> ast.Module:
        return ast.parse(self.text(name))

    def matching(self, pattern: str) -> list[str]:
        """The files whose path matches, those nearest to the root first."""
        names = [name for name in self.names if re.search(pattern, name)]
        # A module beside a package of its name is never imported: peft 0.6.2 ships lora.py and lora/.
        shadowed = {f"{name.removesuffix('/__init__.py')}.py" for name in self.names if name.endswith("/__init__.py")}
        return sorted((name for name in names if name not in shadowed), key=lambda name: (name.count("/"), name))


TOP = re.compile(r"^(?:    )?(?:class|def) (\w+)|^([A-Za-z_]\w*)\s*(?::[^=\n]+)?=(?!=)", re.M)
START = re.compile(r"^(?:@|class |def |async def |if |else:|try:|except|finally:|[A-Za-z_]\w*\s*(?::[^=\n]+)?=(?!=))", re.M)


class Index:
    """Classes, functions and constants of the chosen files, by name. Only what is asked for is parsed: files are long."""

    def __init__(self, archive: Archive, pattern: str):
        self.archive = archive
        self.places: dict[str, list[tuple[str, int]]] = {}
        self.texts: dict[str, str] = {}
        self.starts: dict[str, list[int]] = {}
        self.parsed: dict[tuple[str, int], ast.stmt | None] = {}
        for name in archive.matching(pattern):
            text = self.texts[name] = archive.text(name)
            for found in TOP.finditer(text):
                self.places.setdefault(found[1] or found[2], []).append((name, found.start()))

    def statement(self, path: str, start: int) -> ast.stmt | None:
        """The statement at an offset of a file, with the lines of the file."""
        key = (path, start)
        if key not in self.parsed:
            self.parsed[key] = self._parse(path, start)
        return self.parsed[key]

    def _parse(self, path: str, start: int) -> ast.stmt | None:
        text = self.texts[path]
        if path not in self.starts:
            self.starts[path] = [found.start() for found in START.finditer(text)] + [len(text)]
        starts = self.starts[path]
        first_end = bisect.bisect_right(starts, start)
        # Decorators stand before the line that was found.
        lines = text[:start].splitlines(keepends=True)
        begin = start
        while lines and lines[-1].lstrip().startswith("@"):
            begin -= len(lines.pop())
        indented = text[start] == " "
        if indented:
            match = re.compile(r"^(?! {5}|    [)\]}#@]|    \S?\"\"\"|\s*$)", re.M).search(text, text.index("\n", start) + 1)
            ends = [match.start() if match else len(text)]
        else:
            ends = starts[first_end : first_end + 40]
        number = text.count("\n", 0, begin)
        for end in ends:
            piece = text[begin:end]
            try:
                body = ast.parse(textwrap.dedent(piece) if indented else piece).body
            except SyntaxError:
                continue
            if body:
                ast.increment_lineno(body[0], number)
                return body[0]
        return None

    def find(self, name: str, where: str = "", function: bool = False):
        """The definition of `name`, in a file whose path matches `where`; without it the one nearest to the root."""
        wanted = ast.FunctionDef if function else ast.ClassDef
        for path, start in self.places.get(name, []):
            if re.search(where, path) and isinstance(node := self.statement(path, start), wanted):
                return path, node
        return None

    @functools.lru_cache(maxsize=None)
    def bound(self, name: str) -> ast.expr | None:
        """What a name of a module is bound to."""
        for path, start in self.places.get(name, []):
            node = self.statement(path, start)
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                return node.value
        return None

    @functools.lru_cache(maxsize=None)
    def members(self, name: str) -> dict[str, object] | None:
        """The values of an enumeration, by the name of the member."""
        for path, start in self.places.get(name, []):
            node = self.statement(path, start)
            if not isinstance(node, ast.ClassDef):
                continue
            bases = {ast.unparse(base).rsplit(".", 1)[-1] for base in node.bases}
            if not bases & {"Enum", "ExplicitEnum", "BaseEnum", "StrEnum", "str", "EnumWithContains"}:
                continue
            found = {}
            for statement in node.body:
                if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
                    found[statement.targets[0].id] = statement.value.value
                elif isinstance(statement, ast.AnnAssign) and isinstance(statement.value, ast.Constant):
                    found[statement.target.id] = statement.value.value
            return found
        return None
