//! `.env` files: which files read one, and whether programs that are started then see its variables.

use super::VariableAssignment;
use crate::features::Feature;
use crate::source::SourceFile;
use crate::source_set::SourceSet;

/// How the variables of a file reach programs.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    /// Programs see all of them.
    exported: bool,
    /// A script sources the file: programs see the variables that are marked `export`.
    sourced: bool,
    /// Python loads them, unless something else set them before.
    default: bool,
    /// Quotes are part of the value: `docker run --env-file`.
    quotes_stay: bool,
}

/// Keeps the variables of a file, from `start` on, as far as another file reads it.
pub(super) fn apply_readers(sources: &SourceSet, file: &SourceFile, start: usize, found: &mut Vec<VariableAssignment>) {
    let mut reach = Reach::default();
    for reader in sources.files.iter().filter(|reader| reader.id != file.id && !sources.is_documentation_snippet(reader.id)) {
        if reader.mentions(file.name()) || sources.features(reader.id).has(Feature::LoadDotenv) {
            add_reader(sources, reader, file, &mut reach);
        }
    }
    if !(reach.exported || reach.sourced || reach.default) {
        found.truncate(start);
        return;
    }
    for set in &mut found[start..] {
        let by_python_alone = reach.default && !reach.exported && !(reach.sourced && set.exported);
        set.exported |= reach.exported || reach.default;
        set.conditional |= by_python_alone;
        if reach.quotes_stay && file.text.as_bytes().get(set.place.range.start.wrapping_sub(1) as usize).is_some_and(is_quote) {
            set.value = None;
        }
    }
}

fn is_quote(byte: &u8) -> bool {
    matches!(byte, b'"' | b'\'')
}

fn add_reader(sources: &SourceSet, reader: &SourceFile, file: &SourceFile, reach: &mut Reach) {
    if reader.is_script() {
        let all = marks_all(&reader.text);
        for line in reader.text.lines().map(str::trim_start).filter(|line| !line.starts_with('#')) {
            by_shell(line, all, reader, file, reach);
        }
    } else if reader.is_python() {
        by_python(reader, file, reach);
    } else if reader.is_data() && sources.features(reader.id).has(Feature::EnvFileKey) {
        let named = |line: &str| {
            let value = line.rsplit([' ', '\t']).find(|word| !word.is_empty()).unwrap_or_default();
            names(value.trim_end_matches(','), reader, file)
        };
        reach.exported |= reader.text.lines().any(named);
    }
}

/// Whether a script marks every assignment for export: `set -a`, `set -o allexport`.
fn marks_all(text: &str) -> bool {
    text.lines().any(|line| {
        let mut words = line.split([' ', '\t', ';', '&']).skip_while(|word| *word != "set").skip(1);
        words.next().is_some_and(|flags| {
            let letters = flags.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains('a'));
            letters || flags == "-o" && words.next() == Some("allexport")
        })
    })
}

fn by_shell(line: &str, all: bool, reader: &SourceFile, file: &SourceFile, reach: &mut Reach) {
    let breaks = |c: char| c.is_whitespace() || matches!(c, ';' | '|' | '&' | '(' | ')' | '`' | '<' | '=');
    let words: Vec<&str> = line.split(breaks).filter(|word| !word.is_empty()).collect();
    let Some(at) = words.iter().position(|word| names(word, reader, file)) else { return };
    if line.contains("--env-file") || words.contains(&"dotenv") {
        reach.exported = true;
        reach.quotes_stay |= ["docker", "podman", "nerdctl"].iter().any(|program| line.contains(program));
    } else if ["export $(", "export `", "env $(", "env `"].iter().any(|opening| line.contains(opening)) {
        reach.exported = true;
    } else if at > 0 && matches!(words[at - 1], "source" | ".") {
        reach.sourced = true;
        reach.exported |= all;
    }
}

/// `load_dotenv()` looks for `.env` in the folder of the program and above.
fn by_python(reader: &SourceFile, file: &SourceFile, reach: &mut Reach) {
    for line in reader.text.lines().map(str::trim_start).filter(|line| !line.starts_with('#')) {
        let Some((_, call)) = line.split_once("load_dotenv(") else { continue };
        let literal = call.find(['"', '\'']).and_then(|at| {
            let quote = call.as_bytes()[at] as char;
            call[at + 1..].split(quote).next()
        });
        let arguments = call.split(')').next().unwrap_or_default().trim();
        let open = arguments.is_empty() || arguments.starts_with("find_dotenv(") || arguments.starts_with("override");
        let found = match literal {
            Some(path) => names(path, reader, file),
            None => open && file.name() == ".env" && is_above(file.folder(), reader.folder()),
        };
        if found && call.contains("override=True") {
            reach.exported = true;
        }
        reach.default |= found;
    }
}

/// Whether a word in a reader is the path of the file.
fn names(word: &str, reader: &SourceFile, file: &SourceFile) -> bool {
    let path = word.trim_matches(['"', '\'', '{', '}', ' ']);
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if name != file.name() {
        return false;
    }
    let folder = folder.trim_start_matches("./");
    if folder.is_empty() || folder == "." || folder.contains('$') {
        // Relative to the folder of the reader, or to the root of the project.
        return is_above(file.folder(), reader.folder());
    }
    let folder = folder.trim_start_matches("../").trim_start_matches("..");
    file.folder() == folder || file.folder().strip_suffix(folder).is_some_and(|front| front.is_empty() || front.ends_with('/'))
}

/// Whether a folder is another one or contains it.
fn is_above(folder: &str, other: &str) -> bool {
    folder.is_empty() || folder == other || other.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
