//! Keys and flags that a framework does not know.

use crate::syntax_and_keys::unknown_key::RULE;
use crate::{Context, Sink, frameworks};
use vramlint_base::{Finding, Message, Severity, may_be_templated, message};
use vramlint_catalog::classes::{self, Class};
use vramlint_catalog::frameworks::Unknown;
use vramlint_catalog::keys;
use vramlint_resolve::versions::{Version, VersionSpec};
use vramlint_semantic::class_fields::{self, FieldStatus};
use vramlint_semantic::frameworks::{FrameworkConfig, FrameworkSetting};

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for keys in cx.framework_configs() {
        let Some(class) = keys.class().filter(|_| !takes_anything(keys)) else { continue };
        let mut dropped: Vec<(&str, Finding)> = Vec::new();
        for (name, setting) in keys.top_level().filter(|(name, _)| !is_not_a_setting(name)) {
            let found = match class_fields::status(cx.project, keys.file.id, &[class], name) {
                FieldStatus::Unknown => unknown(cx, keys, class, name, setting),
                FieldStatus::NotYet { library, since } => Some(too_new(keys, name, setting, library, since)),
                _ => None,
            };
            let found = found.filter(|_| !frameworks::source_mentions(cx, keys, name));
            let Some(found) = found.filter(|_| out.mark_reported(setting.key)) else { continue };
            if found.severity == Severity::Info && found.help.is_none() && found.fixes.is_empty() {
                dropped.push((name, found));
            } else {
                out.push(found);
            }
        }
        out.findings.extend(dropped_in_one(keys.name(), dropped));
    }
}

/// One finding for the keys of a file that are dropped and look like no other.
fn dropped_in_one(by: &str, dropped: Vec<(&str, Finding)>) -> Option<Finding> {
    /// More names make the message too long.
    const MAX_NAMES: usize = 3;
    let count = dropped.len();
    let names: Vec<String> = dropped.iter().take(MAX_NAMES).map(|(name, _)| format!("`{name}`")).collect();
    let (en, zh, more) = (names.join(", "), names.join("、"), count.saturating_sub(MAX_NAMES));
    let mut dropped = dropped.into_iter().map(|(_, found)| found);
    let mut first = dropped.next()?;
    if count > 1 {
        first.message = if more == 0 {
            message!("{by} does not know {count} keys and drops them: {en}", "{by} 不认识 {count} 个键，会将其丢弃：{zh}")
        } else {
            message!(
                "{by} does not know {count} keys and drops them: {en} and {more} more",
                "{by} 不认识 {count} 个键，会将其丢弃：{zh} 等"
            )
        };
    }
    for other in dropped {
        first = first.with_related(other.place, message!("dropped, too", "同样会被丢弃"));
    }
    Some(first)
}

/// Whether something lets every key pass: a variable of LLaMA-Factory, a switch of ms-swift, other classes altogether.
fn takes_anything(keys: &FrameworkConfig<'_>) -> bool {
    let unknown = &keys.dialect.unknown_keys;
    let by_variable = |name: &&str| keys.launch.is_some_and(|launch| launch.variable(name).is_some());
    unknown.let_pass_by_variable.iter().any(by_variable) || unknown.let_pass_by_key.is_some_and(|key| !keys.is_off(key))
}

/// Whether a key is not a setting: a placeholder, YAML's merge key, a block for anchors, a request for help.
fn is_not_a_setting(name: &str) -> bool {
    name.starts_with("x-")
        || name.starts_with(['.', '_'])
        || may_be_templated(name)
        || name.contains('%')
        || matches!(name, "help" | "h")
}

fn unknown(
    cx: &Context<'_>,
    keys: &FrameworkConfig<'_>,
    class: &'static Class,
    name: &str,
    setting: &FrameworkSetting,
) -> Option<Finding> {
    let current = || class.fields().filter(|field| field.is_current()).map(|field| field.name.as_str());
    // argparse takes the beginning of a name for the name.
    if setting.by_flag
        && policy(keys, setting) != Unknown::Dropped
        && name.len() > 1
        && class.fields().any(|field| field.name.starts_with(name))
    {
        return None;
    }
    let free = |near: &str| keys.place(near).is_none();
    let alias = keys.dialect.unknown_keys.borrowed.iter().find(|(old, _)| *old == name);
    let near = alias.map(|(_, own)| *own).or_else(|| keys::nearest(name, current()));
    let (severity, what) = judged(cx, keys, name, setting, near.is_some())?;
    let mut found = RULE.finding(setting.key, what).with_severity(severity);
    match near {
        Some(near) => {
            found = found.with_help(if alias.is_some() {
                message!("use `{near}`", "改用 `{near}`")
            } else {
                message!("did you mean `{near}`?", "是否想写 `{near}`？")
            });
            if free(near) {
                found.fixes.extend(keys.rename_fix(setting, near));
            }
        }
        None if policy(keys, setting) != Unknown::Dropped => found = found.with_help(message!("remove it", "删除它")),
        None => {}
    }
    Some(found)
}

fn judged(
    cx: &Context<'_>,
    keys: &FrameworkConfig<'_>,
    name: &str,
    setting: &FrameworkSetting,
    near: bool,
) -> Option<(Severity, Message)> {
    let by = keys.name();
    Some(match policy(keys, setting) {
        Unknown::NotJudged => return None,
        Unknown::Dropped => {
            // A plugin brings keys of its own.
            if keys.dialect.unknown_keys.extended_by.is_some_and(|key| keys.is_set(key)) && !near {
                return None;
            }
            let severity = if near { Severity::Warning } else { Severity::Info };
            (severity, message!("{by} does not know `{name}` and drops it", "{by} 不认识 `{name}`，会将其丢弃"))
        }
        Unknown::StopsUnlessNew => {
            // No reader of the file is found: only what looks like a slip is reported.
            let severity = match (keys.is_launched(), near) {
                (false, false) => return None,
                // Releases come often, and many run it from a checkout: a name that nothing has may be a new one.
                (true, near) if near || pinned(cx, keys) || belongs_to_another_tool(name) => Severity::Error,
                _ => Severity::Warning,
            };
            (severity, message!("{by} does not know `{name}` and stops", "{by} 不认识 `{name}`，会停止运行"))
        }
        Unknown::Stops => {
            let dashes = if setting.by_flag { "--" } else { "" };
            let what = message!("{by} does not know `{dashes}{name}` and stops", "{by} 不认识 `{dashes}{name}`，会停止运行");
            // Releases before the tables may have had the name.
            let severity = if near || pinned(cx, keys) { Severity::Error } else { Severity::Warning };
            (severity, what)
        }
    })
}

/// What the framework does with a key that it does not know, where this setting is.
fn policy(keys: &FrameworkConfig<'_>, setting: &FrameworkSetting) -> Unknown {
    let unknown = &keys.dialect.unknown_keys;
    if setting.by_flag { unknown.on_command_line } else { unknown.in_file }
}

/// Whether the release is known, and no newer than the tables.
fn pinned(cx: &Context<'_>, keys: &FrameworkConfig<'_>) -> bool {
    let Some(table) = classes::tables().find(|table| table.library == keys.tool()) else { return false };
    let exact = |version: &Version| table.last.parse::<Version>().is_ok_and(|last| *version <= last);
    let version = cx.project.library(keys.file.id, keys.tool());
    version.is_some_and(|version| matches!(&version.version, VersionSpec::Exact(version) if exact(version)))
}

/// Whether another tool has a key of this name, so that it is not a new one here.
fn belongs_to_another_tool(name: &str) -> bool {
    classes::tables().flat_map(|table| &table.classes).any(|class| class.fields.iter().any(|field| field.name == name))
        || keys::accelerate().iter().chain(keys::deepspeed()).any(|key| key.path == name)
}

fn too_new(keys: &FrameworkConfig<'_>, name: &str, setting: &FrameworkSetting, library: &str, since: &str) -> Finding {
    let (refused, own) = (keys.dialect.unknown_keys.in_file != Unknown::Dropped, library == keys.tool());
    let severity = if refused && (own || keys.is_launched()) { Severity::Error } else { Severity::Warning };
    let what = if refused {
        message!(
            "`{name}` needs {library} {since}, but the project uses an older version, which rejects it",
            "`{name}` 需要 {library} {since}，但项目使用的旧版本会拒绝它"
        )
    } else {
        message!(
            "`{name}` needs {library} {since}, but the project uses an older version, which ignores it",
            "`{name}` 需要 {library} {since}，但项目使用的旧版本会忽略它"
        )
    };
    let help = message!("upgrade {library}, or remove it", "升级 {library}，或删除它");
    RULE.finding(setting.key, what).with_severity(severity).with_help(help)
}
