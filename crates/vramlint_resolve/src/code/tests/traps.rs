//! Names and shapes that look like training settings and are none, or are another.

use super::*;

#[test]
fn evaluation_says_nothing_about_training() {
    let text = "from torch.utils.data import DataLoader\nEVAL_BATCH_SIZE = 50\ntrain_loader = DataLoader(d, batch_size=4)\nval_loader = DataLoader(e, batch_size=40)\nloader = DataLoader(test_set, batch_size=41)\n\ndef get_eval_loader(rows):\n    return DataLoader(e, batch_size=rows)\n\nget_eval_loader(42)\nuse(EVAL_BATCH_SIZE)\n";
    only(&show(&[("a.py", text)], "a.py"), "micro_batch", &["micro_batch 4 DataLoader(batch_size) a.py:3 call"]);
}

#[test]
fn batches_of_something_else() {
    let text = "import torch\nBATCH_SIZE = 9\n\nclass MilvusIndex:\n    batch_size = 500\n    def add(self):\n        send(self.batch_size)\n\nMilvusIndex().add()\ndata = data.map(f, batch_size=1000)\nmodel.encode(x, batch_size=BATCH_SIZE)\nprint(BATCH_SIZE)\n";
    only(&show(&[("a.py", text)], "a.py"), "micro_batch", &[]);
}

#[test]
fn shadowed_names_and_the_last_assignment() {
    let text = "from torch.utils.data import DataLoader\nbatch_size = 1\nbatch_size = 2\n\ndef other():\n    batch_size = 99\n    return batch_size\n\ndef train():\n    DataLoader(d, batch_size=batch_size)\n\ntrain()\n";
    only(&show(&[("a.py", text)], "a.py"), "micro_batch", &["micro_batch 2 batch_size a.py:3 call"]);
}

#[test]
fn branches_give_alternatives() {
    let text = "from torch.utils.data import DataLoader\nrows = 32\nif memory() < 8:\n    rows = 4\nelif memory() < 16:\n    rows = 8\nDataLoader(d, batch_size=rows)\n";
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
    let text = "from torch.utils.data import DataLoader\nBIG = 8\nSMALL = 2\nif roomy():\n    rows = BIG\nelse:\n    rows = SMALL\nDataLoader(d, batch_size=rows)\n";
    only(
        &show(&[("a.py", text)], "a.py"),
        "micro_batch",
        &["micro_batch 8 BIG a.py:2 call if[roomy()]", "micro_batch 2 SMALL a.py:3 call if[not (roomy())]"],
    );
}

#[test]
fn constants_decide_branches() {
    let text = "from torch.utils.data import DataLoader\nDEBUG = False\nrows = 1 if DEBUG else 16\nif DEBUG:\n    DataLoader(d, batch_size=2)\nDataLoader(d, batch_size=rows)\n";
    only(&show(&[("a.py", text)], "a.py"), "micro_batch", &["micro_batch 16 rows a.py:3 call"]);
}

#[test]
fn a_name_that_shrinks_in_a_loop_is_not_known() {
    let text = "from torch.utils.data import DataLoader\nrows = 64\nwhile True:\n    try:\n        DataLoader(d, batch_size=rows)\n        break\n    except RuntimeError:\n        rows = rows // 2\nDataLoader(e, batch_size=rows)\n";
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "micro_batch 64 rows a.py:2 call");
    assert!(!shown.contains("micro_batch 32"), "{shown}");
}

#[test]
fn two_callers_two_candidates() {
    let text = "from torch.utils.data import DataLoader\n\ndef make(data, rows=3):\n    return DataLoader(data, batch_size=rows)\n\na = make(x, 4)\nb = make(y)\nc = make(z, rows=unknown())\n";
    let shown = show(&[("a.py", text)], "a.py");
    only(
        &shown,
        "micro_batch",
        &["micro_batch 4 rows a.py:6 call", "micro_batch 3 rows a.py:3 call", "micro_batch ? rows a.py:8 call"],
    );
}

#[test]
fn classes_of_the_project_with_a_library_name() {
    let text = "class DataLoader:\n    def __init__(self, data, batch_size):\n        pass\n\nDataLoader(d, batch_size=5)\n";
    only(&show(&[("a.py", text)], "a.py"), "micro_batch", &[]);
}

#[test]
fn imports_of_every_kind() {
    let files = [
        ("src/pkg/__init__.py", ""),
        ("src/pkg/consts.py", "BATCH_SIZE = 7\nUNUSED_BATCH_SIZE = 70\n"),
        (
            "src/pkg/train.py",
            "import torch\nfrom .consts import *\nfrom . import consts as c\nfrom ..other import LR\nfor b in read(BATCH_SIZE):\n    b.loss.backward()\n",
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
    let text = "import torch\nfrom torch.utils.data import DataLoader\n\ndef old():\n    DataLoader(d, batch_size=99)\n\ndef main():\n    for b in DataLoader(d, batch_size=4):\n        loss(b).backward()\n\nif __name__ == '__main__':\n    main()\n";
    only(&show(&[("a.py", text)], "a.py"), "micro_batch", &["micro_batch 4 DataLoader(batch_size) a.py:8 call"]);
}
