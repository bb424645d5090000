//! Names and shapes that look like training settings but are not, or are other settings.

use super::*;

#[test]
fn evaluation_says_nothing_about_training() {
    let text = source(
        r"
from torch.utils.data import DataLoader
EVAL_BATCH_SIZE = 50
train_loader = DataLoader(d, batch_size=4)
val_loader = DataLoader(e, batch_size=40)
loader = DataLoader(test_set, batch_size=41)

def get_eval_loader(rows):
    return DataLoader(e, batch_size=rows)

get_eval_loader(42)
use(EVAL_BATCH_SIZE)
",
    );
    only(&show(&[("a.py", text)], "a.py"), "micro_batch", &["micro_batch 4 DataLoader(batch_size) a.py:3 call"]);
}

#[test]
fn batches_of_something_else() {
    let text = source(
        r"
import torch
BATCH_SIZE = 9

class MilvusIndex:
    batch_size = 500
    def add(self):
        send(self.batch_size)

MilvusIndex().add()
data = data.map(f, batch_size=1000)
model.encode(x, batch_size=BATCH_SIZE)
print(BATCH_SIZE)
",
    );
    only(&show(&[("a.py", text)], "a.py"), "micro_batch", &[]);
}

#[test]
fn shadowed_names_and_the_last_assignment() {
    let text = source(
        r"
from torch.utils.data import DataLoader
batch_size = 1
batch_size = 2

def other():
    batch_size = 99
    return batch_size

def train():
    DataLoader(d, batch_size=batch_size)

train()
",
    );
    only(&show(&[("a.py", text)], "a.py"), "micro_batch", &["micro_batch 2 batch_size a.py:3 call"]);
}

#[test]
fn branches_give_alternatives() {
    let text = source(
        r"
from torch.utils.data import DataLoader
rows = 32
if memory() < 8:
    rows = 4
elif memory() < 16:
    rows = 8
DataLoader(d, batch_size=rows)
",
    );
    only(
        &show(&[("a.py", text)], "a.py"),
        "micro_batch",
        &[
            "micro_batch 32 rows a.py:2 call",
            "micro_batch 4 rows a.py:4 call if[memory() < 8]",
            "micro_batch 8 rows a.py:6 call if[memory() < 16]",
        ],
    );
}

#[test]
fn values_of_equal_right_are_all_conditional() {
    let text = source(
        r"
from torch.utils.data import DataLoader
BIG = 8
SMALL = 2
if roomy():
    rows = BIG
else:
    rows = SMALL
DataLoader(d, batch_size=rows)
",
    );
    only(
        &show(&[("a.py", text)], "a.py"),
        "micro_batch",
        &["micro_batch 8 BIG a.py:2 call if[roomy()]", "micro_batch 2 SMALL a.py:3 call if[not (roomy())]"],
    );
}

#[test]
fn constants_decide_branches() {
    let text = source(
        r"
from torch.utils.data import DataLoader
DEBUG = False
rows = 1 if DEBUG else 16
if DEBUG:
    DataLoader(d, batch_size=2)
DataLoader(d, batch_size=rows)
",
    );
    only(&show(&[("a.py", text)], "a.py"), "micro_batch", &["micro_batch 16 rows a.py:3 call"]);
}

#[test]
fn a_name_that_shrinks_in_a_loop_is_not_known() {
    let text = source(
        r"
from torch.utils.data import DataLoader
rows = 64
while True:
    try:
        DataLoader(d, batch_size=rows)
        break
    except RuntimeError:
        rows = rows // 2
DataLoader(e, batch_size=rows)
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "micro_batch 64 rows a.py:2 call");
    assert!(!shown.contains("micro_batch 32"), "{shown}");
}

#[test]
fn two_callers_two_candidates() {
    let text = source(
        r"
from torch.utils.data import DataLoader

def make(data, rows=3):
    return DataLoader(data, batch_size=rows)

a = make(x, 4)
b = make(y)
c = make(z, rows=unknown())
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    only(
        &shown,
        "micro_batch",
        &["micro_batch 4 rows a.py:6 call", "micro_batch 3 rows a.py:3 call", "micro_batch ? rows a.py:8 call"],
    );
}

#[test]
fn classes_of_the_project_with_a_library_name() {
    let text = source(
        r"
class DataLoader:
    def __init__(self, data, batch_size):
        pass

DataLoader(d, batch_size=5)
",
    );
    only(&show(&[("a.py", text)], "a.py"), "micro_batch", &[]);
}

#[test]
fn imports_of_every_kind() {
    let files = [
        ("src/pkg/__init__.py", ""),
        (
            "src/pkg/consts.py",
            source(
                r"
BATCH_SIZE = 7
UNUSED_BATCH_SIZE = 70
",
            ),
        ),
        (
            "src/pkg/train.py",
            source(
                r"
import torch
from .consts import *
from . import consts as c
from ..other import LR
for b in read(BATCH_SIZE):
    b.loss.backward()
",
            ),
        ),
        ("src/other.py", "LR = 3e-4\n"),
        ("src/main.py", "import pkg.train\n"),
    ];
    let shown = show(&files, "src/main.py");
    only(&shown, "micro_batch", &["micro_batch 7 BATCH_SIZE src/pkg/consts.py:1"]);
    assert!(shown.contains("files=src/main.py,src/pkg/__init__.py,src/pkg/train.py,src/pkg/consts.py,src/other.py"), "{shown}");
}

#[test]
fn code_that_nobody_calls_does_not_mix_in() {
    let text = source(
        r"
import torch
from torch.utils.data import DataLoader

def old():
    DataLoader(d, batch_size=99)

def main():
    for b in DataLoader(d, batch_size=4):
        loss(b).backward()

if __name__ == '__main__':
    main()
",
    );
    only(&show(&[("a.py", text)], "a.py"), "micro_batch", &["micro_batch 4 DataLoader(batch_size) a.py:8 call"]);
}
