//! `vramlint check`.

use crate::cli::{CheckArgs, Format, Look};
use crate::exit::Status;
use crate::fixing::{self, Fixed};
use crate::output::{View, closing, statistics};
use crate::progress::Progress;
use crate::{colour, language, request, stream};
use std::time::Duration;
use vramlint_base::{Severity, message};
use vramlint_project::{Report, Request, check};

/// Runs the command.
pub(super) fn run(args: &CheckArgs, look: &Look) -> anyhow::Result<Status> {
    let request = request::of_check(args)?;
    let progress = Progress::new(look.quiet);
    let tell = |done, all| progress.tell(done, all);
    if args.diff || args.fix {
        let fixed = fixing::fix(&request, args.unsafe_fixes, &tell)?;
        let time = progress.finish();
        complain(&fixed, look);
        return if args.diff { diff(args, look, &fixed, time) } else { fix(args, look, &request, &fixed, time) };
    }
    let report = check(&request, &tell)?;
    let time = progress.finish();
    let text = shown(args, look, &report, 0, time)?;
    deliver(args, &text)?;
    explain(look, &report);
    Ok(status(args, &report))
}

/// Shows what would change; the status says whether anything would.
fn diff(args: &CheckArgs, look: &Look, fixed: &Fixed, time: Duration) -> anyhow::Result<Status> {
    deliver(args, &fixed.diff())?;
    if !look.quiet {
        let n = fixed.count;
        let lang = language::decide(look.lang, fixed.report.lang);
        eprintln!("{}", message!("{n} would be fixed", "可修复 {n} 个").get(lang));
    }
    if look.verbose {
        eprintln!("{:.2} s", time.as_secs_f64());
    }
    explain(look, &fixed.report);
    Ok(if fixed.count > 0 && !args.exit_zero { Status::Findings } else { Status::Clean })
}

/// Writes what changes and shows what remains. The text of standard input goes to standard output, and what remains in it to
/// standard error.
fn fix(args: &CheckArgs, look: &Look, request: &Request, fixed: &Fixed, time: Duration) -> anyhow::Result<Status> {
    let text = shown(args, look, &fixed.report, fixed.count, time)?;
    if let Some(source) = fixed.stdin(request) {
        if args.output_file.is_some() {
            deliver(args, &text)?;
        } else {
            eprint!("{text}");
        }
        stream::print(&source)?;
    } else {
        fixed.write()?;
        deliver(args, &text)?;
    }
    explain(look, &fixed.report);
    Ok(status(args, &fixed.report))
}

/// The findings in the wanted format, with the closing line where people read it.
fn shown(args: &CheckArgs, look: &Look, report: &Report, fixed: usize, time: Duration) -> anyhow::Result<String> {
    let format = args.output_format.unwrap_or_else(default_format);
    let view = View {
        report,
        lang: language::decide(look.lang, report.lang),
        colour: args.output_file.is_none() && colour::decided(look.color, on_stderr(args)),
    };
    let mut text = if args.statistics { statistics(&view, format)? } else { view.findings(format)? };
    if matches!(format, Format::Full | Format::Concise) && !look.quiet {
        text += &closing(&view, fixed, args.unsafe_fixes, look.verbose.then_some(time));
    }
    Ok(text)
}

/// Whether findings go to standard error, since standard output is taken by the fixed text.
fn on_stderr(args: &CheckArgs) -> bool {
    args.fix && !args.diff && args.files.stdin_filename.is_some()
}

fn default_format() -> Format {
    let on_github = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    if on_github { Format::Github } else { Format::Full }
}

fn deliver(args: &CheckArgs, text: &str) -> anyhow::Result<()> {
    match &args.output_file {
        Some(path) => stream::write(path, text),
        None => stream::print(text.as_bytes()),
    }
}

/// Fixes that did harm are bugs of ours, and no secret.
fn complain(fixed: &Fixed, look: &Look) {
    let lang = language::decide(look.lang, fixed.report.lang);
    for line in fixed.complaints(lang) {
        eprintln!("{line}");
    }
}

/// Tells which configuration ruled and what was skipped, if asked; and why there was nothing to check.
fn explain(look: &Look, report: &Report) {
    let lang = language::decide(look.lang, report.lang);
    if look.verbose {
        for config in &report.configs {
            eprintln!("{}", message!("configuration: {config}", "配置：{config}").get(lang));
        }
    }
    if look.quiet {
        return;
    }
    if report.files == 0 {
        eprintln!("{}", message!("warning: there was no file to check", "警告：没有可检查的文件").get(lang));
    }
    if look.verbose || report.files == 0 {
        for (path, why) in &report.skipped {
            let (en, zh) = (&why.en, &why.zh);
            eprintln!("{}", message!("skipped {path}: {en}", "已跳过 {path}：{zh}").get(lang));
        }
    }
}

/// The command line decides what fails, then the configuration.
fn status(args: &CheckArgs, report: &Report) -> Status {
    let least = args.fail_on.map(Severity::from).or(report.fail_on).unwrap_or(Severity::Warning);
    let fails = report.findings.iter().any(|finding| finding.severity >= least);
    if fails && !args.exit_zero { Status::Findings } else { Status::Clean }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use crate::testing::{Fixture, finding};
    use clap::Parser;
    use vramlint_base::Finding;

    fn ends(severity: Severity, config: Option<Severity>, arguments: &[&str]) -> Status {
        let make = move |project: &vramlint_resolve::Project| Finding { severity, ..finding(0, "4")(project) };
        let mut report = Fixture::new(&[("a.yaml", "a: 4\n")]).finding(make).report();
        report.fail_on = config;
        match Cli::try_parse_from(["vramlint", "check"].iter().chain(arguments)).expect("accepted").command {
            Command::Check(args) => status(&args, &report),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_status_follows_the_command_line_then_the_configuration() {
        use Severity::{Error, Info, Warning};
        assert_eq!(ends(Warning, None, &[]), Status::Findings);
        assert_eq!(ends(Info, None, &[]), Status::Clean);
        assert_eq!(ends(Info, Some(Info), &[]), Status::Findings);
        assert_eq!(ends(Warning, Some(Error), &[]), Status::Clean);
        assert_eq!(ends(Warning, Some(Error), &["--fail-on", "warning"]), Status::Findings);
        assert_eq!(ends(Error, None, &["--exit-zero"]), Status::Clean);
    }
}
