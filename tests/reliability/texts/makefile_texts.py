"""Makefiles: rules, variables, continued lines."""

from texts.make import both, repeat, table

PATH = "Makefile"

TEXTS = table(
    {
        "rules": "t{i}:\n\taccelerate launch train.py\n",
        "lines of one rule": ("\taccelerate launch train.py --a {i}\n", "t:\n"),
        "one shell": ("\tA{i}=1\n", ".ONESHELL:\nt:\n"),
        "continued lines": ("\t--a{i} 1 \\\n", "t:\n\tpython train.py \\\n"),
        "variables": "A{i} = 1\n",
        "variables of the one before": lambda size: "A0 = x\n" + "".join(f"A{i + 1} = $(A{i})\n" for i in range(size // 14)),
        "doubled": lambda size: "A0 = x\n" + "".join(f"A{i + 1} = $(A{i})$(A{i})\n" for i in range(size // 20)) + f"t:\n\techo $(A{size // 20})\n",
        "appends": ("A += --a {i}\n", "A = x\n", "t:\n\tpython train.py $(A)\n"),
        "appends, then launches": both(repeat("A += --a {i}\n", "A = x\n"), repeat("t{i}:\n\tpython train.py $(A)\n")),
        "simple variables": "A := $(A)$(A)\n",
        "defaults": "A{i} ?= 1\n",
        "uses": ("\techo $(A) ${B}\n", "A = 1\nB = 2\nt:\n"),
        "references not closed": "$(",
        "references in lines": ("\techo $(A\n", "t:\n"),
        "functions": ("\techo $(shell echo {i})\n", "t:\n"),
        "prerequisites": ("t{i} ", "t: ", "\n\techo a\n"),
        "targets": ("t{i} ", "", ": p\n\techo a\n"),
        "PHONY": ".PHONY: t{i}\n",
        "comments": "# c {i}\n",
        "comments in rules": ("\t# c\n", "t:\n"),
        "conditions": "ifdef A{i}\nB = 1\nendif\n",
        "conditions not closed": "ifeq ($(A),1)\n",
        "define": "define A{i}\na\nendef\n",
        "define not closed": "define A\n",
        "include": "include m{i}.mk\n",
        "exports": "export A{i} = 1\n",
        "dollars": "$",
        "double dollars": ("\techo $$A\n", "t:\n"),
        "silent": ("\t@-+a\n", "t:\n"),
        "empty lines": "\n",
        "tabs": "\t",
        "here-documents": ("\tcat <<EOF\n", "t:\n"),
        "quotes not closed": ("\techo 'a\n", "t:\n"),
        "colons": ":",
        "semicolons": "t{i}: ; python train.py\n",
        "loops": ("\tfor x in 1 2; do \\\n\tpython train.py --a $$x; \\\n\tdone\n", "t:\n"),
    }
)
