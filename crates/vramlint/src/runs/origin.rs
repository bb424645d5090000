//! Who set a value, in words.

use vramlint_base::{Lang, Message, Place, message};
use vramlint_resolve::{Origin, Project};

/// `accelerate_config.yaml:4 num_processes`, `flag --num_processes at launch.sh:3`, `default of transformers 5.23.0 …`.
pub(super) fn told(project: &Project, origin: &Origin, lang: Lang) -> String {
    let at = |place: Place| {
        let (file, start, _) = project.position(place);
        format!("{}:{}", file.path, start.line)
    };
    let said: Message = match origin {
        Origin::File { place, route, .. } | Origin::Code { place, name: route } => return format!("{} {route}", at(*place)),
        Origin::Flag { place, flag } => {
            let at = at(*place);
            message!("flag {flag} at {at}", "参数 {flag}，位于 {at}")
        }
        Origin::Env { name, place } => {
            let at = at(*place);
            message!("variable {name} at {at}", "环境变量 {name}，位于 {at}")
        }
        Origin::OptionDefault { place, option } => {
            let at = at(*place);
            message!("default of option {option} at {at}", "选项 {option} 的默认值，位于 {at}")
        }
        Origin::Target { key, file: Some(file) } => message!("[target] {key} in {file}", "{file} 的 [target] {key}"),
        Origin::Target { key, file: None } => message!("target {key} on the command line", "命令行给出的目标 {key}"),
        Origin::Default { tool, source } => {
            let source = if source.starts_with(tool) { source.clone() } else { format!("{tool} ({source})") };
            message!("default of {source}", "{source} 的默认值")
        }
        Origin::Derived { formula, .. } => message!("derived: {formula}", "推导：{formula}"),
        Origin::Assumed { why } => {
            let (en, zh) = (&why.en, &why.zh);
            message!("assumed: {en}", "假定：{zh}")
        }
    };
    said.get(lang).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Fixture, place};

    #[test]
    fn every_origin_is_told_in_both_languages() {
        let report = Fixture::new(&[("配置.yaml", "a: 1\n批: 4\n")]).report();
        let project = &report.project;
        let place = place(project, 0, "4");
        let show = |origin: Origin| format!("{} | {}", told(project, &origin, Lang::En), told(project, &origin, Lang::Zh));
        let text = |text: &str| text.to_owned();
        let shown = [
            show(Origin::File { place, key: place, route: text("train.批") }),
            show(Origin::Code { place, name: text("BATCH") }),
            show(Origin::Flag { place, flag: text("--bs") }),
            show(Origin::Env { place, name: text("BS") }),
            show(Origin::OptionDefault { place, option: text("--bs") }),
            show(Origin::Target { key: "count", file: Some(text("vramlint.toml")) }),
            show(Origin::Target { key: "count", file: None }),
            show(Origin::Default { tool: "accelerate", source: text("accelerate 1.15.0 launch.py") }),
            show(Origin::Default { tool: "trl", source: text("sft_config.py") }),
            show(Origin::Derived { formula: text("a x b = 2 x 3"), inputs: vec![] }),
            show(Origin::Assumed { why: message!("one node", "单节点") }),
        ];
        insta::assert_snapshot!(shown.join("\n"), @r#"
        配置.yaml:2 train.批 | 配置.yaml:2 train.批
        配置.yaml:2 BATCH | 配置.yaml:2 BATCH
        flag --bs at 配置.yaml:2 | 参数 --bs，位于 配置.yaml:2
        variable BS at 配置.yaml:2 | 环境变量 BS，位于 配置.yaml:2
        default of option --bs at 配置.yaml:2 | 选项 --bs 的默认值，位于 配置.yaml:2
        [target] count in vramlint.toml | vramlint.toml 的 [target] count
        target count on the command line | 命令行给出的目标 count
        default of accelerate 1.15.0 launch.py | accelerate 1.15.0 launch.py 的默认值
        default of trl (sft_config.py) | trl (sft_config.py) 的默认值
        derived: a x b = 2 x 3 | 推导：a x b = 2 x 3
        assumed: one node | 假定：单节点
        "#);
    }
}
