//! How ranks share the work.

use super::Mapping;
use super::said::setting;
use crate::models::Model;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::Dialect;
use vramlint_memory::Setup;
use vramlint_memory::setup::{Offload, Scheme};

impl Mapping<'_> {
    /// Scheme, ranks, buckets, offload. The ranks, where they are known.
    pub(super) fn parallel(&mut self, _model: &Model) -> Result<Option<u64>, Message> {
        let world = self.count("world_size").ok().flatten().map(|choice| choice.most).filter(|world| *world > 0);
        let scheme = self.scheme(world)?;
        let ranks = match (world, scheme) {
            (Some(world), _) => world,
            (None, Scheme::None | Scheme::Ddp) => {
                self.guess(message!("the number of processes is not known: one is taken", "进程数未知：按一个计"));
                1
            }
            (None, _) => return Err(message!("world_size is not known", "world_size 未知")),
        };
        let scheme = if ranks == 1 && scheme == Scheme::Ddp { Scheme::None } else { scheme };
        let local = self.local(ranks);
        self.both(|setup| {
            setup.parallel.scheme = scheme;
            setup.parallel.world = ranks;
            setup.parallel.local = local;
        });
        for (name, set) in AXES {
            if let Some(size) = self.count(name).ok().flatten().filter(|size| size.most > 0) {
                self.both(|setup| set(setup, size.most));
            }
        }
        self.unseen_launch(scheme);
        match scheme {
            Scheme::Zero1 | Scheme::Zero2 | Scheme::Zero3 => self.zero(),
            Scheme::Fsdp1 | Scheme::Fsdp2 => self.fsdp(),
            Scheme::None | Scheme::Ddp => {}
        }
        Ok(world)
    }

    fn scheme(&mut self, world: Option<u64>) -> Result<Scheme, Message> {
        if setting(self.run, "zero_stage").is_some() {
            let stage = self.count("zero_stage")?;
            return match stage.map(|stage| stage.most) {
                // Without ZeRO the engine still keeps fp32 masters, on every rank whole: stage 1 among one rank.
                Some(0 | 1) => Ok(Scheme::Zero1),
                Some(2) => Ok(Scheme::Zero2),
                Some(3) => Ok(Scheme::Zero3),
                Some(other) => Err(message!("ZeRO has no stage {other}", "ZeRO 没有阶段 {other}")),
                None => Err(message!("zero_stage is not known", "zero_stage 未知")),
            };
        }
        let kind = self.text("distributed_type").unwrap_or_default();
        let asked = ["fsdp_sharding", "fsdp_version", "fsdp_wrap"].iter().any(|name| setting(self.run, name).is_some());
        if kind == "fsdp" || asked && kind.is_empty() {
            let strategy = self.text("fsdp_sharding").unwrap_or_default().to_uppercase();
            if strategy.contains("NO_SHARD") || strategy == "3" {
                return Ok(Scheme::Ddp);
            }
            // accelerate 1.15.0 utils/dataclasses.py: version 1 unless asked otherwise; transformers 5.23.0 takes 2 in its own arguments.
            let version =
                self.count("fsdp_version").ok().flatten().map_or(if kind == "fsdp" { 1 } else { 2 }, |version| version.most);
            return Ok(if version == 1 { Scheme::Fsdp1 } else { Scheme::Fsdp2 });
        }
        // The distributed recipes of torchtune 0.7.0 shard with `fully_shard`.
        if self.run.dialect == Dialect::Torchtune && world.is_some_and(|world| world > 1) {
            return Ok(Scheme::Fsdp2);
        }
        if kind.starts_with("megatron") || kind == "tp" {
            return Err(message!("{kind} is not estimated", "不估算 {kind}"));
        }
        Ok(if world == Some(1) { Scheme::None } else { Scheme::Ddp })
    }

    /// A launcher that the project does not show may bring DeepSpeed's offload with it.
    fn unseen_launch(&mut self, scheme: Scheme) {
        let library = !matches!(self.run.dialect, Dialect::Plain | Dialect::Unsloth);
        if self.run.launcher.is_none() && library && matches!(scheme, Scheme::None | Scheme::Ddp) {
            self.assume(message!(
                "the launch command is not shown: nothing is sharded or offloaded",
                "没有启动命令：按不分片、不卸载计"
            ));
            let parallel = &mut self.least.parallel;
            parallel.scheme = Scheme::Zero3;
            parallel.world = parallel.world.max(1);
            parallel.offload_optimizer = Offload::Cpu;
            parallel.offload_param = Offload::Cpu;
        }
    }

    /// Ranks on one machine.
    fn local(&self, ranks: u64) -> u64 {
        let machines =
            self.run.int(vramlint_catalog::Concept::NumMachines).and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0);
        let by_machines = machines.map(|machines| ranks.div_ceil(machines));
        let by_target = self.target().count.map(u64::from).filter(|count| *count > 0);
        by_machines.or(by_target).unwrap_or(ranks).clamp(1, ranks)
    }

    fn zero(&mut self) {
        for (name, set) in BUCKETS {
            if let Some(number) = self.count(name).ok().flatten() {
                self.both(|setup| set(setup, number.most));
            } else if setting(self.run, name).and_then(|setting| setting.value()).and_then(Value::as_str) == Some("auto") {
                self.assume(message!("{name} is auto: DeepSpeed's default is taken", "{name} 为 auto：按 DeepSpeed 的默认值计"));
            }
        }
        let stage3 = self.most.parallel.scheme == Scheme::Zero3;
        // deepspeed 0.19.8 runtime/zero/config.py: unset means on for stage 3 only.
        let overlap = self.flag("overlap_comm", true).map_or(stage3, |choice| choice.most);
        let contiguous = self.flag("contiguous_gradients", true).is_none_or(|choice| choice.most);
        let gather = stage3 && self.is_on("gather_16bit_on_save");
        if setting(self.run, "zero_stage").and_then(|setting| setting.value()) == Some(&Value::Int(0)) {
            self.both(|setup| setup.parallel.world = 1);
        }
        let optimizer = self.offload("offload_optimizer");
        let param = if stage3 { self.offload("offload_param") } else { Offload::None };
        self.both(|setup| {
            setup.parallel.overlap = overlap;
            setup.parallel.contiguous = contiguous;
            setup.parallel.gather_at_save = gather;
            setup.parallel.offload_optimizer = optimizer;
            setup.parallel.offload_param = param;
        });
    }

    fn offload(&self, name: &str) -> Offload {
        match self.text(name).as_deref() {
            Some("cpu") => Offload::Cpu,
            Some("nvme") => Offload::Nvme,
            _ => Offload::None,
        }
    }

    fn fsdp(&mut self) {
        let strategy = self.text("fsdp_sharding").unwrap_or_default().to_uppercase();
        let keeps = strategy.contains("SHARD_GRAD_OP") || strategy == "2";
        let reshard = self.flag("fsdp_reshard", false).map_or(!keeps, |choice| choice.most);
        let wrap = self.text("fsdp_wrap").unwrap_or_default().to_uppercase();
        let offloads = self.is_on("fsdp_offload");
        let local = self.most.parallel.local;
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
        if self.is_on("gather_16bit_on_save") {
            self.both(|setup| setup.parallel.gather_at_save = true);
        }
    }
}

/// A setting that is a number, and where it goes.
type Number = (&'static str, fn(&mut Setup, u64));

/// Ranks that share rows.
const AXES: [Number; 2] = [
    ("tensor_parallel_size", |setup, n| setup.parallel.tensor = n),
    ("context_parallel_size", |setup, n| setup.parallel.context = n),
];

/// Sizes of DeepSpeed's buffers, in elements.
const BUCKETS: [Number; 7] = [
    ("reduce_bucket_size", |setup, n| setup.parallel.reduce_bucket = n),
    ("allgather_bucket_size", |setup, n| setup.parallel.allgather_bucket = n),
    ("stage3_prefetch_bucket_size", |setup, n| setup.parallel.prefetch_bucket = n),
    ("stage3_max_live_parameters", |setup, n| setup.parallel.max_live = n),
    ("stage3_param_persistence_threshold", |setup, n| setup.parallel.persistence = n),
    ("sub_group_size", |setup, n| setup.parallel.sub_group = n),
    ("zero_hpz_partition_size", |setup, n| setup.parallel.hpz = n.max(1)),
];
