//! What changing a setting by one step would do to the memory of a run.

use vramlint_catalog::Concept;
use vramlint_estimate::RunEstimate;
use vramlint_estimate::record::vocabulary::{ATTENTION, HEADS, OFFLOADS, OPTIMIZERS, name};
use vramlint_memory::Setup;
use vramlint_memory::estimate::Part;
use vramlint_memory::setup::{Attention, Checkpointing, Dtype, Head, Offload, Optimizer, Quantization, Scheme};

/// A change of one setting, and the setup after it.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The current value, as in the setup.
    pub from: String,
    /// The new value.
    pub to: String,
    /// The setup with only this change.
    pub setup: Setup,
}

/// Whether a setting affects GPU memory.
pub(super) fn affects_memory(concept: Concept) -> bool {
    use Concept as C;
    concept.is_sharding() && !matches!(concept, C::FsdpStateDict)
        || matches!(
            concept,
            C::Model
                | C::MicroBatch
                | C::SequenceLength
                | C::MaxCompletionLength
                | C::MaxPromptLength
                | C::NumGenerations
                | C::WeightsDtype
                | C::MixedPrecision
                | C::Quantization
                | C::QuantizationComputeDtype
                | C::Method
                | C::Freeze
                | C::LoraR
                | C::LoraTargets
                | C::LoraTargetParameters
                | C::UseDora
                | C::LoraModulesToSave
                | C::Optimizer
                | C::GradientCheckpointing
                | C::CheckpointingReentrant
                | C::FusedLoss
                | C::Attention
                | C::ZeroStage
                | C::OffloadOptimizer
                | C::OffloadParam
                | C::WorldSize
                | C::NumProcesses
                | C::DistributedType
                | C::TensorParallelSize
                | C::ContextParallelSize
                | C::ReferenceModel
                | C::PrecomputeRefLogProbs
                | C::VllmMode
                | C::VllmGpuMemoryUtilization
                | C::VllmSleep
                | C::AllocatorConf
        )
}

/// The part of the memory that a setting affects first.
pub(super) fn affected_part(concept: Concept, found: &RunEstimate) -> Option<Part> {
    use Concept as C;
    let sharded = !matches!(found.setup.parallel.scheme, Scheme::None | Scheme::Ddp);
    Some(match concept {
        C::MicroBatch | C::SequenceLength | C::MaxCompletionLength | C::MaxPromptLength => {
            if found.part(Part::Logits) > found.part(Part::Activations) { Part::Logits } else { Part::Activations }
        }
        C::GradientCheckpointing | C::CheckpointingReentrant | C::Attention | C::FsdpActivationCheckpointing => Part::Activations,
        C::FusedLoss => Part::Logits,
        C::Model | C::Quantization | C::WeightsDtype | C::OffloadParam | C::TensorParallelSize | C::FsdpSharding => Part::Weights,
        C::Optimizer | C::OffloadOptimizer | C::LoraR | C::LoraTargets | C::LoraTargetParameters | C::UseDora | C::ZeroStage => {
            Part::Optimizer
        }
        C::WorldSize | C::NumProcesses if sharded => Part::Optimizer,
        C::AllocatorConf => Part::Fragmentation,
        C::ReduceBucketSize | C::AllgatherBucketSize | C::Stage3PrefetchBucketSize | C::OverlapComm => Part::Buffers,
        _ => return None,
    })
}

/// One step down and one step up, if they exist.
pub(super) fn steps(concept: Concept, found: &RunEstimate) -> Vec<Step> {
    let setup = &found.setup;
    let step = |from: String, to: String, change: &dyn Fn(&mut Setup)| {
        let mut setup = setup.clone();
        change(&mut setup);
        Step { from, to, setup }
    };
    let named = |from: &str, to: &str, change: &dyn Fn(&mut Setup)| vec![step(from.to_owned(), to.to_owned(), change)];
    match concept {
        Concept::MicroBatch => {
            let old = setup.micro_batch;
            halved_and_doubled(old)
                .into_iter()
                .map(|new| step(old.to_string(), new.to_string(), &|s| set_micro_batch(s, new)))
                .collect()
        }
        // With generation, the sequence length is the sum of two settings.
        Concept::SequenceLength if setup.generation.is_none() => {
            let old = setup.sequence_length;
            let change = |new| {
                step(old.to_string(), u64::to_string(&new), &|s| {
                    s.sequence_length = new;
                    s.prompt_length = s.prompt_length.min(new / 2);
                })
            };
            halved_and_doubled(old).into_iter().map(change).collect()
        }
        Concept::LoraR => setup.lora.as_ref().map_or_else(Vec::new, |lora| {
            let change = |new| {
                step(lora.r.to_string(), u64::to_string(&new), &|s| {
                    if let Some(lora) = &mut s.lora {
                        lora.r = new;
                    }
                })
            };
            halved_and_doubled(lora.r).into_iter().map(change).collect()
        }),
        Concept::ZeroStage => neighbouring_stages(setup.parallel.scheme)
            .iter()
            .map(|(from, to, scheme)| step((*from).to_owned(), (*to).to_owned(), &|s| set_stage(s, *scheme)))
            .collect(),
        Concept::GradientCheckpointing if setup.checkpointing == Checkpointing::None => named("off", "on", &|s| {
            s.checkpointing = Checkpointing::NonReentrant;
            s.use_cache = false;
        }),
        Concept::GradientCheckpointing => named("on", "off", &|s| s.checkpointing = Checkpointing::None),
        Concept::FusedLoss if setup.head == Head::FullLogits => {
            named(name(HEADS, Head::FullLogits), name(HEADS, Head::Liger), &|s| s.head = Head::Liger)
        }
        Concept::FusedLoss => named(name(HEADS, setup.head), name(HEADS, Head::FullLogits), &|s| s.head = Head::FullLogits),
        Concept::Attention => {
            let to = if setup.attention == Attention::Eager { Attention::Sdpa } else { Attention::Eager };
            named(name(ATTENTION, setup.attention), name(ATTENTION, to), &|s| s.attention = to)
        }
        // DeepSpeed shards and offloads its own optimizers.
        Concept::Optimizer if matches!(setup.parallel.scheme, Scheme::Zero1 | Scheme::Zero2 | Scheme::Zero3) => Vec::new(),
        Concept::Optimizer => alternative_optimizer(setup.optimizer)
            .map_or_else(Vec::new, |to| named(name(OPTIMIZERS, setup.optimizer), name(OPTIMIZERS, to), &|s| s.optimizer = to)),
        Concept::OffloadOptimizer => {
            let to = toggled_offload(setup.parallel.offload_optimizer);
            named(name(OFFLOADS, setup.parallel.offload_optimizer), name(OFFLOADS, to), &|s| s.parallel.offload_optimizer = to)
        }
        // Only ZeRO-3 can offload parameters.
        Concept::OffloadParam if setup.parallel.scheme == Scheme::Zero3 => {
            let to = toggled_offload(setup.parallel.offload_param);
            named(name(OFFLOADS, setup.parallel.offload_param), name(OFFLOADS, to), &|s| s.parallel.offload_param = to)
        }
        // A quantized base model needs adapters.
        Concept::Quantization if setup.lora.is_some() && setup.quantization == Quantization::None => {
            named("none", "nf4", &|s| s.quantization = Quantization::FourBit { double: false })
        }
        Concept::WeightsDtype if setup.quantization == Quantization::None => {
            let to = if setup.weights == Dtype::Fp32 { Dtype::Bf16 } else { Dtype::Fp32 };
            named(setup.weights.name(), to.name(), &|s| s.weights = to)
        }
        Concept::AllocatorConf => {
            let on = setup.expandable_segments;
            let named_step = |from: &str, to: &str| {
                step(format!("expandable_segments {from}"), to.to_owned(), &|s| s.expandable_segments = !on)
            };
            vec![if on { named_step("on", "off") } else { named_step("off", "on") }]
        }
        Concept::WorldSize | Concept::NumProcesses => ranks(setup)
            .into_iter()
            .map(|new| {
                step(setup.parallel.world.to_string(), new.to_string(), &|s| {
                    s.parallel.local = (s.parallel.local * new / s.parallel.world.max(1)).max(1);
                    s.parallel.world = new;
                })
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Half, if it is an integer, and twice.
fn halved_and_doubled(number: u64) -> Vec<u64> {
    let half = (number > 1 && number.is_multiple_of(2)).then_some(number / 2);
    half.into_iter().chain(number.checked_mul(2).filter(|_| number > 0)).collect()
}

/// World sizes that change the shards; without sharding, memory does not depend on the world size.
fn ranks(setup: &Setup) -> Vec<u64> {
    match setup.parallel.scheme {
        Scheme::None | Scheme::Ddp => Vec::new(),
        _ => halved_and_doubled(setup.parallel.world).into_iter().filter(|new| *new > 1).collect(),
    }
}

/// Another micro-batch size, with the same accumulation.
fn set_micro_batch(setup: &mut Setup, samples: u64) {
    let old = setup.micro_batch;
    // The generation batch follows the accumulation unless its steps are set (trl 1.16.0 trainer/grpo_config.py).
    if let Some(round) = &mut setup.generation
        && round.sequences == old.saturating_mul(setup.accumulation)
    {
        round.sequences = samples.saturating_mul(setup.accumulation);
    }
    setup.micro_batch = samples;
    // A single sample is not padded.
    setup.padding_mask = setup.padding_mask && samples.saturating_mul(setup.task.sequences_per_sample()) > 1;
}

/// The adjacent `ZeRO` stages, with their numbers.
const fn neighbouring_stages(scheme: Scheme) -> &'static [(&'static str, &'static str, Scheme)] {
    match scheme {
        Scheme::Zero1 => &[("1", "2", Scheme::Zero2)],
        Scheme::Zero2 => &[("2", "1", Scheme::Zero1), ("2", "3", Scheme::Zero3)],
        Scheme::Zero3 => &[("3", "2", Scheme::Zero2)],
        _ => &[],
    }
}

fn set_stage(setup: &mut Setup, scheme: Scheme) {
    // The default of `overlap_comm` is true only for stage 3 (deepspeed 0.19.8 runtime/zero/config.py): an unset value follows the
    // stage.
    let by_default = setup.parallel.overlap == (setup.parallel.scheme == Scheme::Zero3);
    if by_default {
        setup.parallel.overlap = scheme == Scheme::Zero3;
    }
    setup.parallel.scheme = scheme;
    if scheme != Scheme::Zero3 {
        setup.parallel.offload_param = Offload::None;
    }
}

const fn alternative_optimizer(optimizer: Optimizer) -> Option<Optimizer> {
    Some(match optimizer {
        Optimizer::AdamWFused | Optimizer::AdamWForeach | Optimizer::AdamWForLoop => Optimizer::AdamW8bit,
        Optimizer::AdamW8bit | Optimizer::PagedAdamW8bit => Optimizer::AdamWFused,
        _ => return None,
    })
}

const fn toggled_offload(offload: Offload) -> Offload {
    match offload {
        Offload::None => Offload::Cpu,
        Offload::Cpu | Offload::Nvme => Offload::None,
    }
}
