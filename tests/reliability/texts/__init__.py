"""Texts of a chosen size that once took, or could take, more than linear time: one module per language.

Each module has a dictionary `TEXTS`: the name of a generator to a function of a size in bytes, which gives a text of about that size, or a
dictionary of paths to texts where several files are needed; and `PATH`, where the text lies in a project.
"""

import importlib

LANGUAGES = [
    "yaml",
    "json",
    "python",
    "bash",
    "powershell",
    "batch",
    "makefile",
    "dockerfile",
    "markdown",
    "dotenv",
    "workflow",
    "notebook",
    "toml",
    "requirements",
    "patterns",
]


def load(language: str):
    """The module of a language."""
    return importlib.import_module(f"texts.{language}_texts")
