//! # parallelism-sizes-clash
//!
//! Incompatible sizes in accelerate's `parallelism_config`.
//!
//! ## Why it matters
//! `ParallelismConfig` rejects sizes below 1, context with sequence parallelism, and tensor or context parallelism with pure
//! replication. The product of the sizes must equal the number of processes. Context parallelism needs FSDP 2. `Accelerator()`
//! raises an error in each case.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: FSDP
//! num_processes: 2
//! fsdp_config:
//!   fsdp_version: 2
//!   fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
//! parallelism_config:
//!   parallelism_config_dp_shard_size: 4
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: FSDP
//! num_processes: 4
//! fsdp_config:
//!   fsdp_version: 2
//!   fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
//! parallelism_config:
//!   parallelism_config_dp_shard_size: 4
//! ```
//!
//! ## When it stays silent
//! When a flag drops the block (`mode-flag-replaces-file` reports it). The product is not checked with DeepSpeed's sequence
//! parallelism, which does not check it either.
//!
//! ## Fix
//! None: the intended size is unknown.
//!
//! ## Sources
//! accelerate 1.15.0 `parallelism_config.py:309-340`, `:373`, `state.py:998-1007`, run, each.
//!
//! # 中文
//!
//! accelerate 的 `parallelism_config` 中互不相容的大小。
//!
//! ## 为什么重要
//! `ParallelismConfig` 拒绝小于 1 的大小、上下文并行与序列并行同用、张量或上下文并行与纯复制同用。各大小的乘积必须等于进程数。上下文并行需要 FSDP 2。以上各种情况 `Accelerator()` 都会报错。
//!
//! ## 何时不报
//! 参数丢弃了该块时（由 `mode-flag-replaces-file` 报告）；使用 DeepSpeed 的序列并行时不检查乘积（它本身也不检查）。
//!
//! ## 修复
//! 无：无法得知哪个大小才是本意。
//!
//! ## 来源
//! accelerate 1.15.0 `parallelism_config.py:309-340`、`:373`、`state.py:998-1007`，逐项实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, Finding, Severity, count_noun, message};
use vramlint_semantic::accelerate::{AccelerateLaunch, LaunchMethod, LaunchValue};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL505", "parallelism-sizes-clash", Severity::Error, page!("parallelism_sizes_clash.rs"), check)
};

const BLOCK: &str = "parallelism_config";

/// The sizes, by the short names of the class.
const SIZES: &[(&str, &str)] = &[
    ("dp_replicate_size", "parallelism_config_dp_replicate_size"),
    ("dp_shard_size", "parallelism_config_dp_shard_size"),
    ("tp_size", "parallelism_config_tp_size"),
    ("cp_size", "parallelism_config_cp_size"),
    ("sp_size", "parallelism_config_sp_size"),
];

/// The sizes of a launch: the number and its place.
struct Sizes(Vec<(&'static str, i64, Option<LaunchValue>)>);

impl Sizes {
    /// `None` if one is unknown, or if nothing reads them.
    fn of(start: &AccelerateLaunch<'_>) -> Option<Self> {
        let flag = start.flag("--use_parallelism_config").is_some();
        let dropped = start.distributed_type()?.by_flag && !flag;
        let block = start.root().and_then(|root| root.get(BLOCK)).is_some_and(|block| block.entries().next().is_some());
        if dropped || !(flag || block) || !matches!(start.method()?, LaunchMethod::Torchrun | LaunchMethod::DeepSpeed) {
            return None;
        }
        let size = |(short, key): &(&'static str, &str)| match start.block(BLOCK, key) {
            Evaluated::Absent => Some((*short, 1, None)),
            Evaluated::Unknown(_) => None,
            Evaluated::Known(given) => Some((*short, given.as_int()?, Some(given))),
        };
        Some(Self(SIZES.iter().map(size).collect::<Option<_>>()?))
    }

    fn get(&self, name: &str) -> (i64, Option<&LaunchValue>) {
        self.0.iter().find(|(own, _, _)| *own == name).map_or((1, None), |(_, size, given)| (*size, given.as_ref()))
    }

    /// The sizes above 1, as in `dp_shard_size 4 × tp_size 2`.
    fn shown(&self) -> String {
        let parts: Vec<String> =
            self.0.iter().filter(|(_, size, _)| *size > 1).map(|(name, size, _)| format!("{name} {size}")).collect();
        parts.join(" × ")
    }
}

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some(sizes) = Sizes::of(start) else { continue };
        let found = itself(&sizes).or_else(|| context(start, &sizes)).or_else(|| product(start, &sizes));
        if let Some(finding) = found.filter(|finding| out.mark_reported(finding.place)) {
            out.push(finding);
        }
    }
}

/// Sizes that the class itself rejects.
fn itself(sizes: &Sizes) -> Option<Finding> {
    if let Some((name, size, Some(given))) = sizes.0.iter().find(|(_, size, _)| *size < 1) {
        let message =
            message!("Accelerator() rejects {name} {size}: the minimum is 1", "Accelerator() 拒绝 {name} 为 {size}：最小值为 1");
        return Some(RULE.finding(given.place, message));
    }
    let (cp, (sp, sp_at)) = (sizes.get("cp_size"), sizes.get("sp_size"));
    if let (true, Some(cp_at), Some(sp_at)) = (cp.0 > 1 && sp > 1, cp.1, sp_at) {
        let cp = cp.0;
        let message = message!(
            "Accelerator() rejects cp_size {cp} with sp_size {sp}: context and sequence parallelism exclude each other",
            "Accelerator() 拒绝同时使用 cp_size {cp} 与 sp_size {sp}：上下文并行与序列并行互斥"
        );
        let finding = RULE.finding(sp_at.place, message).with_related(cp_at.place, message!("the other size", "另一个大小"));
        return Some(finding.with_help(message!("set one of them to 1", "把其中一个设为 1")));
    }
    let (replicas, at) = sizes.get("dp_replicate_size");
    let (shards, _) = sizes.get("dp_shard_size");
    let split = ["tp_size", "cp_size"].into_iter().find(|name| sizes.get(name).0 > 1)?;
    let at = at.filter(|_| replicas > 1 && shards == 1)?;
    let (size, other) = sizes.get(split);
    let message = message!(
        "Accelerator() rejects {split} {size} with dp_replicate_size {replicas} without sharding",
        "没有分片时 Accelerator() 拒绝同时使用 {split} {size} 与 dp_replicate_size {replicas}"
    );
    let mut finding = RULE.finding(at.place, message);
    if let Some(other) = other {
        finding = finding.with_related(other.place, message!("{split} is {size}", "{split} 为 {size}"));
    }
    Some(finding.with_help(message!("set `dp_shard_size` above 1", "把 `dp_shard_size` 设为大于 1 的值")))
}

/// What context parallelism needs.
fn context(start: &AccelerateLaunch<'_>, sizes: &Sizes) -> Option<Finding> {
    let (size, at) = sizes.get("cp_size");
    let at = at.filter(|_| size > 1)?;
    let kind = start.distributed_type()?;
    let (lacks, other) = if kind.is_multi() {
        let free = start.launch.is_some_and(|launch| launch.variable("ACCELERATE_ALLOW_CP_STANDALONE").is_some());
        let own = start
            .run
            .and_then(|run| run.code.as_deref())
            .is_some_and(|code| code.calls.iter().any(|call| call.name() == "FullyShardedDataParallelPlugin"));
        ((!free && !own).then_some("distributed_type: FSDP")?, kind.place)
    } else if kind.name == "FSDP" && start.fsdp_version()? == 1 {
        let version = start.block("fsdp_config", "fsdp_version").known();
        ("fsdp_version: 2", version.map_or(kind.place, |given| given.place))
    } else {
        return None;
    };
    let message =
        message!("Accelerator() rejects cp_size {size} without {lacks}", "没有 {lacks} 时 Accelerator() 拒绝 cp_size {size}");
    let finding = RULE.finding(at.place, message).with_related(other, message!("set here", "在此设置"));
    Some(finding.with_help(message!("set {lacks} with FSDP 2", "请设置 {lacks}，并使用 FSDP 2")))
}

/// The product of the sizes must equal the number of processes.
fn product(start: &AccelerateLaunch<'_>, sizes: &Sizes) -> Option<Finding> {
    let product = sizes.0.iter().try_fold(1i64, |product, (_, size, _)| product.checked_mul(*size))?;
    let (count, processes) = start.processes()?;
    let machines = start.machines().filter(|machines| *machines > 0)?;
    let world = count / machines * machines;
    if product == world || product == 1 || sizes.get("sp_size").0 > 1 || count % machines != 0 {
        return None;
    }
    // Without a launch the number may be set elsewhere.
    let severity = if start.is_alone() { Severity::Warning } else { Severity::Error };
    let at = sizes.0.iter().filter(|(_, size, _)| *size > 1).find_map(|(_, _, given)| given.as_ref())?;
    let (shown, laid_out, started) = (sizes.shown(), count_noun(product, "process"), count_noun(world, "process"));
    let are = if world == 1 { "is" } else { "are" };
    let message =
        message!("{shown} needs {laid_out}, but {world} {are} started", "{shown} 需要 {product} 个进程，但启动了 {world} 个进程");
    let finding = RULE.finding(at.place, message).with_severity(severity);
    Some(
        finding
            .with_related(processes.place, message!("{started}", "{world} 个进程"))
            .with_help(message!("make the product of the sizes equal to `num_processes`", "使各大小的乘积等于 `num_processes`")),
    )
}
