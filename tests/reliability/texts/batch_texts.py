"""Batch files: variables, continued lines, launches."""

from texts.make import repeat, both, table

PATH = "run.bat"

TEXTS = table(
    {
        "launches": "accelerate launch train.py --a 1\n",
        "launches with variables": "set A{i}=1\naccelerate launch train.py --a %A{i}%\n",
        "one launch of many flags": ("--a{i} 1 ", "accelerate launch train.py "),
        "one launch over lines": ("--a{i} 1 ^\n", "accelerate launch train.py ^\n"),
        "variables": "set A{i}=1\n",
        "doubled": ("set A=%A%%A%\n", "set A=ab\n"),
        "appends": ("set A=%A% --a 1\n", "set A=x\n"),
        "appends, then launches": both(repeat("set A=%A% --a 1\n", "set A=x\n"), repeat("python train.py %A%\n")),
        "quoted variables": 'set "A{i}=1"\n',
        "arithmetic": "set /a A=A+{i}\n",
        "comments": "rem c {i}\n",
        "labels": ":l{i}\n",
        "goto": "goto l{i}\n",
        "conditions": "if %A%==1 python train.py\n",
        "conditions not closed": "if %A%==1 (\n",
        "parentheses": "(",
        "closing": ")\n",
        "loops": "for %%x in (1 2 3) do python train.py --a %%x\n",
        "loops in loops": ("for %%x in (1 2) do ", "", "a\n"),
        "one loop": ("{i} ", "for %%x in (", ") do python train.py --a %%x\n"),
        "carets": "^",
        "continued lines": "^\n",
        "quotes": '"',
        "percents": "%",
        "exclamations": "!",
        "ampersands": "a & ",
        "pipes": "a | b\n",
        "redirections": "echo a > f{i}\n",
        "call": "call run.bat\n",
        "delayed": "setlocal enabledelayedexpansion\nset A=!A!!A!\n",
        "substrings": "set A=%A:~0,{i}%\n",
        "replacements": "set A=%A:a=b%\n",
        "environment": "set CUDA_VISIBLE_DEVICES={i}\n",
        "carriage returns": "set A=1\r\n",
        "blanks": " ",
    }
)
