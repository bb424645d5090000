//! How ranks share the work.

use super::Mapping;
use crate::models::Model;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::Concept;
use vramlint_memory::Setup;
use vramlint_memory::setup::{Offload, Scheme};

impl Mapping<'_> {
    /// Scheme, ranks, buckets, offloading. Returns the number of ranks, if known.
    pub(super) fn parallel(&mut self, _model: &Model) -> Result<Option<u64>, Message> {
        let world = self.count(Concept::WorldSize).ok().flatten().map(|choice| choice.upper).filter(|world| *world > 0);
        let scheme = self.scheme(world)?;
        let ranks = match (world, scheme) {
            (Some(world), _) => world,
            (None, Scheme::None | Scheme::Ddp) => {
                self.assume_unverified(message!("the number of processes is unknown: assuming one", "进程数未知：按一个计"));
                1
            }
            (None, _) => self.assumed_processes(),
        };
        let scheme = if ranks == 1 && scheme == Scheme::Ddp { Scheme::None } else { scheme };
        let local = self.local(ranks);
        self.both(|setup| {
            setup.parallel.scheme = scheme;
            setup.parallel.world = ranks;
            setup.parallel.local = local;
        });
        for (concept, set) in AXES {
            if let Some(size) = self.positive(concept).ok().flatten() {
                self.both(|setup| set(setup, size.upper));
            }
        }
        if self.open_world {
            self.share_assumed_processes();
        }
        // What is sharded is sharded over the ranks of a sequence too (deepspeed 0.19.8 runtime/sequence_parallel, accelerate 1.15.0
        // parallelism_config.py: `dp_shard_cp`).
        if !matches!(scheme, Scheme::None | Scheme::Ddp) {
            self.both(|setup| {
                let parallel = &mut setup.parallel;
                parallel.world = parallel.world.saturating_mul(parallel.context.max(1));
                parallel.local = parallel.local.saturating_mul(parallel.context.max(1)).min(parallel.world);
            });
        }
        self.unseen_launch(scheme);
        match scheme {
            Scheme::Zero1 | Scheme::Zero2 | Scheme::Zero3 => self.zero(),
            Scheme::Fsdp1 | Scheme::Fsdp2 => self.fsdp(),
            Scheme::None | Scheme::Ddp | Scheme::Megatron => {}
        }
        Ok(world)
    }

    /// Processes of a sharded run whose launch does not say how many it starts: a machine. The bounds allow for one process and for many.
    fn assumed_processes(&mut self) -> u64 {
        let of_target = self.target().count.map(u64::from).filter(|count| *count > 0);
        let ranks = of_target.unwrap_or(USUAL_GPUS);
        self.assume_unverified(message!(
            "the number of processes is unknown: assuming {ranks}, the GPUs of one machine; `--gpus` gives it",
            "进程数未知：按一台机器的 {ranks} 块 GPU 计；可用 `--gpus` 指定"
        ));
        self.open_world = true;
        ranks
    }

    /// Of the GPUs of one machine, those that share each sequence or each layer hold no rows of their own.
    fn share_assumed_processes(&mut self) {
        self.both(|setup| {
            let parallel = &mut setup.parallel;
            let sharing = parallel.tensor.max(1).saturating_mul(parallel.context.max(1));
            parallel.world = (parallel.world / sharing).max(1);
            parallel.local = parallel.local.min(parallel.world);
        });
    }

    fn scheme(&mut self, world: Option<u64>) -> Result<Scheme, Message> {
        if self.has(Concept::ZeroStage) {
            let stage = self.count(Concept::ZeroStage)?;
            return match stage.map(|stage| stage.upper) {
                // Stage 0 still keeps full fp32 masters on every rank: like stage 1 with a single rank.
                Some(0 | 1) => Ok(Scheme::Zero1),
                Some(2) => Ok(Scheme::Zero2),
                Some(3) => Ok(Scheme::Zero3),
                Some(other) => Err(message!("ZeRO has no stage {other}", "ZeRO 没有阶段 {other}")),
                None => Err(message!("zero_stage is unknown", "zero_stage 未知")),
            };
        }
        let kind = self.text(Concept::DistributedType).unwrap_or_default();
        let asked = [Concept::FsdpSharding, Concept::FsdpVersion, Concept::FsdpWrap].iter().any(|concept| self.has(*concept));
        if kind == "fsdp" || asked && kind.is_empty() {
            let strategy = self.text(Concept::FsdpSharding).unwrap_or_default().to_uppercase();
            if strategy.contains("NO_SHARD") || strategy == "3" {
                return Ok(Scheme::Ddp);
            }
            // accelerate 1.15.0 utils/dataclasses.py: version 1 by default; transformers 5.23.0 defaults to 2 in its own arguments.
            let first = kind == "fsdp" || self.run.dialect.estimate.first_fsdp;
            let stated = self.count(Concept::FsdpVersion).ok().flatten();
            let version = stated.map_or(if first { 1 } else { 2 }, |version| version.upper);
            return Ok(if version == 1 { Scheme::Fsdp1 } else { Scheme::Fsdp2 });
        }
        // The distributed recipes of torchtune 0.7.0 shard with `fully_shard`.
        if self.run.dialect.estimate.is_recipe && world.is_some_and(|world| world > 1) {
            return Ok(Scheme::Fsdp2);
        }
        if kind.starts_with("megatron") || kind == "tp" {
            return Err(message!("estimates do not support {kind}", "不支持估算 {kind}"));
        }
        Ok(if world == Some(1) { Scheme::None } else { Scheme::Ddp })
    }

    /// An unknown launcher may add DeepSpeed with offloading.
    fn unseen_launch(&mut self, scheme: Scheme) {
        let library = self.run.dialect.estimate.may_be_launched;
        if self.run.launcher.is_none() && library && matches!(scheme, Scheme::None | Scheme::Ddp) {
            self.assume(message!(
                "the launch command is unknown: assuming no sharding and no offloading",
                "启动命令未知：按不分片、不卸载计"
            ));
            let parallel = &mut self.lower.parallel;
            parallel.scheme = Scheme::Zero3;
            parallel.world = parallel.world.max(1);
            parallel.offload_optimizer = Offload::Cpu;
            parallel.offload_param = Offload::Cpu;
        }
    }

    /// Ranks per machine.
    fn local(&self, ranks: u64) -> u64 {
        let machines = self.run.int(Concept::NumMachines).and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0);
        let by_machines = machines.map(|machines| ranks.div_ceil(machines));
        let by_target = self.target().count.map(u64::from).filter(|count| *count > 0);
        by_machines.or(by_target).unwrap_or(ranks).clamp(1, ranks)
    }

    fn zero(&mut self) {
        for (concept, set) in BUCKETS {
            if let Some(number) = self.count(concept).ok().flatten() {
                self.both(|setup| set(setup, number.upper));
            } else if self.value(concept).and_then(Value::as_str) == Some("auto") {
                let name = concept.name();
                self.assume(message!("{name} is auto: assuming DeepSpeed's default", "{name} 为 auto：按 DeepSpeed 的默认值计"));
            }
        }
        let stage3 = self.upper.parallel.scheme == Scheme::Zero3;
        // deepspeed 0.19.8 runtime/zero/config.py: enabled by default for stage 3 only.
        let overlap = self.flag(Concept::OverlapComm, true).map_or(stage3, |choice| choice.upper);
        let contiguous = self.flag(Concept::ContiguousGradients, true).is_none_or(|choice| choice.upper);
        let gather = stage3 && self.is_on(Concept::Gather16bitOnSave);
        if self.value(Concept::ZeroStage) == Some(&Value::Int(0)) {
            self.both(|setup| setup.parallel.world = 1);
        }
        let optimizer = self.offload(Concept::OffloadOptimizer);
        let param = if stage3 { self.offload(Concept::OffloadParam) } else { Offload::None };
        self.both(|setup| {
            setup.parallel.overlap = overlap;
            setup.parallel.contiguous = contiguous;
            setup.parallel.gather_at_save = gather;
            setup.parallel.offload_optimizer = optimizer;
            setup.parallel.offload_param = param;
        });
    }

    fn offload(&self, concept: Concept) -> Offload {
        match self.text(concept).as_deref() {
            Some("cpu") => Offload::Cpu,
            Some("nvme") => Offload::Nvme,
            _ => Offload::None,
        }
    }

    fn fsdp(&mut self) {
        let strategy = self.text(Concept::FsdpSharding).unwrap_or_default().to_uppercase();
        let keeps = strategy.contains("SHARD_GRAD_OP") || strategy == "2";
        let reshard = self.flag(Concept::FsdpReshard, false).map_or(!keeps, |choice| choice.upper);
        let wrap = self.text(Concept::FsdpWrap).unwrap_or_default().to_uppercase();
        let offloads = self.is_on(Concept::FsdpOffload);
        let local = self.upper.parallel.local;
        self.both(|setup| {
            let parallel = &mut setup.parallel;
            parallel.reshard = reshard;
            parallel.wrap_blocks = !wrap.contains("NO_WRAP");
            if strategy.contains("HYBRID") {
                parallel.world = local;
            }
            if offloads {
                parallel.offload_param = Offload::Cpu;
                parallel.offload_optimizer = Offload::Cpu;
            }
        });
        if self.is_on(Concept::Gather16bitOnSave) {
            self.both(|setup| setup.parallel.gather_at_save = true);
        }
    }
}

/// GPUs of the usual machine for training: DGX and HGX systems (docs.nvidia.com, DGX H100 user guide, 1.1).
const USUAL_GPUS: u64 = 8;

/// An integer setting and the field that it sets.
type CountSetting = (Concept, fn(&mut Setup, u64));

/// Ranks that share each sequence.
const AXES: [CountSetting; 2] = [
    (Concept::TensorParallelSize, |setup, n| setup.parallel.tensor = n),
    (Concept::ContextParallelSize, |setup, n| setup.parallel.context = n),
];

/// Sizes of DeepSpeed's buffers, in elements.
const BUCKETS: [CountSetting; 7] = [
    (Concept::ReduceBucketSize, |setup, n| setup.parallel.reduce_bucket = n),
    (Concept::AllgatherBucketSize, |setup, n| setup.parallel.allgather_bucket = n),
    (Concept::Stage3PrefetchBucketSize, |setup, n| setup.parallel.prefetch_bucket = n),
    (Concept::Stage3MaxLiveParameters, |setup, n| setup.parallel.max_live = n),
    (Concept::Stage3ParamPersistenceThreshold, |setup, n| setup.parallel.persistence = n),
    (Concept::SubGroupSize, |setup, n| setup.parallel.sub_group = n),
    (Concept::ZeroHpzPartitionSize, |setup, n| setup.parallel.hpz = n.max(1)),
];
