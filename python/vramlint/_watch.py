"""Measures the first steps of a training, and compares them with the estimate."""

import json
import os
import subprocess
import sys

from ._binary import find_binary

# The first step creates the states of the optimizer; from the second on, a step is like any other.
_STEPS = 2
_SECONDS = 120


def watch(project=".", run=None, save=True):
    """Prints predicted and measured memory after the second optimizer step.

    Call it once, before the training. With ``save``, the measurement goes into the configuration of ``project``, and
    the bounds of this run follow it. ``run`` is an id that ``vramlint runs`` prints; without it, the run of the script
    that Python executes is meant. Needs PyTorch 2.0 or later. Whatever fails is said on standard error; nothing is
    raised.
    """
    try:
        if not _is_first_rank():
            return
        from torch.optim.optimizer import register_optimizer_step_post_hook

        steps = {}

        def after_step(optimizer, args, kwargs):
            try:
                steps[id(optimizer)] = steps.get(id(optimizer), 0) + 1
                if steps[id(optimizer)] == _STEPS:
                    handle.remove()
                    _compare(project, run, save)
            except Exception as error:
                _say(error)

        handle = register_optimizer_step_post_hook(after_step)
    except Exception as error:
        _say(error)


def callback(project=".", run=None, save=True):
    """The same as a callback for the Trainer of transformers: ``Trainer(..., callbacks=[vramlint.callback()])``."""
    from transformers import TrainerCallback

    class WatchCallback(TrainerCallback):
        def __init__(self):
            self.steps = 0

        def on_step_end(self, args, state, control, **kwargs):
            self.steps += 1
            if self.steps == _STEPS and _is_first_rank():
                try:
                    _compare(project, run, save)
                except Exception as error:
                    _say(error)

    return WatchCallback()


def _is_first_rank():
    return os.environ.get("RANK", "0") == "0"


def _compare(project, run, save):
    measured = _measured()
    if measured is None:
        return
    words = [find_binary(), "compare", "-", project, "--quiet"]
    if save:
        words.append("--save")
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    if run is not None:
        words += ["--run", run]
    elif script is not None:
        words += ["--script", script]
    # Its text is UTF-8, whatever the locale of the training is.
    done = subprocess.run(
        words, input=json.dumps(measured).encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=_SECONDS
    )
    _write((done.stdout + done.stderr).decode("utf-8", "replace"))


def _measured():
    """The highest memory of this process so far on its GPU, in bytes. None without a GPU."""
    import torch

    if not torch.cuda.is_available():
        return None
    return {
        "source": "watch",
        "tensors": torch.cuda.max_memory_allocated(),
        "reserved": torch.cuda.max_memory_reserved(),
    }


def _say(error):
    _write("vramlint: %s: %s\n" % (type(error).__name__, error))


def _write(text):
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except Exception:
        pass
