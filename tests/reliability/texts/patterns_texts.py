"""Files of patterns: what the walk leaves out."""

from texts.make import at, repeat, table

PATH = ".gitignore"
OTHER = {"a.yaml": "a: 1\n"}


def patterns(*row):
    """A `.gitignore`."""
    return at(PATH, repeat(*row), **OTHER)


TEXTS = table(
    {
        "folders": patterns("folder{i}/\n"),
        "one pattern": patterns("*.log\n"),
        "stars": patterns("**/a{i}/**/*.yaml\n"),
        "one star after the other": patterns("*a", "", "\n"),
        "classes": patterns("[a-z{i}]\n"),
        "classes not closed": patterns("[", "", "\n"),
        "braces": patterns("{a,b{i}}\n"),
        "negated": patterns("!a{i}\n"),
        "comments": patterns("# c {i}\n"),
        "one line": patterns("a", "", "\n"),
        ".ignore": at(".ignore", repeat("folder{i}/\n"), **OTHER),
        "exclude of git": at(".git/info/exclude", repeat("folder{i}/\n"), **OTHER),
        "paths": patterns("/a{i}/b/c/*.py\n"),
        "deep path": patterns("a/", "", "*.py\n"),
        "stars in folders": patterns("a{i}*/b*/c*\n"),
        "stars and letters": patterns("*a*b*c*{i}\n"),
        "double stars": patterns("**/", "", "a\n"),
        "double stars in the middle": patterns("a/**/b{i}\n"),
        "three stars": patterns("***a{i}\n"),
        "question marks": patterns("?", "", "\n"),
        "question marks and stars": patterns("?*", "", "x\n"),
        "ranges": patterns("[a-z]", "", "\n"),
        "negated classes": patterns("[!a{i}]b\n"),
        "reversed ranges": patterns("[z-a]{i}\n"),
        "brackets in classes": patterns("[[]", "", "\n"),
        "closing brackets": patterns("]", "", "\n"),
        "braces in braces": patterns("{a,", "", "\n", "}"),
        "braces not closed": patterns("{", "", "\n"),
        "backslashes": patterns("\\", "", "\n"),
        "escaped stars": patterns("\\*a{i}\n"),
        "escaped blanks": patterns("a{i}\\ \n"),
        "blanks": patterns(" "),
        "blanks at ends": patterns("a{i}   \n"),
        "carriage returns": patterns("a{i}\r\n"),
        "empty lines": patterns("\n"),
        "slashes": patterns("/", "", "\n"),
        "exclamation marks": patterns("!", "", "\n"),
        "hashes": patterns("\\#a{i}\n"),
        "extensions": patterns("*.e{i}\n"),
        "the file itself": patterns("a.yaml\n!a.yaml\n"),
        "everything": patterns("*\n"),
        "Chinese": patterns("显存{i}/\n"),
        "byte order marks": patterns("\ufeff"),
        "control characters": patterns("\x01{i}\n"),
        "NUL": patterns("\0\n"),
        "dots": patterns("./a{i}\n"),
        "parents": patterns("../a{i}\n"),
        "long names": patterns("a{i}" + "b" * 240 + "\n"),
        "names of libraries": patterns("site-packages{i}/\n"),
        "one line of words": patterns("a ", "", "\n"),
        "many files of one": lambda size: {f"d{i}/.gitignore": "*.log\n" for i in range(min(size // 400, 2000))} | OTHER,
        "many files of many": lambda size: {f"d{i}/.gitignore": "".join(f"a{j}/\n" for j in range(50)) for i in range(min(size // 400, 2000))} | OTHER,
        "deep files": lambda size: {"d/" * (i + 1) + ".gitignore": "*.log\n" for i in range(min(size // 4000, 200))} | OTHER,
        ".ignore of stars": at(".ignore", repeat("**/a{i}/**\n"), **OTHER),
        ".ignore, negated": at(".ignore", repeat("!a{i}\n"), **OTHER),
        "exclude of git, stars": at(".git/info/exclude", repeat("**/a{i}/**\n"), **OTHER),
        ".gitignore of a folder": lambda size: {"sub/.gitignore": "a*/\n" * (size // 4), "sub/a.yaml": "a: 1\n"},
        "both": lambda size: {".gitignore": "a*/\n" * (size // 8), ".ignore": "!a*/\n" * (size // 10)} | OTHER,
        "patterns of one folder": patterns("d/{i}.yaml\n"),
        "patterns of case": patterns("[aA]{i}\n"),
    }
)
