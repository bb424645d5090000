//! Programs that only start another one: `nohup`, `srun`, `env`, `uv run`… They are stripped from the front of a command.

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
    ("srun", &["-n", "-N", "-p", "-c", "-t", "-J", "-w", "-o", "-e", "-G", "-A", "-q"]),
    ("mpirun", &["-n", "-np", "-H", "-x", "--hostfile", "--map-by", "--bind-to"]),
    ("call", &[]),
    ("start", &[]),
    ("&", &[]),
    ("nsys", &["-o", "-t"]),
    ("singularity", &["-B", "--bind", "-H"]),
    ("apptainer", &["-B", "--bind", "-H"]),
];

/// Runners that take a subcommand: `uv run`, `poetry run`, `conda run -n env`.
const RUNNERS: &[(&str, &str, &[&str])] = &[
    ("uv", "run", &["--with", "--python", "-p", "--extra", "--group", "--package", "--env-file"]),
    ("poetry", "run", &[]),
    ("pdm", "run", &[]),
    ("rye", "run", &[]),
    ("hatch", "run", &[]),
    ("pixi", "run", &["-e", "--environment"]),
    ("pipenv", "run", &[]),
    ("conda", "run", &["-n", "--name", "-p", "--prefix", "--cwd"]),
    ("mamba", "run", &["-n", "--name", "-p", "--prefix"]),
    ("micromamba", "run", &["-n", "--name", "-p", "--prefix"]),
    ("singularity", "exec", &["-B", "--bind", "-H"]),
    ("apptainer", "exec", &["-B", "--bind", "-H"]),
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
        } else {
            return words;
        }
    }
    words
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
