//! # sagemaker-cannot-launch
//!
//! `accelerate launch` cannot start a configuration for Amazon SageMaker.
//!
//! ## Why it matters
//! With `compute_environment: AMAZON_SAGEMAKER` another class reads the file. With type `'NO'` the loader adds `num_processes` itself and
//! then rejects it as an unknown key; with the other types, the launcher fails since 1.10 on an attribute that the class does not have.
//! `NO` without quotes is false, and every launcher fails on it.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! compute_environment: AMAZON_SAGEMAKER
//! distributed_type: 'NO'
//! ec2_instance_type: ml.p3.2xlarge
//! iam_role_name: role
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! compute_environment: LOCAL_MACHINE
//! distributed_type: 'NO'
//! num_processes: 1
//! ```
//!
//! ## Severity
//! For the other types: info if accelerate's version is not known, silent below 1.10. For `'NO'` the same, with 0.34.
//!
//! ## Fix
//! None: start the job with the SageMaker SDK, or with an older accelerate.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/config/config_args.py:111` and `:156`, `commands/launch.py:1248`, run: `had unknown keys (['num_processes'])`,
//! `'SageMakerConfig' object has no attribute 'parallelism_config'`. 0.30.1, 1.0.1, 1.6.0, 1.9.0 and 1.10.1
//! run too: `'bool' object has no attribute 'value'` before 1.10; 0.33 and 0.34 read.
//!
//! # 中文
//!
//! `accelerate launch` 无法启动 Amazon SageMaker 的配置。
//!
//! ## 为什么重要
//! `compute_environment: AMAZON_SAGEMAKER` 时由另一个类读取文件。类型为 `'NO'` 时，加载器自己加入 `num_processes`，随后又把它当作未知键拒绝；其他类型
//! 时， 1.10 起的启动器会因该类没有的属性而报错。不加引号的 `NO` 是 false，所有版本的启动器都会在此报错。
//!
//! ## 严重程度
//! 其他类型：accelerate 版本未知时为提示，低于 1.10 时不报告。`'NO'` 同理，界限为 0.34。
//!
//! ## 修复
//! 无：请用 SageMaker SDK 启动任务，或使用较旧的 accelerate。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/config/config_args.py:111` 与 `:156`、`commands/launch.py:1248`，实际运行；0.30.1、1.0.1、1.6.0、1.9.0、1.10.1 亦实际运行；0.33 与 0.34 阅读源码。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity, Value, message};
use vramlint_resolve::FileKind;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::version_gate;
use vramlint_syntax::data::{DataFile, Loader, NodeRef};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL113", "sagemaker-cannot-launch", Severity::Error, page!("sagemaker_cannot_launch.rs"), check)
};

/// The loader adds a number of processes to a file of type NO.
const INJECTED: VersionRange = VersionRange::since("accelerate", "0.34");
/// The launcher reads a block that the file's class does not have.
const BROKEN: VersionRange = VersionRange::since("accelerate", "1.10");

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in cx.project.files_of(FileKind::Accelerate) {
        let Some(root) = file.data().and_then(DataFile::root) else { continue };
        let Some(at) = root.get("compute_environment").filter(|node| node.text() == Some("AMAZON_SAGEMAKER")) else { continue };
        let Some(kind) = root.get("distributed_type") else { continue };
        let place = |node: NodeRef<'_>| FileRange::new(file.id, node.range());
        let value = kind.value(Loader::PyYaml);
        let refused = value == Some(Value::Text("NO".to_owned())) && root.get("num_processes").is_none();
        let (severity, message) = if value == Some(Value::Bool(false)) {
            let message = message!(
                "accelerate cannot launch type NO for `AMAZON_SAGEMAKER`: without quotes it is false, not a type",
                "accelerate 无法以 NO 类型启动 `AMAZON_SAGEMAKER`：不加引号时它是 false，而不是类型"
            );
            (Severity::Error, message)
        } else if refused {
            let Some(severity) = version_gate::severity(cx.project, file.id, &INJECTED, Severity::Error) else { continue };
            let message = message!(
                "accelerate rejects type NO for `AMAZON_SAGEMAKER`: it adds `num_processes` and then raises an unknown-key error",
                "accelerate 拒绝 `AMAZON_SAGEMAKER` 的 NO 类型：它自己加入 `num_processes`，又将其当作未知键报错"
            );
            (severity, message)
        } else if let Some(severity) = version_gate::severity(cx.project, file.id, &BROKEN, Severity::Error) {
            let message = message!(
                "since accelerate 1.10, `accelerate launch` fails for `AMAZON_SAGEMAKER`: it has no `parallelism_config`",
                "accelerate 1.10 起，`accelerate launch` 无法启动 `AMAZON_SAGEMAKER`：它没有 `parallelism_config`"
            );
            (severity, message)
        } else {
            continue;
        };
        let finding = RULE.finding(place(at), message).with_severity(severity);
        out.push(finding.with_related(place(kind), message!("`distributed_type`", "`distributed_type`")).with_help(message!(
            "start the job with the SageMaker SDK, or set `LOCAL_MACHINE` if it runs on this machine",
            "请用 SageMaker SDK 启动任务；若在本机运行，请写 `LOCAL_MACHINE`"
        )));
    }
}
