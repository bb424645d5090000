"""YAML: anchors, merges, tags, flow nesting, comments, errors, configurations of accelerate, DeepSpeed and trainers."""

from texts.make import both, repeat, table

PATH = "config.yaml"
TRAINER = "model_name_or_path: gpt2\nper_device_train_batch_size: 2\nlearning_rate: 2e-5\noutput_dir: o\n"
ACCELERATE = "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 8\n"


def merges(size):
    """Each mapping merges the one before three times."""
    text, i = "a0: &a0 {k0: 1}\n", 1
    pieces = [text]
    while size > 0:
        one = f"a{i}: &a{i}\n  <<: [*a{i - 1}, *a{i - 1}, *a{i - 1}]\n  k{i}: 1\n"
        pieces.append(one)
        size -= len(one)
        i += 1
    return "".join(pieces)


TEXTS = table(
    {
        "anchors": "k{i}: &a{i} 1\n",
        "anchors and aliases": "k{i}: &a{i} 1\nl{i}: *a{i}\n",
        "one anchor, many aliases": ("- *a\n", "- &a 1\n"),
        "an anchor written again": "b: &b {x: 1}\n",
        "anchor cycles": ("b: &b {x: *b}\n", "a: &a [*a]\n"),
        "aliases that are not defined": "- *x\n",
        "aliases not defined, each another": "- *x{i}\n",
        "merges of merges": merges,
        "merges of one large mapping": both(repeat("k{i}: {i},", "b: &b {", "}\n"), repeat("m{i}:\n  <<: *b\n")),
        "many merges in one": both(repeat("b{i}: &b{i} {x{i}: 1}\n"), repeat("*b{i}, ", "m:\n  <<: [", "]\n")),
        "merge chain": ("a{i}: &a{i}\n  <<: *a\n  k: 1\n", "a: &a {x: 1}\n"),
        "a mapping that merges itself": ("  k{i}:\n    <<: *a\n", "a: &a\n"),
        "tags": "a{i}: !!t{i} x\n",
        "one tag": "a{i}: !x y\n",
        "tags in flow": ("!!t{i} x, ", "[", "]"),
        "tag directives": ("%TAG !h{i}! tag:x,2000:\n", "", "---\na: 1\n"),
        "braces": "{",
        "brackets": "[",
        "braces in lines": "a{i}: {\n",
        "brackets closed": ("[", "", "", "]"),
        "flow mapping of keys": ("k{i}: 1, ", "{", "}"),
        "flow mapping without values": ("k{i}, ", "{", "}"),
        "flow list": ("a, ", "[", "]"),
        "flow mappings in mappings": "{a: ",
        "flow list of lists": ("[1,2], ", "[", "]"),
        "flow pairs": ("a: {i}, ", "[", "]"),
        "keys": "k{i}: 1\n",
        "duplicate keys": "a: 1\n",
        "duplicate keys of two": "a: 1\nb{i}: 2\n",
        "duplicate flow keys": ("a: {i}, ", "{", "}"),
        "nested blocks": lambda size: "".join(" " * i + f"a{i}:\n" for i in range(int((2 * size) ** 0.5))),
        "items in items": "- - - - - - - -\n",
        "dashes in a row": "- ",
        "items": "- {i}\n",
        "question marks": "? ",
        "complex keys": "? a{i}\n: 1\n",
        "documents": "---\na: {i}\n",
        "empty documents": "---\n",
        "ends of documents": "...\n",
        "block scalars": "k{i}: |\n  some text\n",
        "one block scalar": ("  some text {i}\n", "a: |\n"),
        "folded with blank lines": ("\n\n  x\n", "a: >\n"),
        "block scalar without end": ("\n", "a: |"),
        "comment lines": "# a comment {i}\n",
        "one comment": ("#", "a: 1 "),
        "trailing comments": "k{i}: 1 # effective batch = 64\n",
        "comments before colons": ("# c\n", "{a\n", ": 1}\n"),
        "comments after a question mark": ("# c\n", "?\n", "a\n"),
        "missing keys with comments": ": 1 # c {i}\n",
        "ignore directives": "# vramlint: ignore[VL201]\n",
        "ignore directives with their keys": "k{i}: 1 # vramlint: ignore[VL201]\n",
        "ignore directive of many rules": ("VL201, ", "# vramlint: ignore[", "]\na: 1\n"),
        "ignore directives of keys written twice": "a: 1 # vramlint: ignore[duplicate-key]\n",
        "kind directives": "# vramlint: kind=accelerate\n",
        "numbers in comments": "# 64 x 2 = 128\n",
        "numbers as text": "lr{i}: 2e-5\n",
        "sexagesimals": "k{i}: 1:30:{i}\n",
        "digits": ("9", "a: "),
        "underlines": ("_", "a: 1"),
        "quotes": "k{i}: 'a''b'\n",
        "quotes not closed": "k{i}: 'a\n",
        "double quotes not closed": 'k{i}: "a\n',
        "one quote over lines": ("word\n  ", 'a: "', '"\n'),
        "one quote without end": ("word\n", 'a: "'),
        "escapes": ("\\n", 'a: "', '"\n'),
        "wrong escapes": 'k{i}: "\\q"\n',
        "plain over lines": ("  word\n", "a: x\n"),
        "plain without colon": "word{i}\n",
        "second colons": "a: b: {i}\n",
        "wrong indentation": "  a: 1\n b: 2\n",
        "tabs": "a{i}:\t1\n",
        "tabs as indentation": "a{i}:\n\tb: 1\n",
        "control characters": "a{i}: \x01\n",
        "templates": "a{i}: {{ x }}\n",
        "template statements": "{% if x %}\na: 1\n",
        "interpolations": "k{i}: ${k}\n",
        "interpolations of the line before": lambda size: "k0: 1\n" + "".join(f"k{i + 1}: ${{k{i}}}\n" for i in range(size // 16)),
        "nested interpolations": "${",
        "carriage returns": "a{i}: 1\r",
        "line separators": "a{i}: \u2028\n",
        "accelerate: unknown keys": ("u{i}: 1\n", ACCELERATE),
        "accelerate: duplicate keys": ("num_processes: 8\n", ACCELERATE),
        "accelerate: list of GPUs": ("{i},", ACCELERATE + "gpu_ids: [", "]\n"),
        "accelerate: text of GPUs": ("{i},", ACCELERATE + "gpu_ids: ", "\n"),
        "accelerate: ignored findings": ("u{i}: 1 # vramlint: ignore[unknown-key]\n", ACCELERATE),
        "accelerate: nested deepspeed": ("  u{i}: 1\n", ACCELERATE + "deepspeed_config:\n"),
        "accelerate: nested fsdp": ("  fsdp_u{i}: 1\n", ACCELERATE + "fsdp_config:\n"),
        "trainer: numbers that are text": ("learning_rate{i}: 2e-5\n", TRAINER),
        "trainer: learning rates": ("learning_rate: 2e-5\n", TRAINER),
        "trainer: yes": ("fp{i}: yes\n", TRAINER),
        "trainer: comments with batches": ("save_steps{i}: 1 # effective batch = 64\n", TRAINER),
        "trainer: deepspeed inline": ("a: {b: 1},", TRAINER + "deepspeed: {", "}\n"),
        "trainer: deepspeed of other keys": ("a{i}: {b: 1},", TRAINER + "deepspeed: {", "}\n"),
        "trainer: list": ("a{i}, ", TRAINER + "report_to: [", "]\n"),
        "axolotl: data sets": ("  - path: d{i}\n    type: alpaca\n", "base_model: gpt2\nmicro_batch_size: 1\ndatasets:\n"),
        "axolotl: unknown keys": ("micro_batch_size{i}: 1\n", "base_model: gpt2\nmicro_batch_size: 1\ndatasets: []\n"),
    }
)
