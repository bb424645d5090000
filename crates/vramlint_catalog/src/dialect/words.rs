//! The words in a name that somebody chose: `GRPO_BATCH_SIZE`, `learnRate`, `batch-size-per-gpu`.

/// The words of `name`, each in its canonical spelling. `None` where the name holds a word that is not known: then it speaks of
/// something else.
pub(super) fn words(name: &str) -> Option<Vec<&'static str>> {
    let (found, all_known) = split(name);
    all_known.then_some(found).filter(|found| !found.is_empty())
}

/// The known words of `name`, whatever else it holds.
pub(super) fn known_words(name: &str) -> Vec<&'static str> {
    split(name).0
}

/// The known words, and whether there were no others.
fn split(name: &str) -> (Vec<&'static str>, bool) {
    let mut found = Vec::with_capacity(6);
    // Longer names are sentences, not settings.
    if name.len() > 64 || !name.is_ascii() {
        return (found, false);
    }
    let mut all_known = true;
    for chunk in name.split(['_', '-', '.', ' ', '/']).filter(|chunk| !chunk.is_empty()) {
        if let Some(canonical) = canonical(&chunk.to_ascii_lowercase()) {
            found.extend_from_slice(canonical);
            continue;
        }
        for part in camel_case(chunk) {
            match canonical(&part.to_ascii_lowercase()) {
                Some(canonical) => found.extend_from_slice(canonical),
                None => all_known = false,
            }
        }
    }
    (found, all_known)
}

/// `batchSize` is `batch`, `Size`; `GPUCount` is `GPU`, `Count`; `numGPUs` is `num`, `GPUs`.
fn camel_case(chunk: &str) -> Vec<&str> {
    let bytes = chunk.as_bytes();
    let mut parts = Vec::new();
    let mut start = 0;
    for at in 1..bytes.len() {
        let (before, here) = (bytes[at - 1], bytes[at]);
        let next = bytes.get(at + 1);
        let plural = next == Some(&b's') && bytes.get(at + 2).is_none_or(u8::is_ascii_uppercase);
        let starts = here.is_ascii_uppercase()
            && (before.is_ascii_lowercase() || before.is_ascii_digit() || next.is_some_and(u8::is_ascii_lowercase) && !plural);
        if starts {
            parts.push(&chunk[start..at]);
            start = at;
        }
    }
    parts.push(&chunk[start..]);
    parts
}

/// The canonical words that a lower-case word stands for.
#[rustfmt::skip] // one meaning a line
fn canonical(word: &str) -> Option<&'static [&'static str]> {
    Some(match word {
        "bs" | "bsz" | "batchsize" => &["batch", "size"],
        "mbs" => &["micro", "batch", "size"],
        "microbatch" => &["micro", "batch"],
        "minibatch" => &["mini", "batch"],
        "batch" => &["batch"], "size" => &["size"], "micro" => &["micro"], "mini" => &["mini"],
        "per" => &["per"], "device" => &["device"], "devices" => &["devices"],
        "gpu" => &["gpu"], "gpus" => &["gpus"], "ngpus" | "ngpu" => &["num", "gpus"],
        "global" => &["global"], "total" => &["total"], "effective" => &["effective"],
        "ga" | "gas" => &["ga"], "gradaccum" => &["gradient", "accumulation"],
        "grad" | "gradient" | "gradients" => &["gradient"],
        "accum" | "accumulate" | "accumulation" | "acc" => &["accumulation"],
        "update" => &["update"], "freq" => &["freq"], "batches" => &["batches"],
        "lr" => &["learning", "rate"], "learn" | "learning" => &["learning"], "rate" => &["rate"],
        "num" | "number" => &["num"], "n" => &["n"], "k" => &["k"], "count" => &["count"], "of" => &["of"],
        "max" => &["max"], "length" | "len" => &["length"], "maxlen" | "maxlength" => &["max", "length"],
        "seqlen" => &["seq", "length"], "seq" | "sequence" => &["seq"], "sequences" => &["sequences"],
        "cutoff" => &["cutoff"], "block" => &["block"], "context" | "ctx" => &["context"], "window" => &["window"],
        "tokens" => &["tokens"], "new" => &["new"], "gen" => &["gen"], "generation" => &["generation"],
        "generations" => &["generations"], "completion" => &["completion"], "completions" => &["completions"],
        "response" => &["response"], "output" => &["output"], "prompt" => &["prompt"],
        "rollout" => &["rollout"], "rollouts" => &["rollouts"], "samples" => &["samples"], "return" => &["return"],
        "group" => &["group"], "best" => &["best"],
        "lora" => &["lora"], "qlora" => &["qlora"], "peft" => &["peft"], "r" => &["r"], "rank" => &["rank"],
        "alpha" => &["alpha"], "target" => &["target"], "targets" => &["targets"], "module" | "modules" => &["modules"],
        "adapter" | "adapters" => &["adapter"],
        "model" => &["model"], "llm" => &["llm"], "name" => &["name"], "path" | "paths" => &["path"], "id" => &["id"],
        "ids" => &["ids"], "or" => &["or"], "base" => &["base"], "pretrained" => &["pretrained"],
        "ref" | "reference" => &["reference"], "judge" => &["judge"],
        "dtype" => &["dtype"], "torch" => &["torch"], "weights" | "weight" => &["weights"],
        "precision" => &["precision"], "mixed" => &["mixed"], "amp" => &["amp"], "half" => &["half"],
        "bf16" | "bfloat16" => &["bf16"], "fp16" | "float16" => &["fp16"], "fp8" => &["fp8"],
        "use" | "enabled" => &["use"], "enable" => &["enable"], "is" => &["is"],
        "load" => &["load"], "in" => &["in"], "4bit" => &["4bit"], "8bit" => &["8bit"], "int8" => &["int8"],
        "quantization" | "quantize" | "quantized" | "quant" => &["quantization"], "bits" | "bit" => &["bits"],
        "optimizer" | "optim" => &["optimizer"], "adam" | "adamw" => &["adam"], "type" => &["type"],
        "epochs" => &["epochs"], "steps" | "step" => &["steps"],
        "world" => &["world"], "nodes" => &["nodes"], "nnodes" => &["num", "nodes"], "machines" => &["machines"],
        "nproc" => &["nproc"], "node" => &["node"], "processes" => &["processes"],
        "workers" | "worker" => &["workers"], "cuda" => &["cuda"], "visible" => &["visible"], "map" => &["map"],
        "checkpointing" => &["checkpointing"], "checkpoint" | "ckpt" => &["checkpoint"], "activation" => &["activation"],
        "flash" => &["flash"], "attention" | "attn" => &["attention"], "impl" | "implementation" => &["implementation"],
        "2" => &["2"], "packing" => &["packing"], "pack" | "packed" => &["pack"], "sample" => &["sample"],
        "deepspeed" => &["deepspeed"], "zero" => &["zero"], "stage" => &["stage"], "offload" => &["offload"],
        "param" | "params" => &["param"], "task" => &["task"], "mode" => &["mode"], "tuning" | "finetuning" => &["tuning"],
        "method" => &["method"], "tuner" => &["tuner"], "config" | "cfg" => &["config"],
        // Whom the value is for.
        "train" | "training" | "trainer" => &["train"],
        "eval" | "evaluation" | "val" | "valid" | "validation" | "test" | "testing" | "infer" | "inference" | "predict"
            | "prediction" | "dev" => &["eval"],
        // Stages.
        "sft" => &["sft"], "grpo" => &["grpo"], "dpo" => &["dpo"], "ppo" => &["ppo"], "kto" => &["kto"],
        "rloo" => &["rloo"], "orpo" => &["orpo"], "rm" => &["rm"], "reward" => &["reward"], "pretrain" | "pretraining" => &["pretrain"],
        // Places of a value, in the names of blocks.
        "data" => &["data"], "dataset" | "datasets" => &["dataset"], "dataloader" => &["dataloader"], "loader" | "loading" => &["loader"],
        "tokenizer" => &["tokenizer"],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_every_style() {
        for (name, expected) in [
            ("GRPO_BATCH_SIZE", "grpo batch size"),
            ("batchSize", "batch size"),
            ("BatchSize", "batch size"),
            ("batch-size-per-gpu", "batch size per gpu"),
            ("numGPUs", "num gpus"),
            ("GPUCount", "gpu count"),
            ("maxSeqLen", "max seq length"),
            ("LoRA_R", "lora r"),
            ("loraRank", "lora rank"),
            ("data.loading.max_length", "data loader max length"),
            ("learnRate", "learning rate"),
            ("useFP16", "use fp16"),
        ] {
            assert_eq!(words(name).map(|words| words.join(" ")).as_deref(), Some(expected), "{name}");
        }
    }

    #[test]
    fn an_unknown_word_ends_it() {
        for name in ["agent_batch_size", "batch_size_multiplier", "", "_", "批大小", "batch_größe", &"batch_".repeat(30)] {
            assert_eq!(words(name), None, "{name}");
        }
        assert_eq!(known_words("my_lora_block"), ["lora", "block"]);
    }
}
