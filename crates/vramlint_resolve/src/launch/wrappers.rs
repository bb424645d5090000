//! Programs that only start another one: `nohup`, `srun`, `env`, `uv run`… They are stripped from the front of a command.

use vramlint_catalog::flags::Launcher;
use vramlint_syntax::shell::Word;

/// Wrappers, and their options that take a value as a separate word.
const WRAPPERS: &[(&str, &[&str])] = &[
    ("nohup", &[]),
    ("time", &[]),
    ("exec", &[]),
    ("command", &[]),
    ("setsid", &[]),
    ("stdbuf", &[]),
    ("nice", &["-n"]),
    ("ionice", &["-c", "-n"]),
    ("numactl", &["-N", "-m", "-C"]),
    ("taskset", &[]),
    ("timeout", &["-k", "-s"]),
    ("sudo", &["-u", "-g"]),
    ("env", &["-u", "-C"]),
    ("call", &[]),
    ("start", &[]),
    ("&", &[]),
];

/// Runners that take a subcommand: `uv run`, `poetry run`, `conda run -n env`.
const RUNNERS: &[(&str, &str, &[&str])] = &[
    (
        "uv",
        "run",
        &[
            "--with",
            "--python",
            "-p",
            "--extra",
            "--group",
            "--package",
            "--env-file",
            "--directory",
            "--project",
            "--index",
            "--with-requirements",
            "--with-editable",
        ],
    ),
    ("poetry", "run", &[]),
    ("pdm", "run", &[]),
    ("rye", "run", &[]),
    ("hatch", "run", &[]),
    ("pixi", "run", &["-e", "--environment"]),
    ("pipenv", "run", &[]),
    ("conda", "run", &["-n", "--name", "-p", "--prefix", "--cwd"]),
    ("mamba", "run", &["-n", "--name", "-p", "--prefix"]),
    ("micromamba", "run", &["-n", "--name", "-p", "--prefix"]),
];

/// Programs with many options of their own, behind which the first word that starts a launcher begins the command.
const SEARCHED: &[&str] = &[
    "srun",
    "mpirun",
    "mpiexec",
    "orterun",
    "jsrun",
    "aprun",
    "singularity",
    "apptainer",
    "docker",
    "podman",
    "nerdctl",
    "kubectl",
    "sudo",
    "nsys",
    "ncu",
    "numactl",
    "taskset",
    "flock",
    "script",
    "py-spy",
    "xvfb-run",
];

/// The words after all wrappers at the front.
pub(super) fn strip(words: &[Word]) -> &[Word] {
    let mut words = words;
    for _ in 0..8 {
        let Some(program) = words.first().and_then(Word::text) else { return words };
        let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
        let second = words.get(1).and_then(Word::text).unwrap_or("");
        if name == "ray" && second == "job" {
            // `ray job submit [options] -- python …`
            let Some(end) = words.iter().position(|word| word.text() == Some("--")) else { return words };
            words = &words[end + 1..];
        } else if let Some((_, _, valued)) = RUNNERS.iter().find(|(runner, sub, _)| *runner == name && *sub == second) {
            words = skip_options(&words[2..], valued);
        } else if let Some((_, valued)) = WRAPPERS.iter().find(|(wrapper, _)| *wrapper == name) {
            words = skip_options(&words[1..], valued);
            if name == "timeout" || name == "taskset" {
                words = words.get(1..).unwrap_or(&[]);
            }
        } else if SEARCHED.contains(&name) {
            return searched(&words[1..]);
        } else {
            return words;
        }
    }
    words
}

/// The words from the first on that starts something, or none.
fn searched(words: &[Word]) -> &[Word] {
    let starts = |at: &usize| {
        let texts: Vec<Option<&str>> = words[*at..].iter().map(Word::text).collect();
        let program = texts[0].map_or("", |text| text.rsplit('/').next().unwrap_or(text));
        // `exec` and `start` are also commands of these programs.
        let wrapper =
            !matches!(program, "exec" | "start" | "call" | "command" | "&") && WRAPPERS.iter().any(|(name, _)| *name == program);
        let launcher = Launcher::of_words(&texts).filter(|_| !program.contains(':'));
        let script = |text: Option<&str>| text.is_some_and(|text| text.ends_with(".py") || text == "-m");
        let starts = launcher.is_some_and(|(launcher, _)| launcher != Launcher::Python || texts.iter().copied().any(script));
        wrapper || SEARCHED.contains(&program) || starts
    };
    match (0..words.len()).find(starts) {
        Some(at) => strip(&words[at..]),
        None => &[],
    }
}

fn skip_options<'a>(words: &'a [Word], valued: &[&str]) -> &'a [Word] {
    let mut words = words;
    while let Some(text) = words.first().and_then(Word::text) {
        if text == "--" {
            return &words[1..];
        }
        let assignment = text
            .split_once('=')
            .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
        if !text.starts_with('-') && !assignment {
            break;
        }
        let skip = if valued.contains(&text) { 2 } else { 1 };
        words = words.get(skip..).unwrap_or(&[]);
    }
    words
}
