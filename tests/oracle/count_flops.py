"""The operations of forward and backward that torch counts, for the tests of `vramlint_memory/src/step_cost/least`.

    python count_flops.py        # torch, transformers and peft; a processor is enough
"""

import torch
from peft import LoraConfig, get_peft_model
from torch.utils.flop_counter import FlopCounterMode
from transformers import AutoConfig, AutoModelForCausalLM

MODELS = {
    "qwen3": {
        "hidden_size": 64,
        "intermediate_size": 160,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 24,
        "vocab_size": 512,
        "tie_word_embeddings": False,
        "max_position_embeddings": 256,
    },
    "gpt2": {"n_embd": 64, "n_layer": 3, "n_head": 4, "vocab_size": 512, "n_positions": 256},
}


def counted(work):
    """What `work` returns, and the operations that it took."""
    counter = FlopCounterMode(display=False)
    with counter:
        result = work()
    return result, counter.get_total_flops()


def step(kind: str, reentrant: bool | None, adapters: bool) -> tuple[int, int]:
    """One step of two rows of 32 tokens. `reentrant`: `None` without checkpointing."""
    config = AutoConfig.for_model(kind, **MODELS[kind])
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager")
    if adapters:
        model = get_peft_model(model, LoraConfig(r=8, target_modules="all-linear"))
    if reentrant is not None:
        if adapters:
            model.enable_input_require_grads()
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": reentrant})
    model.config.use_cache = False
    model.train()
    ids = torch.randint(0, 512, (2, 32))
    loss, forward = counted(lambda: model(input_ids=ids, labels=ids).loss)
    _, backward = counted(loss.backward)
    return forward, backward


if __name__ == "__main__":
    for kind in MODELS:
        for adapters in (False, True):
            for reentrant in (None, False, True):
                print(kind, f"{adapters=} {reentrant=}", *step(kind, reentrant, adapters))
