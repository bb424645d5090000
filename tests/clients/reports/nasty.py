"""Writes a project whose paths, keys and values hold what report formats have to escape"""

import json
import shutil
import sys
from pathlib import Path

PIECES = ["%", "%25", "%0A", "\r", "\n", "\r\n", ":", ",", "::", "::error::", "](1)", "[a](b)", "<&\"'>", "]]>", "{0}", "#", "?", " ", "\\",
          "训练", "𐐀", "e\u0301", "\t", "\x1b[31m", "\u2028", "\ufeff", "a=b", "%SRCROOT%", "file:x"]
NOT_IN_NAMES = "/\0"


def main(folder: Path, plain: Path) -> None:
    texts = PIECES + [first + second for first in PIECES[:9] for second in PIECES[9:]]
    for number, text in enumerate(texts):
        name = "".join(letter for letter in text if letter not in NOT_IN_NAMES)
        at = folder / f"{number:03} {name}"
        at.mkdir(parents=True)
        # A value that is none of the choices, a key that nobody knows behind letters of several bytes, a list over two lines.
        lines = [
            "compute_environment: LOCAL_MACHINE",
            "distributed_type: 'NO'",
            f"mixed_precision: {json.dumps(text)}",
            f"{json.dumps('训练𐐀 ' + text, ensure_ascii=False)}: 1",
            "gpu_ids: [0,",
            "  1]",
            "",
        ]
        (at / f"accelerate_config {name}.yaml").write_text("\n".join(lines), encoding="utf-8", newline="")
    # One run over several files, for warnings, advice and places that take part.
    shutil.copytree(plain, folder / "run 100%, 训练: 1")


main(Path(sys.argv[1]), Path(sys.argv[2]))
