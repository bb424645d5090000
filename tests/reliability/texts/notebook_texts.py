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
        "cells that assign one name": notebook(lambda i: f"x = {i}\n"),
        "cells of appends": notebook(lambda i: f"a += [{i}]\n"),
        "cells of models": notebook(lambda i: "from transformers import AutoModelForCausalLM\nm = AutoModelForCausalLM.from_pretrained('gpt2')\n"),
        "cells of functions": notebook(lambda i: f"def f{i}():\n    return {i}\n"),
        "cells that call the one before": notebook(lambda i: f"def f{i + 1}():\n    return f{i}()\n"),
        "cells of arguments": notebook(lambda i: f"args.k{i} = 1\n"),
        "cells of imports": notebook(lambda i: f"import m{i}\n"),
        "cells of one import": notebook(lambda i: "from transformers import *\n"),
        "cells of environment": notebook(lambda i: f"%env A{i}=1\n"),
        "cells of one variable": notebook(lambda i: f"%env CUDA_VISIBLE_DEVICES={i}\n!python train.py\n"),
        "cells of folders": notebook(lambda i: f"%cd d{i}\n!python train.py\n"),
        "cells of installations": notebook(lambda i: f"!pip install torch=={i}.0\n"),
        "cells of lines": notebook(lambda i: f"%timeit f({i})\n"),
        "cells of times": notebook(lambda i: f"%%time\nx = {i}\n"),
        "cells of captures": notebook(lambda i: "%%capture out\n!python train.py\n"),
        "cells of JavaScript": notebook(lambda i: f"%%javascript\nlet a = {i}\n"),
        "cells of HTML": notebook(lambda i: f"%%html\n<p>{i}</p>\n"),
        "cells of unknown magics": notebook(lambda i: f"%%m{i}\na\n"),
        "cells of sh": notebook(lambda i: f"%%sh\nexport A=1\npython train.py --a {i}\n"),
        "cells of scripts": notebook(lambda i: f"%%script bash\npython train.py --a {i}\n"),
        "written JSON": notebook(lambda i: f"%%writefile a{i}.json\n{{\"zero_optimization\": {{\"stage\": 2}}}}\n"),
        "written scripts": notebook(lambda i: f"%%writefile t{i}.py\nfrom transformers import TrainingArguments\nTrainingArguments('o')\n"),
        "one file written again": notebook(lambda i: f"%%writefile a.yaml\nnum_processes: {i}\n"),
        "one file appended": notebook(lambda i: f"%%writefile -a a.yaml\nk{i}: 1\n"),
        "cells with errors": notebook(lambda i: f"x = = {i}\n"),
        "cells not closed": notebook(lambda i: "f(\n"),
        "cells of strings not closed": notebook(lambda i: "'''\n"),
        "cells of comments": notebook(lambda i: f"# c {i}\n"),
        "cells of ignore directives": notebook(lambda i: "x = 1  # vramlint: ignore[VL201]\n"),
        "cells of nothing": notebook(lambda i: ""),
        "cells of launchers": notebook(lambda i: "from accelerate import notebook_launcher\nnotebook_launcher(f, num_processes=2)\n"),
        "cells of questions": notebook(lambda i: f"f{i}?\n"),
        "cells of captured output": notebook(lambda i: f"x{i} = !echo {i}\n"),
        "cells of Chinese": notebook(lambda i: f"# 显存 {i}\nx = '🚀'\n"),
        "cells of escapes": notebook(lambda i: "x = '\\\\\\\"\\t'\n"),
        "raw cells": notebook(lambda i: f"a {i}\n", "raw"),
        "unknown cells": notebook(lambda i: f"a {i}\n", "x"),
        "Markdown of YAML": notebook(lambda i: f"```yaml\nnum_processes: {i}\n```\n", "markdown"),
        "Markdown of headings": notebook(lambda i: f"# a {i}\n", "markdown"),
        "one cell of trainers": one_cell(lambda i: "Trainer(model=m, args=TrainingArguments('o')).train()\n"),
        "one cell of magics": one_cell(lambda i: f"%env A{i}=1\n"),
        "one cell of bash": one_cell(lambda i: f"python train.py --a {i}\n" if i else "%%bash\n"),
        "one cell of a written file": one_cell(lambda i: f"k{i}: 1\n" if i else "%%writefile a.yaml\n"),
        "one cell of one line": one_cell(lambda i: "x + "),
        "one cell of continued lines": one_cell(lambda i: "a + \\\n"),
        "one cell of continued commands": one_cell(lambda i: f"  --a {i} \\\n" if i else "!python train.py \\\n"),
        "one cell of brackets": one_cell(lambda i: "("),
        "one cell of Chinese": one_cell(lambda i: "# 显存 🚀\n"),
        "metadata": lambda size: json.dumps({"cells": [], "metadata": {f"k{i}": 1 for i in range(size // 14)}, "nbformat": 4, "nbformat_minor": 5}),
    }
)
