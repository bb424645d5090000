//! Commands that a document shows: what stands in them for the reader's own values is not known.

use super::parse::unknown_value_options;
use super::{DocumentVariables, Launch, from_script};
use crate::SourceFile;
use crate::path_resolver::PathResolver;
use vramlint_syntax::shell::{Word, WordValue};

/// The launches in a block of a document. `variables`: what the blocks before it set.
pub fn from_document(file: &SourceFile, paths: &PathResolver, variables: &DocumentVariables<'_>) -> Vec<Launch> {
    let launches = file.script().map(|script| from_script(file, script, paths)).unwrap_or_default();
    let own = launches.into_iter().filter(|launch| !asks_for_help(launch));
    own.map(|launch| without_placeholders(expanded(launch, file, variables), &file.text)).collect()
}

fn asks_for_help(launch: &Launch) -> bool {
    launch.arguments.iter().any(|word| matches!(word.text(), Some("--help" | "-h")))
}

fn expanded(mut launch: Launch, file: &SourceFile, variables: &DocumentVariables<'_>) -> Launch {
    launch.arguments.iter_mut().for_each(|word| variables.expand(word, file));
    for value in launch.flags.iter_mut().flat_map(|flag| &mut flag.values) {
        if value.text().is_some() {
            continue;
        }
        variables.expand(value, file);
        // The value of `--flag=$NAME` has the place of the whole word.
        if let WordValue::Known(text) = &value.value
            && let Some((_, rest)) = text.split_once('=').filter(|(flag, _)| flag.starts_with('-'))
        {
            value.value = WordValue::Known(rest.to_owned());
        }
    }
    launch
}

fn without_placeholders(mut launch: Launch, text: &str) -> Launch {
    let flags = launch.flags.iter_mut().flat_map(|flag| &mut flag.values);
    for word in launch.arguments.iter_mut().chain(flags).chain(&mut launch.script).chain(&mut launch.module) {
        if word.text().is_some_and(|text| is_placeholder(text.split_once('=').map_or(text, |(_, value)| value))) {
            *word = Word { value: WordValue::Unknown, path_end: None, ..word.clone() };
        }
    }
    launch.unknown_value_options = unknown_value_options(&launch.arguments, text);
    launch.documented = true;
    launch
}

/// Whether a value stands for one that the reader fills in: `path/to/model`, `YOUR_MODEL`, `<dir>`, `...`.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_lowercase();
    let shown =
        value.contains("...") || value.contains('…') || value.contains(['<', '>', '[', ']', '{', '}']) && !value.contains(',');
    let path = ["path/to", "path_to", "path-to", "/path/", "your_", "your-", "/your", "my_path", "xxx"];
    let first = lower.split(['/', '_', '-']).next().unwrap_or("");
    shown
        || path.iter().any(|part| lower.contains(part))
        || matches!(first, "your" | "yours")
        || matches!(
            lower.as_str(),
            "model_name" | "model_path" | "model_name_or_path" | "path" | "dir" | "n" | "num_gpus" | "ngpu"
        )
}

/// Whether the name of a model stands for one that the reader fills in, also outside of documents: `path/to/model`.
pub(crate) fn is_model_to_fill_in(name: &str) -> bool {
    let lower = name.trim_matches(['"', '\'']).to_lowercase();
    let start = lower.trim_start_matches(['.', '/']);
    start.starts_with("path/to/") || start.starts_with("path_to_") || lower.starts_with('<') && lower.ends_with('>')
}

#[cfg(test)]
mod tests {
    use super::{is_model_to_fill_in, is_placeholder};

    #[test]
    fn models_for_the_reader_to_fill_in() {
        for name in ["PATH/to/Model", "/path/to/model", "<model>", "\"./path/to/llama\""] {
            assert!(is_model_to_fill_in(name), "{name}");
        }
        for name in ["Qwen/Qwen3-8B", "/data/path/to/model", "models/your-model", "path"] {
            assert!(!is_model_to_fill_in(name), "{name}");
        }
    }

    #[test]
    fn values_for_the_reader_to_fill_in() {
        for value in ["path/to/model", "/path/to/x.json", "YOUR_MODEL", "<dir>", "...", "your-username/x", "NUM_GPUS"] {
            assert!(is_placeholder(value), "{value}");
        }
        for value in ["Qwen/Qwen3-8B", "8", "configs/sft.yaml", "q_proj,v_proj", "./data/train.json", "true"] {
            assert!(!is_placeholder(value), "{value}");
        }
    }
}
