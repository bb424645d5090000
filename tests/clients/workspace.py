"""A workspace of the size that the README quotes: 200 configuration files, 2,000 Python files.

40 training projects as people have them (launch script, accelerate's YAML, DeepSpeed's JSON, two YAML of the training, an entry
script) and ordinary modules around them. The same numbers give the same files, byte for byte.
"""

import random
from pathlib import Path

PROJECTS = 40
PYTHON = 2000

MODELS = ["Qwen/Qwen2.5-7B", "meta-llama/Llama-3.1-8B", "Qwen/Qwen2.5-1.5B", "mistralai/Mistral-7B-v0.3"]

ACCELERATE = """\
compute_environment: LOCAL_MACHINE
debug: false
distributed_type: DEEPSPEED
deepspeed_config:
  deepspeed_config_file: ds.json
  zero3_init_flag: false
machine_rank: 0
main_training_function: main
num_machines: 1
num_processes: {processes}
rdzv_backend: static
same_network: true
"""

DEEPSPEED = """\
{{
  "bf16": {{"enabled": "auto"}},
  "zero_optimization": {{
    "stage": {stage},
    "overlap_comm": true,
    "contiguous_gradients": true
  }},
  "gradient_accumulation_steps": "auto",
  "gradient_clipping": "auto",
  "train_batch_size": "auto",
  "train_micro_batch_size_per_gpu": "auto"
}}
"""

TRAINING = """\
model_name_or_path: {model}
dataset_name: trl-lib/Capybara
output_dir: out/{name}
per_device_train_batch_size: {batch}
gradient_accumulation_steps: {accumulation}
learning_rate: 2.0e-5
num_train_epochs: 1
bf16: true
gradient_checkpointing: true
max_length: 2048
logging_steps: 10
save_steps: 500
"""

LAUNCH = """\
#!/bin/bash
set -euo pipefail
cd "$(dirname "$0")"
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
accelerate launch --config_file accelerate.yaml train.py --config train.yaml
"""

TRAIN = """\
import torch
from datasets import load_dataset
from trl import ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser


def main():
    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig))
    script_args, training_args, model_args = parser.parse_args_and_config()
    training_args.model_init_kwargs = dict(torch_dtype=torch.bfloat16)
    dataset = load_dataset(script_args.dataset_name)
    trainer = SFTTrainer(
        model=model_args.model_name_or_path,
        args=training_args,
        train_dataset=dataset["train"],
    )
    trainer.train()
    trainer.save_model(training_args.output_dir)


if __name__ == "__main__":
    main()
"""


def module(rng, number):
    """An ordinary module, 60 to 200 lines; every third knows torch."""
    lines = ['"""Part %d of the library."""' % number, "", "import os", "import json"]
    torch = number % 3 == 0
    if torch:
        lines += ["import torch", "import torch.nn as nn"]
    lines += ["", "DEFAULTS = {%s}" % ", ".join('"k%d": %d' % (i, rng.randrange(1000)) for i in range(rng.randrange(3, 9))), ""]
    wanted, count = rng.randrange(60, 200), 0
    while len(lines) < wanted:
        count += 1
        if torch and count % 3 == 0:
            size = rng.choice([128, 256, 1024])
            lines += [
                "",
                "class Block%d(nn.Module):" % count,
                "    def __init__(self, width=%d, heads=%d):" % (size, rng.choice([2, 4, 8])),
                "        super().__init__()",
                "        self.norm = nn.LayerNorm(width)",
                "        self.up = nn.Linear(width, 4 * width)",
                "        self.down = nn.Linear(4 * width, width)",
                "",
                "    def forward(self, x, mask=None):",
                "        y = self.norm(x)",
                "        if mask is not None:",
                "            y = y * mask.unsqueeze(-1)",
                "        return x + self.down(torch.relu(self.up(y)))",
                "",
            ]
        else:
            lines += [
                "",
                "def step_%d(path, values, limit=%d):" % (count, rng.randrange(1, 99)),
                '    """Reads, filters, counts."""',
                "    seen = {}",
                "    for index, value in enumerate(values):",
                "        if index > limit and value not in seen:",
                "            seen[value] = os.path.join(path, str(index))",
                "        elif value %% %d == 0:" % rng.randrange(2, 9),
                "            seen.pop(value, None)",
                "    return json.dumps(sorted(seen.items()))",
                "",
            ]
    return "\n".join(lines) + "\n"


def write(root, projects=PROJECTS, python=PYTHON):
    """Writes it below `root`; the folders of the projects."""
    rng, root = random.Random(20), Path(root)
    root.mkdir(parents=True, exist_ok=True)
    (root / "vramlint.toml").write_text('[target]\ngpu = "A100 80GB"\ncount = 8\n')
    folders = []
    for number in range(projects):
        folder = root / "projects" / ("p%02d" % number)
        folder.mkdir(parents=True)
        name, model = folder.name, rng.choice(MODELS)
        fill = dict(name=name, model=model, batch=rng.choice([1, 2, 4]), accumulation=rng.choice([4, 8, 16]))
        (folder / "accelerate.yaml").write_text(ACCELERATE.format(processes=rng.choice([2, 4, 8])))
        (folder / "ds.json").write_text(DEEPSPEED.format(stage=rng.choice([2, 3])))
        (folder / "train.yaml").write_text(TRAINING.format(**fill))
        (folder / "smoke.yaml").write_text(TRAINING.format(**{**fill, "batch": 1}))
        (folder / "launch.sh").write_text(LAUNCH)
        (folder / "train.py").write_text(TRAIN)
        folders.append(folder)
    for number in range(python - projects):
        folder = root / "library" / ("part%02d" % (number % 50))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ("module_%04d.py" % number)).write_text(module(rng, number))
    return folders


if __name__ == "__main__":
    import sys

    write(sys.argv[1])
