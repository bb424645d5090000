//! Flags of the Python interpreter.

use super::spec::{LauncherSpec, PLAIN, ProcessCount};
use crate::flag::{Arity, Flag};
use crate::precedence::LaunchPath;

/// `python --help` of 3.11 to 3.14. After `-m MODULE` and `-c TEXT` every word belongs to the module, whatever it looks like.
pub(crate) static FLAGS: &[Flag] = &[
    Flag::with_value(&["-m"]),
    Flag::with_value(&["-c"]),
    Flag::with_value(&["-X"]),
    Flag::with_value(&["-W"]),
    Flag::with_value(&["--check-hash-based-pycs"]),
    Flag::switch(&["-u"]),
    Flag::switch(&["-O"]),
    Flag::switch(&["-OO"]),
    Flag::switch(&["-B"]),
    Flag::switch(&["-b"]),
    Flag::switch(&["-d"]),
    Flag::switch(&["-E"]),
    Flag::switch(&["-h", "-?", "--help"]),
    Flag::switch(&["-i"]),
    Flag::switch(&["-I"]),
    Flag::switch(&["-P"]),
    Flag::switch(&["-q"]),
    Flag::switch(&["-R"]),
    Flag::switch(&["-s"]),
    Flag::switch(&["-S"]),
    Flag::switch(&["-t"]),
    Flag::switch(&["-v"]),
    Flag::switch(&["-V", "--version"]),
    Flag::switch(&["-x"]),
    Flag::switch(&["--help-env"]),
    Flag::switch(&["--help-xoptions"]),
    Flag::switch(&["--help-all"]),
];

/// `python`. Its names are many: see [`is_interpreter`].
pub(crate) static LAUNCHER: LauncherSpec =
    LauncherSpec { name: "python", flags: FLAGS, processes: ProcessCount::Program, path: LaunchPath::Python, ..PLAIN };

/// Whether a program is an interpreter: `python`, `python3.11`, `pythonw`, `py`.
pub(crate) fn is_interpreter(name: &str) -> bool {
    let rest = name.strip_prefix("python").or_else(|| name.strip_prefix("py"));
    rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.') || rest == "w")
}

/// A flag whose value stands in the same word: nothing more is taken.
static ATTACHED: Flag = Flag::switch(&["-Xdev", "-Wignore"]);

/// Short flags in one word: `-uB`, `-um MODULE`, `-Xdev`.
pub(crate) fn cluster(word: &str) -> Option<&'static Flag> {
    let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
    let mut last = None;
    for (at, letter) in letters.char_indices() {
        let name = format!("-{letter}");
        let flag = FLAGS.iter().find(|flag| flag.names.contains(&name.as_str()))?;
        let ends_here = at + letter.len_utf8() == letters.len();
        if flag.arity == Arity::One && !ends_here {
            return Some(&ATTACHED);
        }
        last = Some(flag);
    }
    last
}
