//! How long one estimate takes: `cargo bench -p vramlint_memory`, or only those with a word in their name: `-- ZeRO-3`. Prints, and asserts
//! nothing.

use std::hint::black_box;
use std::time::{Duration, Instant};
use vramlint_memory::setup::{Checkpointing, Dtype, Generation, Lora, Parallel, Scheme, Targets, Task};
use vramlint_memory::{Arch, Config, Setup, Value, estimate};

/// What the binary allocates with.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn arch(model_type: &str, numbers: &[(&str, u32)]) -> Arch {
    let mut config = Config::default();
    config.set("model_type", Value::Text(model_type.to_owned()));
    for (key, value) in numbers {
        config.set(*key, Value::Number(f64::from(*value)));
    }
    Arch::from_config(&config)
}

fn llama(hidden: u32, inner: u32, layers: u32, heads: u32) -> Arch {
    arch(
        "llama",
        &[
            ("hidden_size", hidden),
            ("intermediate_size", inner),
            ("num_hidden_layers", layers),
            ("num_attention_heads", heads),
            ("num_key_value_heads", 8),
            ("vocab_size", 128_256),
        ],
    )
}

fn main() {
    let experts = arch(
        "qwen3_moe",
        &[
            ("hidden_size", 4096),
            ("intermediate_size", 12288),
            ("moe_intermediate_size", 1536),
            ("num_hidden_layers", 94),
            ("num_attention_heads", 64),
            ("num_key_value_heads", 4),
            ("head_dim", 128),
            ("num_experts", 128),
            ("num_experts_per_tok", 8),
            ("vocab_size", 151_936),
        ],
    );
    let plain = Setup { micro_batch: 2, sequence_length: 4096, ..Setup::default() };
    let lora = Setup {
        lora: Some(Lora { r: 16, targets: Targets::AllLinear, dropout: true, dtype: Some(Dtype::Fp32), ..Lora::default() }),
        checkpointing: Checkpointing::NonReentrant,
        ..plain.clone()
    };
    let sharded = Setup {
        parallel: Parallel { scheme: Scheme::Zero3, world: 64, local: 8, ..Parallel::default() },
        checkpointing: Checkpointing::NonReentrant,
        ..plain.clone()
    };
    let generating = Setup {
        task: Task::Grpo,
        micro_batch: 8,
        sequence_length: 1536,
        prompt_length: 512,
        generation: Some(Generation { sequences: 8, prompt: 512, completion: 1024, vllm_share: None, sleep_mode: false }),
        ..lora.clone()
    };
    // `--bench` is cargo's own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    for (name, arch, setup) in [
        ("70B, 80 blocks", llama(8192, 28672, 80, 64), &plain),
        ("8B, 32 blocks", llama(4096, 14336, 32, 32), &plain),
        ("8B, 32 blocks, adapters, checkpointing", llama(4096, 14336, 32, 32), &lora),
        ("70B, 80 blocks, adapters, checkpointing", llama(8192, 28672, 80, 64), &lora),
        ("70B, 80 blocks, ZeRO-3, checkpointing", llama(8192, 28672, 80, 64), &sharded),
        ("8B, 32 blocks, adapters, GRPO with generation", llama(4096, 14336, 32, 32), &generating),
        ("235B, 94 blocks of 128 experts", experts, &plain),
    ] {
        if words.iter().any(|word| !name.contains(word.as_str())) {
            continue;
        }
        let mut times: Vec<Duration> = (0..200)
            .map(|_| {
                let start = Instant::now();
                black_box(estimate(black_box(&arch), black_box(setup)));
                start.elapsed()
            })
            .collect();
        times.sort();
        println!("{name}: median {:?}, fastest {:?}", times[times.len() / 2], times[0]);
    }
}
