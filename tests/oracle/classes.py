"""Which classes of which library stand in the tables, and where to find them in its source."""

HF = "transformers.TrainingArguments"
SEQ2SEQ = "transformers.Seq2SeqTrainingArguments"

# Files whose definitions are read, per library.
FILES = {
    "transformers": r"^transformers/(training_args|training_args_seq2seq|trainer|trainer_utils|trainer_seq2seq|debug_utils|modeling_utils|generic|utils/generic"
    r"|utils/quantization_config|models/auto/auto_factory|trainer_pt_utils|configuration_utils)\.py$",
    "trl": r"^trl/(trainer/.*|experimental/.*|scripts/utils|commands/cli_utils|models/utils|core)(?<!judges)\.py$",
    "peft": r"^peft/(config|mapping|mapping_func|utils/(other|peft_types)|tuners/[\w/]*config|tuners/[a-z_]+|peft_model)\.py$",
    "accelerate": r"^accelerate/(accelerator|utils/(dataclasses|constants|other)|commands/launch|commands/config/config_args|big_modeling|parallelism_config)\.py$",
    "llamafactory": r"^llamafactory/(hparams/\w+|extras/constants)\.py$",
    "axolotl": r"^axolotl/utils/(schemas/.*|config/models/input/.*)\.py$",
    "ms-swift": r"^swift/(llm/argument/.*|arguments/.*|trainers/arguments|trainers/.*|plugin/.*|trainers/rlhf_arguments|rlhf_trainers/\w*arg\w*|megatron/argument/.*|trainers/rlhf_trainer/.*)\.py$",
    "openrlhf": r"^openrlhf/cli/train_\w+\.py$",
    "torchtune": r"^(recipes/|torchtune/_recipe_registry)",
    "unsloth": r"^unsloth/models/(loader|llama|_utils|vision)\.py$",
}

TRL_CONFIGS = ["SFTConfig", "DPOConfig", "GRPOConfig", "RLOOConfig", "KTOConfig", "RewardConfig", "ORPOConfig", "CPOConfig", "PPOConfig",
               "OnlineDPOConfig", "GKDConfig", "PRMConfig", "XPOConfig", "NashMDConfig", "BCOConfig"]
TRL_TRAINERS = ["SFTTrainer", "DPOTrainer", "GRPOTrainer", "RLOOTrainer", "KTOTrainer", "RewardTrainer", "ORPOTrainer", "CPOTrainer",
                "PPOTrainer", "OnlineDPOTrainer", "GKDTrainer"]

# kind: dataclass, constructor, function, method (of a class), argparse (of a file). `base` is where foreign fields come from.
CLASSES = {
    "transformers": [
        {"name": HF, "kind": "dataclass", "names": ["transformers.training_args.TrainingArguments"]},
        {"name": SEQ2SEQ, "kind": "dataclass", "base": HF, "own": True,
         "names": ["transformers.training_args_seq2seq.Seq2SeqTrainingArguments"]},
        {"name": "transformers.BitsAndBytesConfig", "kind": "constructor", "unknown": "ignored",
         "names": ["transformers.utils.quantization_config.BitsAndBytesConfig"]},
        {"name": "transformers.GPTQConfig", "kind": "constructor", "unknown": "ignored"},
        {"name": "transformers.AwqConfig", "kind": "constructor", "unknown": "ignored"},
        {"name": "transformers.HqqConfig", "kind": "constructor", "unknown": "ignored"},
        {"name": "transformers.Trainer", "kind": "constructor", "names": ["transformers.trainer.Trainer"]},
        {"name": "transformers.Seq2SeqTrainer", "kind": "constructor", "names": ["transformers.trainer_seq2seq.Seq2SeqTrainer"]},
        {"name": "transformers.PreTrainedModel.from_pretrained", "kind": "method", "popped": True, "unknown": "passed",
         "names": [f"transformers.{name}.from_pretrained" for name in (
             "AutoModel", "AutoModelForCausalLM", "AutoModelForSequenceClassification", "AutoModelForTokenClassification",
             "AutoModelForQuestionAnswering", "AutoModelForSeq2SeqLM", "AutoModelForMaskedLM", "AutoModelForImageTextToText",
             "AutoModelForVision2Seq", "AutoModelForSpeechSeq2Seq", "AutoModelForImageClassification")]},
    ],
    "trl": [
        *({"name": f"trl.{name}", "kind": "dataclass", "base": HF, "names": [f"trl.trainer.{name}"]} for name in TRL_CONFIGS),
        {"name": "trl.ModelConfig", "kind": "dataclass", "names": ["trl.trainer.ModelConfig"]},
        {"name": "trl.ScriptArguments", "kind": "dataclass", "names": ["trl.scripts.ScriptArguments", "trl.scripts.utils.ScriptArguments"]},
        *({"name": f"trl.{name}", "kind": "constructor", "names": [f"trl.trainer.{name}"]} for name in TRL_TRAINERS),
    ],
    "peft": [
        {"name": "peft.LoraConfig", "kind": "dataclass", "names": ["peft.tuners.LoraConfig", "peft.tuners.lora.LoraConfig"]},
        {"name": "peft.AdaLoraConfig", "kind": "dataclass", "names": ["peft.tuners.AdaLoraConfig"]},
        {"name": "peft.PromptTuningConfig", "kind": "dataclass", "names": ["peft.tuners.PromptTuningConfig"]},
        {"name": "peft.PrefixTuningConfig", "kind": "dataclass", "names": ["peft.tuners.PrefixTuningConfig"]},
        {"name": "peft.PromptEncoderConfig", "kind": "dataclass", "names": ["peft.tuners.PromptEncoderConfig"]},
        {"name": "peft.IA3Config", "kind": "dataclass", "names": ["peft.tuners.IA3Config"]},
        {"name": "peft.get_peft_model", "kind": "function"},
        {"name": "peft.prepare_model_for_kbit_training", "kind": "function"},
    ],
    "accelerate": [
        {"name": "accelerate.Accelerator", "kind": "constructor", "names": ["accelerate.accelerator.Accelerator"]},
        {"name": "accelerate.DeepSpeedPlugin", "kind": "dataclass", "names": ["accelerate.utils.DeepSpeedPlugin"]},
        {"name": "accelerate.FullyShardedDataParallelPlugin", "kind": "dataclass", "names": ["accelerate.utils.FullyShardedDataParallelPlugin"]},
        {"name": "accelerate.utils.GradientAccumulationPlugin", "kind": "dataclass",
         "names": ["accelerate.GradientAccumulationPlugin", "accelerate.utils.dataclasses.GradientAccumulationPlugin"]},
        {"name": "accelerate.DataLoaderConfiguration", "kind": "dataclass", "names": ["accelerate.utils.DataLoaderConfiguration"]},
        {"name": "accelerate.InitProcessGroupKwargs", "kind": "dataclass", "names": ["accelerate.utils.InitProcessGroupKwargs"]},
        {"name": "accelerate.DistributedDataParallelKwargs", "kind": "dataclass", "names": ["accelerate.utils.DistributedDataParallelKwargs"]},
        # The command line and the file. The keys of the file's blocks are flags without their dashes.
        {"name": "accelerate.launch", "kind": "argparse", "file": r"^accelerate/commands/launch\.py$"},
        {"name": "accelerate.commands.config.config_args.ClusterConfig", "kind": "dataclass"},
        {"name": "accelerate.commands.config.config_args.SageMakerConfig", "kind": "dataclass"},
    ],
    "llamafactory": [
        {"name": "llamafactory.train", "kind": "dataclass", "base": SEQ2SEQ,
         "parts": ["ModelArguments", "DataArguments", "TrainingArguments", "FinetuningArguments", "GeneratingArguments"]},
    ],
    "axolotl": [
        {"name": "axolotl.config", "kind": "dataclass", "parts": ["AxolotlInputConfig"], "unknown": "ignored", "closed": True},
    ],
    "ms-swift": [
        {"name": "swift.sft", "kind": "dataclass", "base": SEQ2SEQ, "parts": ["TrainArguments", "SftArguments"]},
        {"name": "swift.rlhf", "kind": "dataclass", "base": SEQ2SEQ, "parts": ["RLHFArguments"]},
    ],
    "openrlhf": [
        *({"name": f"openrlhf.{name}", "kind": "argparse", "file": rf"^openrlhf/cli/{name}\.py$", "names": [f"openrlhf.cli.{name}"]}
          for name in ("train_sft", "train_dpo", "train_rm", "train_ppo", "train_ppo_ray", "train_kto", "train_prm")),
    ],
    "torchtune": [{"name": "torchtune.recipe", "kind": "recipes", "unknown": "ignored"}],
    "unsloth": [
        {"name": "unsloth.FastLanguageModel.from_pretrained", "kind": "method", "unknown": "passed"},
        {"name": "unsloth.FastModel.from_pretrained", "kind": "method", "unknown": "passed"},
        {"name": "unsloth.FastLanguageModel.get_peft_model", "kind": "method", "of": "FastLlamaModel", "unknown": "passed"},
    ],
}
