//! Who wins where several places set the same thing, per way of launching.

use crate::Concept;

/// How a run is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LaunchPath {
    /// `accelerate launch`, any type but DeepSpeed.
    Accelerate,
    /// `accelerate launch` with DeepSpeed.
    AccelerateDeepSpeed,
    /// `torchrun`: accelerate's file is never read.
    Torchrun,
    /// The `deepspeed` launcher.
    DeepSpeed,
    /// `python`: one process; accelerate's file is never read.
    Python,
    /// A framework's own command line.
    Framework,
}

struct Row {
    routes: &'static [LaunchPath],
    concepts: &'static [Concept],
    /// Strongest first.
    order: &'static str,
    source: &'static str,
}

use Concept as C;
use LaunchPath as R;

/// Every fact was run or read with accelerate 1.15.0, deepspeed 0.19.8 and transformers 5.23.0.
const ROWS: &[Row] = &[
    Row {
        routes: &[R::Accelerate, R::AccelerateDeepSpeed],
        concepts: &[C::NumProcesses, C::WorldSize],
        order: "--num_processes > num_processes in the file > number of GPUs",
        source: "accelerate 1.15.0 accelerate/commands/launch.py:1278-1324",
    },
    Row {
        routes: &[R::Accelerate, R::AccelerateDeepSpeed],
        concepts: &[C::NumMachines],
        order: "--num_machines > num_machines in the file > 1",
        source: "accelerate 1.15.0 accelerate/commands/launch.py:1253-1283",
    },
    Row {
        routes: &[R::Accelerate, R::AccelerateDeepSpeed],
        concepts: &[C::DistributedType],
        order: "--multi_gpu, --use_fsdp or --use_deepspeed (replaces what the file says) > distributed_type in the file",
        source: "accelerate 1.15.0 accelerate/commands/launch.py:1220-1244",
    },
    Row {
        routes: &[R::Accelerate, R::AccelerateDeepSpeed],
        concepts: &[C::GpuIds, C::VisibleDevices],
        order: "--gpu_ids > gpu_ids in the file > CUDA_VISIBLE_DEVICES (overwritten unless gpu_ids is all or null)",
        source: "accelerate 1.15.0 accelerate/commands/launch.py:1246-1250, accelerate/utils/launch.py:152,277,549",
    },
    Row {
        routes: &[R::Accelerate],
        concepts: &[C::MixedPrecision],
        order: "Accelerator(mixed_precision=) or the trainer's bf16/fp16 > --mixed_precision > mixed_precision in the file > no \
                (ACCELERATE_MIXED_PRECISION is overwritten)",
        source: "accelerate 1.15.0 accelerate/utils/launch.py:169, accelerate/accelerator.py:315",
    },
    Row {
        routes: &[R::AccelerateDeepSpeed],
        concepts: &[C::MixedPrecision],
        order: "bf16.enabled or fp16.enabled in the DeepSpeed JSON > Accelerator(mixed_precision=) or the trainer's bf16/fp16 > \
                --mixed_precision > mixed_precision in the file > no",
        source: "accelerate 1.15.0 accelerate/utils/dataclasses.py:1439",
    },
    Row {
        routes: &[R::Accelerate],
        concepts: &[C::GradientAccumulationSteps],
        order: "ACCELERATE_GRADIENT_ACCUMULATION_STEPS > the code (the flag and the file have no effect without DeepSpeed)",
        source: "accelerate 1.15.0 accelerate/accelerator.py:546",
    },
    Row {
        routes: &[R::AccelerateDeepSpeed],
        concepts: &[C::GradientAccumulationSteps],
        order: "gradient_accumulation_steps in the DeepSpeed JSON > --gradient_accumulation_steps > deepspeed_config in the file > \
                ACCELERATE_GRADIENT_ACCUMULATION_STEPS > the code",
        source: "accelerate 1.15.0 accelerate/accelerator.py:546,2217",
    },
    Row {
        routes: &[R::AccelerateDeepSpeed],
        concepts: &[C::ZeroStage, C::OffloadOptimizer, C::OffloadParam],
        order: "DeepSpeedPlugin in the code > the DeepSpeed JSON > the flag > deepspeed_config in the file > ACCELERATE_DEEPSPEED_* \
                (beside a JSON these only fill auto)",
        source: "accelerate 1.15.0 accelerate/utils/dataclasses.py:1277-1339",
    },
    Row {
        routes: &[R::AccelerateDeepSpeed, R::DeepSpeed, R::Torchrun, R::Framework],
        concepts: &[C::MicroBatch, C::EffectiveBatch],
        order: "a number in the DeepSpeed JSON must equal the trainer's argument; auto takes it over",
        source: "transformers 5.23.0 transformers/integrations/deepspeed.py:260",
    },
    Row {
        routes: &[R::AccelerateDeepSpeed, R::DeepSpeed],
        concepts: &[C::Optimizer, C::LearningRate],
        order: "optimizer in the DeepSpeed JSON > the trainer's argument; auto takes it over",
        source: "transformers 5.23.0 transformers/integrations/deepspeed.py",
    },
    Row {
        routes: &[R::DeepSpeed],
        concepts: &[C::ZeroStage, C::OffloadOptimizer, C::OffloadParam, C::GradientAccumulationSteps, C::MixedPrecision],
        order: "the DeepSpeed JSON > the trainer's argument; auto takes it over",
        source: "deepspeed 0.19.8 deepspeed/runtime/config.py:588-655",
    },
    Row {
        routes: &[R::Torchrun],
        concepts: &[C::NumProcesses, C::WorldSize],
        order: "--nproc_per_node × --nnodes > PET_NPROC_PER_NODE > 1 (accelerate's file is not read)",
        source: "torch 2.15 torch/distributed/run.py",
    },
    Row {
        routes: &[R::DeepSpeed],
        concepts: &[C::NumProcesses, C::WorldSize, C::GpuIds],
        order: "--include or --exclude > --num_gpus × --num_nodes > slots in the hostfile > CUDA_VISIBLE_DEVICES > number of GPUs",
        source: "deepspeed 0.19.8 deepspeed/launcher/runner.py",
    },
    Row {
        routes: &[R::Python],
        concepts: &[C::NumProcesses, C::WorldSize],
        order: "WORLD_SIZE in the environment > 1 (accelerate's file is not read)",
        source: "accelerate 1.15.0 accelerate/state.py:769-791",
    },
    Row {
        routes: &[R::Torchrun, R::Python],
        concepts: &[C::MixedPrecision],
        order: "the code or the trainer's bf16/fp16 > ACCELERATE_MIXED_PRECISION > no (accelerate's file is not read)",
        source: "transformers 5.23.0 transformers/training_args.py, accelerate 1.15.0 accelerate/accelerator.py:315",
    },
    Row {
        routes: &[R::Torchrun, R::Python],
        concepts: &[C::GradientAccumulationSteps],
        order: "ACCELERATE_GRADIENT_ACCUMULATION_STEPS > the code",
        source: "accelerate 1.15.0 accelerate/accelerator.py:546",
    },
    Row {
        routes: &[R::Framework],
        concepts: &[
            C::GradientAccumulationSteps,
            C::LearningRate,
            C::Epochs,
            C::MaxSteps,
            C::SequenceLength,
            C::MixedPrecision,
            C::Method,
            C::LoraR,
            C::LoraAlpha,
            C::Optimizer,
            C::GradientCheckpointing,
        ],
        order: "the command line > the framework's YAML > the framework's default",
        source: "trl 1.16.0 trl/scripts/utils.py, LLaMA-Factory 0.9.6 src/llamafactory/hparams/parser.py:118",
    },
    Row {
        routes: &[R::Accelerate, R::AccelerateDeepSpeed, R::Torchrun, R::DeepSpeed, R::Python, R::Framework],
        concepts: &[C::Epochs, C::MaxSteps],
        order: "max_steps > num_train_epochs",
        source: "transformers 5.23.0 transformers/training_args.py",
    },
];

/// Who wins for `concept` when a run starts by `route`, strongest first, and the source that proves it.
pub fn precedence(route: LaunchPath, concept: Concept) -> Option<(&'static str, &'static str)> {
    let row = ROWS.iter().find(|row| row.routes.contains(&route) && row.concepts.contains(&concept))?;
    Some((row.order, row.source))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUTES: [LaunchPath; 6] = [R::Accelerate, R::AccelerateDeepSpeed, R::Torchrun, R::DeepSpeed, R::Python, R::Framework];

    #[test]
    fn every_row_names_an_order_and_a_source() {
        for row in ROWS {
            assert!(!row.routes.is_empty() && !row.concepts.is_empty());
            assert!(row.order.contains('>') || row.order.contains("must equal"), "{}", row.order);
            assert!(!row.order.contains("  ") && row.source.contains(".py"), "{}", row.order);
        }
    }

    #[test]
    fn routes_differ_where_the_tools_do() {
        let order = |route, concept| precedence(route, concept).map(|(order, _)| order);
        assert!(order(R::Accelerate, C::NumProcesses).is_some_and(|text| text.starts_with("--num_processes >")));
        assert!(order(R::Torchrun, C::NumProcesses).is_some_and(|text| text.starts_with("--nproc_per_node")));
        assert_ne!(order(R::Accelerate, C::MixedPrecision), order(R::AccelerateDeepSpeed, C::MixedPrecision));
        assert_ne!(
            order(R::Accelerate, C::GradientAccumulationSteps),
            order(R::AccelerateDeepSpeed, C::GradientAccumulationSteps)
        );
        for route in ROUTES {
            assert!(precedence(route, C::RewardModel).is_none());
        }
    }
}
