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
    }
)
