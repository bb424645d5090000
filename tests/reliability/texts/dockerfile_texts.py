"""Dockerfiles: RUN, ENV, ARG, stages, continued lines."""

from texts.make import repeat, both, table

PATH = "Dockerfile"
FROM = "FROM python:3.12\n"

TEXTS = table(
    {
        "runs": ("RUN python train.py --a {i}\n", FROM),
        "one run": ("    echo a{i} && \\\n", FROM + "RUN ", "    echo b\n"),
        "run with comments": ("# c {i}\n", FROM + "RUN a && \\\n", "  b\n"),
        "run with empty lines": ("\n", FROM + "RUN a && \\\n", "  b\n"),
        "run without end": ("a \\\n", FROM + "RUN "),
        "variables": ("ENV A{i}=1\n", FROM),
        "variables of one line": ("A{i}=1 ", FROM + "ENV ", "\n"),
        "variables of the one before": lambda size: FROM + "ENV A0=x\n" + "".join(f"ENV A{i + 1}=$A{i}\n" for i in range(size // 16)),
        "doubled": ("ENV A=$A$A\n", FROM + "ENV A=ab\n"),
        "appends": ("ENV A=\"$A a{i}\"\n", FROM + "ENV A=x\n"),
        "variables, then runs": both(repeat("ENV A{i}=1\n", FROM), repeat("RUN python train.py $A{i}\n")),
        "arguments": ("ARG A{i}=1\n", FROM),
        "defaults": ("ENV A=${A:-a{i}}\n", FROM),
        "defaults in defaults": ("${A:-", FROM + "ENV A=", "\n", "}"),
        "stages": "FROM python:3.12 AS s{i}\nRUN python train.py\n",
        "stages of the one before": lambda size: "FROM a AS s0\n" + "".join(f"FROM s{i} AS s{i + 1}\nENV A{i}=1\n" for i in range(size // 32)),
        "copies": ("COPY a{i} b\n", FROM),
        "commands": ("CMD [\"python\", \"train.py\"]\n", FROM),
        "one command": ("\"a{i}\", ", FROM + "CMD [", "\"b\"]\n"),
        "command not closed": ("\"a\", ", FROM + "CMD ["),
        "entry points": ("ENTRYPOINT python train.py\n", FROM),
        "comments": "# c {i}\n",
        "directives": "# escape=`\n",
        "here-documents": ("RUN <<EOF\npython train.py\nEOF\n", FROM),
        "here-documents without end": ("RUN <<EOF{i}\na\n", FROM),
        "one here-document": ("python train.py\n", FROM + "RUN <<EOF\n", "EOF\n"),
        "here-documents of one line": ("<<E{i} ", FROM + "RUN ", "\n"),
        "pip install": ("RUN pip install a{i}\n", FROM),
        "folders": ("WORKDIR d{i}\n", FROM),
        "mounts": ("--mount=type=cache,target=/a{i} ", FROM + "RUN ", "a\n"),
        "backslashes": "\\",
        "continued lines": "\\\n",
        "quotes not closed": ("ENV A='a\n", FROM),
        "unknown instructions": "XYZ {i}\n",
        "blanks": " ",
    }
)
