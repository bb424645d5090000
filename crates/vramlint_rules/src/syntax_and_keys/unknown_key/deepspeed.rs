//! DeepSpeed's file: most blocks reject unknown keys; the others, and the file itself, ignore them, so that only a slip of a known
//! name, or a known name in another place, is worth a word there.

use crate::syntax_and_keys::unknown_key::{RULE, nearest, with_fixes};
use crate::{Context, Sink};
use std::collections::HashMap;
use std::sync::LazyLock;
use vramlint_base::{Applicability, FileRange, Finding, Fix, Severity, Value, is_templated, message};
use vramlint_catalog::keys;
use vramlint_edit as edit;
use vramlint_semantic::deepspeed::config::{self, DeepSpeedConfig};
use vramlint_syntax::data::{Loader, NodeRef};

/// Depth to which blocks are visited.
const DEPTH: usize = 4;

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        visit(cx, config, config.root, &mut Vec::new(), out);
    }
}

fn visit(cx: &Context<'_>, config: &DeepSpeedConfig<'_>, node: NodeRef<'_>, path: &mut Vec<String>, out: &mut Sink) {
    let block = path.join(".");
    let refuses = keys::deepspeed_block_rejects_unknown(&block);
    let known = if refuses.is_some() { names_in(&block) } else { &[] };
    // A block whose keys are names of the user's own has no unknown ones.
    let refuses = refuses.filter(|_| !known.iter().any(|name| name.starts_with('<')));
    let mut refused = Vec::new();
    for (key, value) in node.entries() {
        let Some(name) = key.text().filter(|name| !is_templated(name)) else { continue };
        if refuses.is_some() && !known.contains(&name) {
            let entry = Entry { config, block: &block, node, key, value, name };
            if refuses == Some(true) {
                refused.push(entry);
            } else {
                out.findings.extend(entry.ignored(known));
            }
        } else if value.is_mapping() && path.len() < DEPTH {
            path.push(name.to_owned());
            visit(cx, config, value, path, out);
            path.pop();
        }
    }
    match refused.as_slice() {
        [] => {}
        [one] => out.findings.extend(one.refused(cx, known)),
        [first, rest @ ..] => out.findings.extend(first.refused_with(cx, rest)),
    }
}

/// Whether DeepSpeed rejects a block for a key that no release has: what else is wrong in it is the same refusal.
pub(in crate::syntax_and_keys) fn refuses_block(node: NodeRef<'_>, block: &str) -> bool {
    let known = names_in(block);
    let unknown = |name: &str| !is_templated(name) && !known.contains(&name);
    keys::deepspeed_block_rejects_unknown(block) == Some(true)
        && !known.iter().any(|name| name.starts_with('<'))
        && node.entries().any(|(key, _)| key.text().is_some_and(unknown))
}

struct Entry<'a, 'b> {
    config: &'b DeepSpeedConfig<'a>,
    block: &'b str,
    node: NodeRef<'b>,
    key: NodeRef<'b>,
    value: NodeRef<'b>,
    name: &'b str,
}

impl Entry<'_, '_> {
    fn place(&self) -> FileRange {
        FileRange::new(self.config.file.id, self.key.range())
    }

    /// pydantic rejects it.
    fn refused(&self, cx: &Context<'_>, known: &[&str]) -> Option<Finding> {
        let (name, block) = (self.name, self.block);
        let (by, by_zh) = self.refusing_versions(cx)?;
        let message =
            message!("{by} this file: unknown key `{name}` in `{block}`", "{by_zh}会拒绝此文件：`{block}` 中有未知的键 `{name}`");
        let finding = RULE.finding(self.place(), message);
        let own = !name.contains('.') && keys::find(keys::deepspeed(), name).is_some_and(keys::Key::is_read);
        if own {
            let finding = finding.with_help(message!("move it to the top level of the file", "移到文件顶层"));
            return Some(self.moved(finding, &[], Applicability::Safe));
        }
        // The other precision has this key: of use only where the file has that block.
        let other = matches!(block, "fp16" | "bf16");
        if let Some(home) = self.home().filter(|home| !other || self.config.entry(home).is_some()) {
            let finding = finding.with_help(message!("move it under `{home}`", "移到 `{home}` 下"));
            return Some(with_fixes(finding, self.config.file, self.node, (self.key, self.value), None));
        }
        Some(with_fixes(finding, self.config.file, self.node, (self.key, self.value), nearest(self.node, name, known)))
    }

    /// Several at once are one refusal.
    fn refused_with(&self, cx: &Context<'_>, rest: &[Self]) -> Option<Finding> {
        let block = self.block;
        let (by, by_zh) = self.refusing_versions(cx)?;
        let quoted: Vec<String> = std::iter::once(self).chain(rest).map(|entry| format!("`{}`", entry.name)).collect();
        let listed = &quoted[..quoted.len().min(LISTED)];
        let (names, names_zh) = (listed.join(", "), listed.join("、"));
        let (more, all) = (quoted.len() - listed.len(), quoted.len());
        let (rest_en, rest_zh) =
            if more == 0 { (String::new(), String::new()) } else { (format!(" and {more} more"), format!(" 等 {all} 个")) };
        let message = message!(
            "{by} this file: unknown keys {names}{rest_en} in `{block}`",
            "{by_zh}会拒绝此文件：`{block}` 中有未知的键 {names_zh}{rest_zh}"
        );
        let mut finding = RULE.finding(self.place(), message).with_help(message!("remove them", "删除这些键"));
        for other in rest {
            finding = finding.with_related(other.place(), message!("also unknown", "同样未知"));
        }
        let removals = std::iter::once(self).chain(rest);
        let edits: Option<Vec<_>> =
            removals.map(|entry| edit::remove_entry(entry.config.file, entry.key.range(), entry.value.range())).collect();
        let apart = edits.filter(|edits| edits.windows(2).all(|pair| pair[0].place.range.end <= pair[1].place.range.start));
        Some(match apart {
            Some(edits) => finding.with_fix(Fix {
                title: message!("remove the lines", "删除这些行"),
                applicability: Applicability::Unsafe,
                edits,
            }),
            None => finding,
        })
    }

    /// `DeepSpeed rejects`, with the release where older ones take the block; `None` where the project has such an older one.
    fn refusing_versions(&self, cx: &Context<'_>) -> Option<(&'static str, &'static str)> {
        // Older versions took fp16 and bf16 as they were (deepspeed 0.17.1 `runtime/precision_config.py` is new).
        if !matches!(self.block, "fp16" | "bf16") {
            return Some(("DeepSpeed rejects", "DeepSpeed "));
        }
        config::unless_older(cx.project, self.config.file.id, "0.17.1")?;
        Some(("DeepSpeed 0.17.1 and later reject", "DeepSpeed 从 0.17.1 起"))
    }

    /// It is never read; files often carry keys of their own, so that only what looks like a known one is reported.
    fn ignored(&self, known: &[&str]) -> Option<Finding> {
        let (name, block) = (self.name, self.block);
        let at = |message| RULE.finding(self.place(), message).with_severity(Severity::Warning);
        let near = self.slip(known);
        if let Some(near) = near {
            let message = message!(
                "DeepSpeed silently ignores `{name}`; did you mean `{near}`?",
                "DeepSpeed 会静默忽略 `{name}`；是否想写 `{near}`？"
            );
            let finding = at(message);
            let rename = edit::rename_key(self.config.file, self.node, self.key, near);
            return Some(match rename {
                Some(edit) => finding.with_fix(Fix {
                    title: message!("rename it to `{near}`", "改名为 `{near}`"),
                    applicability: Applicability::Unsafe,
                    edits: vec![edit],
                }),
                None => finding,
            });
        }
        let home = self.home()?;
        let here = if block.is_empty() { "the top level".to_owned() } else { format!("`{block}`") };
        let here_zh = if block.is_empty() { "顶层".to_owned() } else { format!("`{block}` ") };
        let message = message!(
            "DeepSpeed ignores `{name}` at {here}; move it under `{home}`",
            "DeepSpeed 会忽略{here_zh}的 `{name}`；请移到 `{home}` 下"
        );
        let path: Vec<&str> = home.split('.').collect();
        Some(self.moved(at(message), &path, Applicability::Unsafe))
    }

    /// The known name that this one is a slip of: near in its letters, or the same words of which some are cut or have another end
    /// (`gradient_clip`, `zero_optimizer`).
    fn slip<'k>(&self, known: &[&'k str]) -> Option<&'k str> {
        let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
        let near = nearest(self.node, self.name, known).filter(|near| near.len() > SHORT || plain(near) == plain(self.name));
        near.or_else(|| {
            let mut like = known.iter().copied().filter(|name| same_words(self.name, name) && self.node.get(name).is_none());
            let first = like.next()?;
            like.all(|other| other == first).then_some(first)
        })
    }

    fn moved(&self, finding: Finding, path: &[&str], applicability: Applicability) -> Finding {
        let file = self.config.file;
        match edit::move_key(file, (self.key, self.value), file, path, self.name, None) {
            Some(edits) => finding.with_fix(Fix { title: message!("move it there", "移到那里"), applicability, edits }),
            None => finding,
        }
    }

    /// The one block that knows the name, where the name is a telling one.
    fn home(&self) -> Option<&'static str> {
        let (name, block) = (self.name, self.block);
        if block == "optimizer" || block == "scheduler" {
            let params = if block == "optimizer" { "optimizer.params" } else { "scheduler.params" };
            let known = keys::find(keys::deepspeed(), &format!("{params}.{name}")).is_some();
            return known.then_some(params);
        }
        // A stage next to everything else, and none where it belongs.
        let stage = matches!(self.value.value(Loader::Json), Some(Value::Int(0..=3))) && name == "stage" && block.is_empty();
        if stage && self.config.entry("zero_optimization.stage").is_none() {
            return Some("zero_optimization");
        }
        if !name.contains('_') || name.len() <= SHORT || COMMON.contains(&name) {
            return None;
        }
        let mut homes = keys::deepspeed().iter().filter(|key| key.is_read() && key.name() == name);
        let home = homes.next().filter(|_| homes.next().is_none())?;
        // Where it stands in its place already, this one is left over.
        let there = self.config.entry(&home.path).is_some();
        home.path.rsplit_once('.').map(|(home, _)| home).filter(|home| !home.contains(['<', '[']) && *home != block && !there)
    }
}

/// Whether two names have as many words, each the same but for its end.
fn same_words(left: &str, right: &str) -> bool {
    let alike = |(a, b): (&str, &str)| {
        let common = a.bytes().zip(b.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
        a.eq_ignore_ascii_case(b) || common >= SHORT && common * 5 >= a.len().min(b.len()) * 3
    };
    let words = left.split('_').count();
    words > 1 && words == right.split('_').count() && left.split('_').zip(right.split('_')).all(alike)
}

/// As many names as a message lists.
const LISTED: usize = 4;

/// Names that short are near to too many others.
const SHORT: usize = 4;

/// Names that people use for things of their own.
const COMMON: &[&str] = &["output_path", "job_name", "log_level", "hidden_size", "num_layers", "num_params", "batch_size"];

/// Every name that a block of DeepSpeed's file takes, second spellings too.
fn names_in(block: &str) -> &'static [&'static str] {
    static BY_BLOCK: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
        let mut by_block: HashMap<&str, Vec<&str>> = HashMap::new();
        for path in keys::deepspeed().iter().flat_map(|key| std::iter::once(&key.path).chain(&key.aliases)) {
            let mut start = 0;
            for name in path.split('.') {
                by_block.entry(&path[..start.max(1) - 1]).or_default().push(name);
                start += name.len() + 1;
            }
        }
        by_block
    });
    BY_BLOCK.get(block).map_or(&[], Vec::as_slice)
}
