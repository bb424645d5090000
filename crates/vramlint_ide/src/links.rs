//! Links to files of the project.

use crate::embedded::{file_and_embedded, to_host};
use vramlint_base::{FileId, TextRange, Value};
use vramlint_project::Report;
use vramlint_resolve::{Project, SourceFile, Syntax};
use vramlint_syntax::data::NodeKind;
use vramlint_syntax::python::ExprKind;
use vramlint_syntax::shell::{Script, Word};

/// A path to a file of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The range of the path, in the host file.
    pub range: TextRange,
    /// The file.
    pub target: FileId,
}

/// The links of a host file, in order.
pub fn links(report: &Report, file: FileId) -> Vec<Link> {
    links_in(&report.project, file)
}

pub(crate) fn links_in(project: &Project, file: FileId) -> Vec<Link> {
    let mut found: Vec<Link> = Vec::new();
    for text in file_and_embedded(project, file) {
        let mut add = |range: TextRange, target: FileId| {
            if target != file
                && let Some(place) = to_host(project, text.id, range).filter(|place| !place.range.is_empty())
            {
                found.push(Link { range: place.range, target });
            }
        };
        for (range, path) in path_candidates(text) {
            if let Some(target) = project.path_resolver.resolve(&path, text.folder()) {
                add(range, target);
            }
        }
        for (range, target) in launched_modules(project, text.id) {
            add(range, target);
        }
    }
    found.sort_by_key(|link| (link.range, link.target));
    found.dedup_by_key(|link| link.range);
    // Keep the first of two overlapping links: editors do not show overlaps.
    let mut end = 0;
    found.retain(|link| {
        let free = link.range.start >= end;
        end = if free { link.range.end } else { end };
        free
    });
    found
}

/// The module of a launch, if the run has its file.
fn launched_modules(project: &Project, file: FileId) -> Vec<(TextRange, FileId)> {
    let of_file = project.runs.iter().filter(|run| run.launch.as_ref().is_some_and(|launch| launch.file == file));
    let named = of_file.filter_map(|run| {
        let word = run.launch.as_ref()?.module.as_ref()?;
        word.sources.is_empty().then_some((word.range, run.entry?))
    });
    named.collect()
}

/// All strings that may be paths, with the range of the path.
fn path_candidates(file: &SourceFile) -> Vec<(TextRange, String)> {
    match file.syntax() {
        Syntax::Data(data) => {
            let mut keys: Vec<u32> = Vec::new();
            for node in &data.nodes {
                if let NodeKind::Mapping(entries) = &node.kind {
                    keys.extend(entries.iter().map(|entry| entry.key.0));
                }
            }
            keys.sort_unstable();
            let values = data.nodes.iter().zip(0u32..).filter(|(_, number)| keys.binary_search(number).is_err());
            let named = values.filter_map(|(node, _)| {
                let NodeKind::Scalar(scalar) = &node.kind else { return None };
                Some((path_range(file, node.range, &scalar.text)?, scalar.text.clone()))
            });
            named.collect()
        }
        Syntax::Python(module) => {
            let expressions = module.statements().flat_map(|located| located.stmt.expressions()).flat_map(|expr| expr.walk());
            let named = expressions.filter_map(|expr| {
                let ExprKind::Value(Value::Text(text)) = &expr.kind else { return None };
                Some((path_range(file, expr.range, text)?, text.clone()))
            });
            named.collect()
        }
        Syntax::Script(script) => words(script).flat_map(|word| paths_in_word(file, word)).collect(),
        Syntax::Text | Syntax::Unreadable => Vec::new(),
    }
}

fn words(script: &Script) -> impl Iterator<Item = &Word> {
    let directives = script.directives.iter().flat_map(|directive| &directive.words);
    let assigned = script.assignments.iter().map(|assignment| &assignment.value);
    script.commands.iter().flat_map(|command| &command.words).chain(assigned).chain(directives)
}

/// A word that is a path, or the path after its `=`.
fn paths_in_word(file: &SourceFile, word: &Word) -> Vec<(TextRange, String)> {
    let Some(text) = word.text().filter(|_| word.sources.is_empty()) else { return Vec::new() };
    let whole = path_range(file, word.range, text).map(|range| (range, text.to_owned()));
    let value = text.split_once('=').and_then(|(_, value)| Some((path_range(file, word.range, value)?, value.to_owned())));
    whole.into_iter().chain(value).collect()
}

/// The range of a path within its quotes; `None` if it is not a path or is escaped.
fn path_range(file: &SourceFile, range: TextRange, path: &str) -> Option<TextRange> {
    let plausible = path.len() <= 260 && path.contains(['.', '/']) && !path.contains(['\n', '$', '{', '*']) && path.len() > 2;
    if !plausible {
        return None;
    }
    let written = range.slice(&file.text);
    let at = written.rfind(path)? as u32 + range.start;
    Some(TextRange::new(at, at + path.len() as u32))
}

/// The link at an offset of a host file.
pub(crate) fn link_at(project: &Project, file: FileId, offset: u32) -> Option<Link> {
    links_in(project, file).into_iter().find(|link| link.range.contains(TextRange::at(offset)))
}

#[cfg(test)]
mod tests {
    use crate::fixture::Fixture;
    use crate::links;

    fn shown(text: &str) -> Vec<String> {
        let fixture = Fixture::new(text);
        let project = &fixture.report.project;
        let show = |link: &crate::Link| format!("{} -> {}", link.range.slice(fixture.text()), project.file(link.target).path);
        links(&fixture.report, fixture.file).iter().map(show).collect()
    }

    const OTHERS: &str = "//- configs/acc.yaml\nnum_processes: 2\n//- configs/ds.json\n{}\n//- train.py\nimport torch\n";

    #[test]
    fn words_of_a_launch() {
        let launch = "//- run.sh\n# 启动$0\naccelerate launch --config_file configs/acc.yaml train.py \\\n  --deepspeed=\"configs/ds.json\" --x no/such.yaml\n";
        assert_eq!(
            shown(&format!("{launch}{OTHERS}")),
            ["configs/acc.yaml -> configs/acc.yaml", "train.py -> train.py", "configs/ds.json -> configs/ds.json"]
        );
    }

    #[test]
    fn values_of_yaml_and_json_but_not_keys() {
        let yaml = "//- configs/t.yaml\n批量: 4 # 中文$0\ndeepspeed: 'ds.json'\nacc.yaml: 1\r\nother: [./acc.yaml]\n";
        assert_eq!(shown(&format!("{yaml}{OTHERS}")), ["ds.json -> configs/ds.json", "./acc.yaml -> configs/acc.yaml"]);
        let json = "//- x.json\n{\"a\": \"configs/acc.yaml\"$0}\n";
        assert_eq!(shown(&format!("{json}{OTHERS}")), ["configs/acc.yaml -> configs/acc.yaml"]);
    }

    #[test]
    fn texts_of_python_and_of_documents() {
        let python = "//- m.py\nargs = T(deepspeed=\"configs/ds.json\")$0\n";
        assert_eq!(shown(&format!("{python}{OTHERS}")), ["configs/ds.json -> configs/ds.json"]);
        let readme =
            "//- README.md\n说明 train.py\n> ```bash\n> accelerate launch --config_file configs/acc.yaml train.py$0\n> ```\n";
        assert_eq!(shown(&format!("{readme}{OTHERS}")), ["configs/acc.yaml -> configs/acc.yaml", "train.py -> train.py"]);
    }

    #[test]
    fn a_byte_order_mark_moves_nothing() {
        assert_eq!(shown(&format!("//- a.sh\n\u{feff}python train.py$0\n{OTHERS}")), ["train.py -> train.py"]);
    }
}
