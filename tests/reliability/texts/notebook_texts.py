"""Notebooks."""

import json

from texts.make import table

PATH = "train.ipynb"


def notebook(cell, kind="code"):
    """A notebook of such cells, `cell` being the text of number `i`."""

    def text(size):
        one = len(json.dumps({"cell_type": kind, "metadata": {}, "outputs": [], "source": [cell(0)]})) + 2
        cells = [{"cell_type": kind, "metadata": {}, "outputs": [], "source": cell(i).splitlines(True)} for i in range(max(size // one, 1))]
        return json.dumps({"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5})

    return text


def one_cell(line):
    """A notebook of one cell of such lines."""

    def text(size):
        lines = [line(i) for i in range(max(size // (len(line(0)) + 4), 1))]
        cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": lines}
        return json.dumps({"cells": [cell], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5})

    return text


TEXTS = table(
    {
        "cells": notebook(lambda i: f"x{i} = {i}\n"),
        "cells of trainers": notebook(lambda i: "from transformers import TrainingArguments\nTrainingArguments('o')\n"),
        "cells of magics": notebook(lambda i: f"!accelerate launch train.py --a {i}\n%pip install a{i}\n"),
        "cells of bash": notebook(lambda i: "%%bash\npython train.py\n"),
        "written files": notebook(lambda i: f"%%writefile a{i}.yaml\nnum_processes: 8\n"),
        "Markdown": notebook(lambda i: f"# a {i}\n```bash\npython train.py\n```\n", "markdown"),
        "one cell": one_cell(lambda i: f"x{i} = {i}\n"),
        "one cell of commands": one_cell(lambda i: f"!python train.py --a {i}\n"),
        "one cell of a dictionary": one_cell(lambda i: f"d['a{i}'] = 1\n"),
        "outputs": lambda size: json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "outputs": [{"text": ["x\n"] * (size // 6)}], "source": []}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}),
        "broken": ('{"cell_type": "code", "source": ["x"]}, ', '{"cells": ['),
    }
)
