//! Language and file name in the info string of a fence.

use super::Language;

/// The language that the info string of a fence names: `yaml`, `python title="x.py"`, `{.bash .numberLines}`, `yaml:a.yaml`.
pub fn language_of(info: &str) -> Option<Language> {
    let word = info.trim_start().trim_start_matches('{').trim_start().trim_start_matches(['.', '#']);
    let end = word.find(|found: char| !(found.is_ascii_alphanumeric() || "+-_#".contains(found))).unwrap_or(word.len());
    Some(match word[..end].to_ascii_lowercase().as_str() {
        "yaml" | "yml" => Language::Yaml,
        "json" | "jsonc" | "json5" | "hjson" => Language::Json,
        "python" | "py" | "python3" | "py3" | "ipython" | "pycon" => Language::Python,
        "bash" | "sh" | "shell" | "zsh" | "console" | "shellscript" | "shell-session" | "shellsession" | "sh-session"
        | "terminal" => Language::Bash,
        "powershell" | "ps1" | "pwsh" | "posh" => Language::PowerShell,
        "toml" => Language::Toml,
        _ => return None,
    })
}

/// Whether the language is one whose blocks show a terminal: prompts, and output between the commands.
pub(super) fn is_session(info: &str) -> bool {
    let info = info.trim_start().trim_start_matches(['{', '.']).to_ascii_lowercase();
    ["console", "shell-session", "shellsession", "sh-session", "terminal", "pycon"].iter().any(|name| info.starts_with(name))
}

/// The file name in an info string: `title="a.yaml"`, `file=a.yaml`, `yaml:a.yaml`, `yaml a.yaml`.
pub(super) fn name_of(info: &str) -> Option<String> {
    let info = info.trim();
    ["title", "filename", "file_name", "file", "name", "path"].iter().find_map(|key| attribute(info, key)).or_else(|| {
        let mut words = info.split([' ', '\t', '{', '}', ',']).filter(|word| !word.is_empty());
        let first = words.next()?;
        let behind_colon = first.split_once(':').map(|(_, name)| name);
        behind_colon.into_iter().chain(words).find(|word| is_file_name(word)).map(str::to_owned)
    })
}

/// The file name in a comment that is the first line of a block and holds nothing else: `# configs/train.yaml`.
pub(super) fn name_in_comment(text: &str) -> Option<String> {
    let line = text.lines().next()?.trim();
    let name = line.strip_prefix('#').or_else(|| line.strip_prefix("//"))?.trim();
    (is_file_name(name) && !name.contains(char::is_whitespace)).then(|| name.to_owned())
}

/// The value of `key=value`, with or without quotes.
fn attribute(info: &str, key: &str) -> Option<String> {
    let (at, _) = info.match_indices(key).find(|(at, _)| {
        let before = info[..*at].chars().next_back();
        before.is_none_or(|before| " \t{,".contains(before)) && info[at + key.len()..].trim_start().starts_with('=')
    })?;
    let value = info[at + key.len()..].trim_start().strip_prefix('=')?.trim_start();
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next()?,
        _ => value.split([' ', '\t', '}', ',']).next()?,
    };
    let value = value.trim();
    is_file_name(value).then(|| value.to_owned())
}

/// Whether a word looks like a path with an extension.
fn is_file_name(word: &str) -> bool {
    let extension = word.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension);
    extension
        .is_some_and(|extension| (1..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        && extension.is_some_and(|extension| extension.bytes().any(|byte| byte.is_ascii_alphabetic()))
        && !word.contains(['=', '"', '\'', '<', '>'])
}
