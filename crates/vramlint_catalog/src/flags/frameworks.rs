//! Flags of the frameworks' own command lines.
//!
//! Their options are the keys of their dialects (`meaning` says what they are); what stands here is what the dialect does not
//! have, and the options that do not take exactly one value.

use super::Flag;
use crate::Concept::NumProcesses;

/// `trl sft`: `--config` is a YAML of defaults, `--accelerate_config` a file or the name of one that TRL ships.
pub(super) static TRL: &[Flag] =
    &[Flag::switch(&["-h", "--help"]), Flag::one(&["--config"]), Flag::one(&["--accelerate_config", "--accelerate-config"])];

/// `axolotl train CONFIG`: axolotl/cli/main.py and its `TrainerCliArgs`.
pub(super) static AXOLOTL: &[Flag] = &[
    Flag::switch(&["--help"]),
    Flag::one(&["--launcher"]),
    Flag::switch(&["--accelerate"]),
    Flag::switch(&["--no-accelerate"]),
    Flag::one(&["--cloud"]),
    Flag::one(&["--sweep"]),
    Flag::switch(&["--debug"]),
    Flag::switch(&["--no-debug"]),
    Flag::switch(&["--debug-text-only"]),
    Flag::one(&["--debug-num-examples"]),
    Flag::one(&["--prompter"]),
    Flag::switch(&["--shard"]),
    Flag::one(&["--main-process-port"]),
    Flag::sets(&["--num-processes"], NumProcesses),
];

/// `llamafactory-cli train [FILE] [--key value | key=value]`.
pub(super) static LLAMA_FACTORY: &[Flag] = &[
    Flag::switch(&["-h", "--help"]),
    Flag::many(&["--disable_gradient_checkpointing", "--disable-gradient-checkpointing"]),
    Flag::many(&["--double_quantization", "--double-quantization"]),
    Flag::many(&["--neat_packing", "--neat-packing"]),
    Flag::many(&["--pure_bf16", "--pure-bf16"]),
    Flag::many(&["--use_unsloth", "--use-unsloth"]),
    Flag::many(&["--use_galore", "--use-galore"]),
    Flag::many(&["--use_badam", "--use-badam"]),
    Flag::many(&["--overwrite_cache", "--overwrite-cache"]),
    Flag::many(&["--plot_loss", "--plot-loss"]),
    Flag::many(&["--enable_liger_kernel", "--enable-liger-kernel"]),
];

/// `swift sft` and the other commands of ms-swift.
pub(super) static SWIFT: &[Flag] = &[
    Flag::switch(&["-h", "--help"]),
    Flag::one(&["--config"]),
    Flag::many(&["--dataset"]),
    Flag::many(&["--val_dataset", "--val-dataset"]),
    Flag::many(&["--target_modules", "--target-modules"]),
    Flag::many(&["--modules_to_save", "--modules-to-save"]),
    Flag::many(&["--adapters"]),
    Flag::many(&["--reward_funcs", "--reward-funcs"]),
    Flag::many(&["--reward_model", "--reward-model"]),
    Flag::many(&["--reward_weights", "--reward-weights"]),
    Flag::many(&["--model_kwargs", "--model-kwargs"]),
    Flag::many(&["--external_plugins", "--external-plugins"]),
    Flag::many(&["--freeze_vit", "--freeze-vit"]),
    Flag::many(&["--freeze_aligner", "--freeze-aligner"]),
    Flag::many(&["--padding_free", "--padding-free"]),
    Flag::many(&["--lazy_tokenize", "--lazy-tokenize"]),
    Flag::many(&["--use_hf", "--use-hf"]),
    Flag::many(&["--use_vllm", "--use-vllm"]),
];

/// Truth values and lists that every `HfArgumentParser` command line of `TrainingArguments` has (transformers hf_argparser.py:
/// truth values take one word or none, lists take several).
pub(super) static TRAINING: &[Flag] = &[
    Flag::many(&["--bf16"]),
    Flag::many(&["--fp16"]),
    Flag::many(&["--tf32"]),
    Flag::many(&["--bf16_full_eval", "--bf16-full-eval"]),
    Flag::many(&["--do_train", "--do-train"]),
    Flag::many(&["--do_eval", "--do-eval"]),
    Flag::many(&["--do_predict", "--do-predict"]),
    Flag::many(&["--gradient_checkpointing", "--gradient-checkpointing"]),
    Flag::many(&["--activation_checkpointing", "--activation-checkpointing"]),
    Flag::many(&["--packing"]),
    Flag::many(&["--group_by_length", "--group-by-length"]),
    Flag::many(&["--remove_unused_columns", "--remove-unused-columns"]),
    Flag::many(&["--overwrite_output_dir", "--overwrite-output-dir"]),
    Flag::many(&["--push_to_hub", "--push-to-hub"]),
    Flag::many(&["--load_best_model_at_end", "--load-best-model-at-end"]),
    Flag::many(&["--load_in_4bit", "--load-in-4bit"]),
    Flag::many(&["--load_in_8bit", "--load-in-8bit"]),
    Flag::many(&["--use_peft", "--use-peft"]),
    Flag::many(&["--lora_target_modules", "--lora-target-modules"]),
    Flag::many(&["--trust_remote_code", "--trust-remote-code"]),
    Flag::many(&["--report_to", "--report-to"]),
    Flag::many(&["--label_names", "--label-names"]),
    Flag::many(&["--dataloader_pin_memory", "--dataloader-pin-memory"]),
    Flag::many(&["--dataloader_drop_last", "--dataloader-drop-last"]),
    Flag::many(&["--dataloader_persistent_workers", "--dataloader-persistent-workers"]),
    Flag::many(&["--ddp_find_unused_parameters", "--ddp-find-unused-parameters"]),
    Flag::many(&["--torch_compile", "--torch-compile"]),
    Flag::many(&["--use_liger_kernel", "--use-liger-kernel"]),
    Flag::many(&["--streaming"]),
];
