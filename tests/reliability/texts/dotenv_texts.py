"""`.env` files."""

from texts.make import table

PATH = ".env"

TEXTS = table(
    {
        "variables": "A{i}=1\n",
        "exports": "export A{i}=1\n",
        "one variable": "A={i}\n",
        "one known variable": "CUDA_VISIBLE_DEVICES={i}\n",
        "doubled": ("A=$A$A\n", "A=ab\n"),
        "doubled with braces": ("A=${A}${A}\n", "A=ab\n"),
        "of the one before": lambda size: "A0=x\n" + "".join(f"A{i + 1}=${{A{i}}}\n" for i in range(size // 16)),
        "defaults": "A{i}=${B:-c}\n",
        "defaults in defaults": ("${A:-", "A=", "\n", "}"),
        "references not closed": ("${", "A="),
        "single quotes": "A{i}='a'\n",
        "double quotes": 'A{i}="a"\n',
        "single quotes not closed": "A{i}='a\n",
        "double quotes not closed": 'A{i}="a\n',
        "one quote over lines": ("a\n", "A='", "'\n"),
        "one quote without end": ("a\n", "A='"),
        "one value": ("a", "A="),
        "escapes": ("\\n", 'A="', '"\n'),
        "comments": "# c {i}\n",
        "comments after values": "A{i}=1 # c\n",
        "hashes": "#",
        "equals": "=",
        "words": "a{i}\n",
        "line breaks": "\n",
        "carriage returns": "A{i}=1\r\n",
        "blanks": " ",
        "dollars": ("$", "A="),
        "backquotes": "A{i}=`a`\n",
    }
)
