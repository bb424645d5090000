"""Hostile names and contents in every format of every command: nothing acts on a terminal, no line becomes a command of CI."""

import json
import re
import xml.etree.ElementTree

from faults.bench import acting

FORMATS = ["full", "concise", "json", "jsonl", "github", "gitlab", "sarif", "junit", "rdjson"]
BAD = "\x1b[31mx\x07\x1b]0;pwn\x07\x1b]8;;http://evil/\x1b\\\u202e\u2066\u2028\u2029\u0085\u009b31m\u061c\r"
COMMAND = "\n::error::pwn\n::stop-commands::x\n"
ACCELERATE = "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 8\ngpu_ids: [0, 1]\n"


def name(text):
    return text.replace("/", "").replace("\x00", "")


def names():
    parts = ["\x1b[31mred", "\x07bell", "new\nline", "ret\rurn", "bidi\u202eover", "iso\u2066late", "sep\u2028line", "para\u2029graph", "c1\u009b31m", "nel\u0085x", "\ufeffbom", "a%0Ab", "a,b:c", "<b>&\"'", "$(x)`y`", "](x)", "\u061calm", "tag\U000e0041x"]
    return {f"{name(part)}.yaml": ACCELERATE + f"u{number}: 1\n" for number, part in enumerate(parts)}


def quoted(text):
    return json.dumps(text)


def contents():
    bad = BAD + COMMAND
    model = "</script><script>alert(1)</script>" + bad
    return {
        "accelerate.yaml": f"compute_environment: LOCAL_MACHINE\ndistributed_type: {quoted('MULTI' + bad)}\nnum_processes: 8\ngpu_ids: [0, 1]\n{quoted('u' + bad)}: 1\n",
        "ds.json": f'{{"train_batch_size": 64, "zero_optimization": {{"stage": 9, {quoted("u" + bad)}: 1}}, {quoted("v" + bad)}: 2}}',
        "train.py": f"from transformers import *\nmodel = AutoModelForCausalLM.from_pretrained({quoted(model)})\nargs = TrainingArguments(output_dir='o', deepspeed='ds.json', **{{{quoted('k' + bad)}: 1}})\nTrainer(model=model, args=args).train()\n",
        "launch.sh": f"export CUDA_VISIBLE_DEVICES='{BAD},x'\naccelerate launch --config_file accelerate.yaml train.py --deepspeed ds.json --bad '{BAD}'\n",
        "requirements.txt": f"torch=={BAD}\n",
        "broken.yaml": f"a: {BAD}: [\n",
        "README.md": f"```bash\naccelerate launch train.py --x '{BAD}'\n```\n",
    }


def faults(bench):
    for what, files in (("names", names()), ("contents", contents())):
        at = bench.folder(files)
        for lang in ("en", "zh"):
            for form in FORMATS:
                ran = bench.run(at, "check", "--output-format", form, "--color", "never", "--lang", lang, "--exit-zero")
                yield f"{what}, {form}, {lang}", ran.answered and not acting(ran) and valid(form, ran), ran
        for args in (
            ["check", "--diff"],
            ["check", "--diff", "--unsafe-fixes"],
            ["check", "--add-ignore", "--diff"],
            ["check", "--add-ignore", "--diff", "--reason", BAD],
            ["check", "-v"],
            ["check", "--statistics"],
            ["runs"],
            ["runs", "-v"],
            ["runs", "--output-format", "json"],
            ["estimate"],
            ["estimate", "--explain"],
            ["estimate", "--output-format", "json"],
            ["estimate", "--isolated", "--model", BAD],
            ["why", "launch.sh" if what == "contents" else next(iter(files))],
            ["why", "--output-format", "json", "launch.sh" if what == "contents" else next(iter(files))],
            ["check", "--config", BAD],
            ["check", BAD],
            ["check", "--select", BAD],
            ["check", "--exclude", "[" + BAD],
            ["rule", BAD],
        ):
            ran = bench.run(at, *args, "--color", "never") if args[0] not in ("rule",) else bench.run(at, *args)
            # A patch keeps the line ends of its files.
            text = ran.text.replace("\r\n", "\n") if "--diff" in args else ran.text
            ran.out, ran.err = text.encode(), b""
            lines = [line for line in text.split("\n") if line.startswith("::")]
            yield f"{what}, {' '.join(args)!r}", ran.why is None and not acting(ran) and not lines, ran
        ran = bench.run(at, "check", "--color", "always")
        styles = re.sub("\x1b\\[[0-9;]*m", "", ran.text)
        ran.out, ran.err = styles.encode(), b""
        yield f"{what}, in color", not acting(ran), ran


def valid(form, ran):
    """Whether the output is what its readers expect."""
    text = ran.out.decode("utf-8")
    if form in ("json", "gitlab", "sarif", "rdjson"):
        json.loads(text)
    if form == "jsonl":
        [json.loads(line) for line in text.splitlines()]
    if form == "junit":
        xml.etree.ElementTree.fromstring(text)
    if form == "github":
        return all(line.startswith(("::error title=", "::warning title=", "::notice title=")) for line in text.splitlines())
    return True
