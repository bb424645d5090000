//! Ranks, ranges and folders.

use super::files::{Form, mentions};
use super::*;
use std::str::FromStr;

fn said(library: &str, mentioned: &[(Rank, &str)]) -> Said {
    let candidates = mentioned.iter().map(|(rank, text)| Candidate {
        version: Known::from_specifiers(text).expect("specifiers"),
        rank: *rank,
        place: None,
        source: format!("{rank:?}"),
    });
    Said::new(library, candidates.collect()).expect("something")
}

fn range(text: &str, span: Span) -> Holds {
    said(span.library, &[(Rank::Range, text)]).holds(&span)
}

#[test]
fn ranges_are_compared_with_the_releases_there_are() {
    let five = Span::since("transformers", "5.0");
    assert_eq!(range("<5", five), Holds::Never);
    assert_eq!(range(">=5.1", five), Holds::Always);
    assert_eq!(range(">=4.40", five), Holds::Sometimes);
    assert_eq!(range("", five), Holds::Sometimes);
    assert_eq!(range("~=4.44.0", five), Holds::Never);
    assert_eq!(range("==5.23.*", five), Holds::Always);
    assert_eq!(range(">=4.57.6,!=5.0.0", Span::since("transformers", "4.50")), Holds::Always);
    // 4.57 is the last line of 4: nothing lies between it and 5.
    assert_eq!(range("<5", Span::until("transformers", "4.58")), Holds::Always);
    assert_eq!(range(">=4.58,<5", five), Holds::Sometimes, "no release fits: nothing is known");
    assert_eq!(range(">=5.23", Span::until("transformers", "5.23")), Holds::Never);
    // Old releases count only where nothing newer is allowed.
    assert_eq!(range("<4.31", Span::since("transformers", "4.30")), Holds::Always);
    assert_eq!(range("<4.20", Span::since("transformers", "4.10")), Holds::Sometimes);
    // Libraries without a list of releases.
    assert_eq!(range(">=2", Span::since("wandb", "1")), Holds::Sometimes);
}

#[test]
fn exact_versions_decide_and_builds_between_releases_do_not() {
    let span = Span::since("transformers", "4.45");
    let exact = |text: &str| said("transformers", &[(Rank::Exact, text)]).holds(&span);
    assert_eq!(exact("==4.45.0"), Holds::Always);
    assert_eq!(exact("==4.44.2"), Holds::Never);
    assert_eq!(exact("==4.45.0.dev0"), Holds::Sometimes);
    assert_eq!(exact("==4.46.0rc1"), Holds::Always);
    assert_eq!(said("torch", &[(Rank::Exact, "==2.1.0+cu118")]).holds(&Span::until("torch", "2.1.0")), Holds::Never);
}

#[test]
fn ranks_decide_and_contradictions_leave_what_both_allow() {
    let five = Span::since("transformers", "5.0");
    let both = said("transformers", &[(Rank::Range, ">=4"), (Rank::Installed, "==5.1.0"), (Rank::Exact, "==4.44.0")]);
    assert_eq!((both.holds(&five), both.source.as_str()), (Holds::Never, "Exact"));
    let declared = said("transformers", &[(Rank::Exact, "==4.44.0"), (Rank::Declared, "==5.1.0")]);
    assert_eq!(declared.holds(&five), Holds::Always);
    let apart = said("transformers", &[(Rank::Exact, "==4.44.0"), (Rank::Exact, "==5.1.0")]);
    assert_eq!(apart.holds(&five), Holds::Sometimes);
    assert_eq!(apart.holds(&Span::since("transformers", "4.40")), Holds::Always);
    assert_eq!(apart.version.to_string(), "4.44.0 | 5.1.0");
    // An environment that the ranges refuse is an old one.
    let stale = said("transformers", &[(Rank::Installed, "==4.44.0"), (Rank::Range, ">=5")]);
    assert_eq!(stale.holds(&five), Holds::Sometimes);
    let fits = said("transformers", &[(Rank::Installed, "==5.1.0"), (Rank::Range, ">=4")]);
    assert_eq!(fits.holds(&five), Holds::Always);
    assert_eq!(fits.candidates.len(), 2);
}

#[test]
fn nothing_known_is_the_span_of_what_is_supported() {
    assert_eq!(Span::since("transformers", "4.20").holds_unknown(), Holds::Always);
    assert_eq!(Span::since("transformers", "4.50").holds_unknown(), Holds::Sometimes);
    assert_eq!(Span::until("transformers", "4.20").holds_unknown(), Holds::Never);
    assert_eq!(Span::until("transformers", "9.0").holds_unknown(), Holds::Sometimes);
    assert_eq!(Span::since("nothing", "1").holds_unknown(), Holds::Sometimes);
}

#[test]
fn folders_govern_what_lies_below() {
    let governs = |root: &str, path: &str| Libraries { root: root.into(), ..Libraries::default() }.govern(path);
    assert!(governs("", "a/b.yaml") && governs("", "b.yaml") && !governs("", "../b.yaml") && !governs("", "/b.yaml"));
    assert!(governs("a", "a/b.yaml") && !governs("a", "ab/c.yaml") && !governs("a", "b.yaml"));
    assert!(governs("..", "a.yaml") && governs("..", "../x/a.yaml") && !governs("..", "../../a.yaml"));
    assert!(governs("../a", "../a/x.yaml") && !governs("../a", "x.yaml"));
    let depth = |root: &str| Libraries { root: root.into(), ..Libraries::default() }.depth();
    assert!(depth("../..") < depth("..") && depth("..") < depth("") && depth("") < depth("a") && depth("a") < depth("a/b"));
    assert!(depth("..") < depth("../a"));
}

#[test]
fn notations_of_tools() {
    let poetry = |text: &str| Known::from_poetry(text).expect("read").to_string();
    assert_eq!(poetry("^4.40"), ">=4.40,<5");
    assert_eq!(poetry("^0.9.1"), ">=0.9.1,<0.10");
    assert_eq!(poetry("~4.40.1"), ">=4.40.1,<4.41");
    assert_eq!(poetry("~=4.40"), "~=4.40");
    assert_eq!(poetry("4.44.0"), "4.44.0");
    assert_eq!(poetry("4.*"), "==4.*");
    assert_eq!(poetry("*"), "*");
    assert_eq!(poetry(">= 4.40, < 5"), ">=4.40,<5");
    assert_eq!(poetry("^4.40 || 5.1.0"), ">=4.40,<5 | 5.1.0");
    let conda = |text: &str| Known::from_conda(text).expect("read").to_string();
    assert_eq!(conda("=2.1"), "==2.1.*");
    assert_eq!(conda("==2.1.0"), "2.1.0");
    assert_eq!(conda("=2.1.0=py3.10_cuda11.8_0"), "2.1.0");
    assert_eq!(conda(">=4.40,<5"), ">=4.40,<5");
    assert_eq!(conda(" 2.1.*"), "==2.1.*");
    assert_eq!(conda(""), "*");
    let own = |text: &str| Known::declared(text).map(|known| known.to_string());
    assert_eq!(own("5.23").as_deref(), Some("==5.23.*"));
    assert_eq!(own("4.44.2").as_deref(), Some("4.44.2"));
    assert_eq!(own("4.44.*").as_deref(), Some("==4.44.*"));
    assert_eq!(own(">=4.40,<5").as_deref(), Some(">=4.40,<5"));
    assert_eq!((own("newest"), own("")), (None, None));
}

#[test]
fn every_cut_of_every_file_is_survived() {
    let files = [
        (
            Form::Requirements,
            "-r a.txt\ntransformers[torch]==4.44.0 ; python_version>'3' --hash=sha256:x \\\n  --hash=y\n-e git+https://x/transformers.git@v4.44.0#egg=transformers\n",
        ),
        (Form::Pyproject, "[project]\ndependencies = [\"torch>=2\"]\n[tool.poetry.dependencies]\ntrl = {version = \"^0.9\"}\n"),
        (Form::Lock, "[[package]]\nname = \"torch\"\nversion = \"2.1.0\"\n"),
        (Form::PipfileLock, "{\"default\": {\"torch\": {\"version\": \"==2.1.0\"}}}"),
        (Form::Conda, "dependencies:\n  - pytorch=2.1\n  - pip:\n    - trl==0.9.6\n"),
        (Form::SetupCfg, "[options]\ninstall_requires =\n    torch>=2\n"),
        (Form::SetupPy, "setup(install_requires=[\"torch>=2\", f\"x=={v}\"])\n"),
        (Form::Pipfile, "[packages]\ntorch = \"~=2.1\"\n"),
    ];
    for (form, text) in files {
        for end in 0..=text.len() {
            for mention in mentions(form, &text[..end]) {
                assert!(mention.range.end as usize <= end, "{form:?} {end}");
            }
        }
        assert!(!mentions(form, text).is_empty(), "{form:?}");
    }
    assert!(Version::from_str("1").is_ok());
}
