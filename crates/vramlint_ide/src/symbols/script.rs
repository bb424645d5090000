//! Launch commands with their flags.

use super::{Symbol, SymbolKind, clipped, setting};
use vramlint_base::{FileId, Lang, TextRange};
use vramlint_catalog::Concept;
use vramlint_resolve::launch::Launch;
use vramlint_resolve::{Project, Run};

/// The launches of a file.
pub(super) fn launches(project: &Project, file: FileId, lang: Lang) -> Vec<Symbol> {
    let started = project.launches.iter().map(AsRef::as_ref);
    started
        .chain(project.documented_launches())
        .filter(|launch| launch.file == file)
        .map(|launch| symbol(project, launch, lang))
        .collect()
}

fn symbol(project: &Project, launch: &Launch, lang: Lang) -> Symbol {
    let text = &project.file(launch.file).text;
    let run = project
        .runs
        .iter()
        .find(|run| run.launch.as_ref().is_some_and(|other| other.file == launch.file && other.range == launch.range));
    let subject = launch.script.as_ref().or(launch.module.as_ref());
    let name = subject.map_or_else(|| clipped(launch.range.slice(text)), |word| clipped(word.range.slice(text)));
    let selection = subject.map(|word| word.range).filter(|range| launch.range.contains(*range));
    Symbol {
        name,
        detail: run.map_or_else(String::new, |run| detail(run, lang)),
        kind: SymbolKind::Run,
        range: launch.range,
        selection: selection.unwrap_or(launch.range),
        children: children(launch, text),
    }
}

/// `8 processes, effective batch size 32`, if known.
fn detail(run: &Run, lang: Lang) -> String {
    let world = run.int(Concept::WorldSize).or_else(|| run.int(Concept::NumProcesses));
    let parts = [
        world.map(|count| match lang {
            Lang::En if count == 1 => "1 process".to_owned(),
            Lang::En => format!("{count} processes"),
            Lang::Zh => format!("{count} 个进程"),
        }),
        run.int(Concept::EffectiveBatch).map(|rows| match lang {
            Lang::En => format!("effective batch {rows}"),
            Lang::Zh => format!("有效批大小 {rows}"),
        }),
    ];
    let between = if lang == Lang::En { ", " } else { "，" };
    parts.into_iter().flatten().collect::<Vec<_>>().join(between)
}

/// The flags of the launcher, then those of the script.
fn children(launch: &Launch, text: &str) -> Vec<Symbol> {
    let inside = |range: TextRange| launch.range.contains(range);
    let own = launch.flags.iter().map(|flag| {
        let values: Vec<&str> = flag.values.iter().map(|value| value.range.slice(text)).collect();
        let range = flag.values.iter().fold(flag.word, |range, value| range.cover(value.range));
        setting(flag.word.slice(text), clipped(&values.join(" ")), range, flag.word)
    });
    let options = launch.options();
    let arguments = options.iter().map(|option| {
        let value = option.value.as_ref();
        let range = value.map_or(option.word, |value| option.word.cover(value.range));
        let name = option.word.slice(text).split('=').next().unwrap_or_default();
        setting(name, value.map_or_else(String::new, |value| clipped(value.range.slice(text))), range, option.word)
    });
    own.chain(arguments).filter(|child| inside(child.range) && !child.name.is_empty()).collect()
}
