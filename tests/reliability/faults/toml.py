"""Hostile configurations: what they say in an error cannot act, and their size is bounded."""

from faults.bench import acting

BAD = '"\\u001b[31m\\n::error::pwn\\n\\u0000\\u009b\\u202e"'
TEXTS = {
    "gpu": f"[target]\ngpu = {BAD}\n",
    "versions": f"[versions]\ntorch = {BAD}\n",
    "model": f"[[model]]\nname = {BAD}\nconfig = {BAD}\n",
    "ignore": f"[lint]\nignore = [{BAD}]\n",
    "unknown key": f"{BAD} = 1\n",
    "unknown key in a table": f"[lint]\n{BAD} = 1\n",
    "levels": f"[lint.levels]\n{BAD} = {BAD}\n",
    "per-file-ignores": f"[lint.per-file-ignores]\n{BAD} = [{BAD}]\n",
    "exclude": f"exclude = [{BAD}, \"[\"]\n",
    "runs": f"[runs.{BAD}]\n{BAD} = 1\n",
    "batch": f"batch = {BAD}\n",
    "lang": f"lang = {BAD}\n",
    "syntax": "a = \x1b[31m\n::error::pwn\n",
    "20 MB": "exclude = [" + '"a",' * (5 << 20) + "]\n",
    "exclude of braces in braces": 'exclude = ["' + "{a," * 30_000 + "}" * 30_000 + '"]\n',
    "run of braces in braces": '[runs."' + "{a," * 30_000 + "}" * 30_000 + '"]\nmicro_batch = 1\n',
    "nested arrays": "a = " + "[" * 500_000,
    "nested tables": "a = " + "{a=" * 100_000,
    "dotted key": "a" + ".a" * 200_000 + " = 1\n",
}


def faults(bench):
    for name, text in TEXTS.items():
        for path in ("vramlint.toml", "pyproject.toml"):
            if path == "pyproject.toml":
                text = "[tool.vramlint]\na = 1\n" + text if name in ("20 MB", "nested arrays", "nested tables", "dotted key", "syntax") else text
            at = bench.folder({path: text, "a.yaml": "a: 1\n"})
            for form in ("full", "github"):
                ran = bench.run(at, "check", "--output-format", form, "--color", "never")
                commands = [line for line in ran.text.splitlines() if line.startswith("::error::pwn")]
                yield f"{path}: {name}, {form}", ran.answered and not acting(ran) and not commands, ran
