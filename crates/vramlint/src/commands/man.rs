//! The manual page: one page for all commands, each with its options.

use anyhow::Result;
use clap::Command;
use clap_mangen::Man;

/// Sections that clap does not generate.
const MORE: &str = r#".SH "EXIT STATUS"
.TP
0
No findings at or above \fB\-\-fail\-on\fR.
.TP
1
Findings at or above it; with \fB\-\-diff\fR, something would change.
.TP
2
Invalid usage, configuration or environment. The message is on standard error.
.SH FILES
\fIvramlint.toml\fR, or \fB[tool.vramlint]\fR in \fIpyproject.toml\fR; the nearest one in its parent folders applies to a file.
.SH ENVIRONMENT
.TP
\fBLC_ALL\fR, \fBLC_MESSAGES\fR, \fBLANG\fR
A Chinese locale selects Chinese messages, unless \fB\-\-lang\fR or the configuration says otherwise.
.TP
\fBNO_COLOR\fR, \fBCLICOLOR_FORCE\fR
No color; color even if the output is not a terminal.
.TP
\fBCUDA_VISIBLE_DEVICES\fR, \fBCUDA_DEVICE_ORDER\fR
Which GPUs \fB\-\-gpu auto\fR selects, as for a run started here.
.TP
\fBVRAMLINT_NVML\fR
Path of the NVIDIA driver library (\fIlibnvidia-ml.so.1\fR, \fInvml.dll\fR), if it is not in a standard location.
.TP
\fBVRAMLINT_LOG\fR
Logs to standard error: \fIinfo\fR prints the runs found; \fIdebug\fR also how files were classified and which values are unknown;
\fItrace\fR also every rule with its time. \fB\-v\fR implies \fIinfo\fR.
.TP
\fBGITHUB_ACTIONS\fR
If \fItrue\fR, the default of \fB\-\-output\-format\fR is \fIgithub\fR.
"#;

/// The page in roff.
pub(super) fn page(mut command: Command) -> Result<String> {
    command.build();
    let mut page = Vec::new();
    let top = Man::new(command.clone());
    top.render_title(&mut page)?;
    top.render_name_section(&mut page)?;
    top.render_synopsis_section(&mut page)?;
    top.render_description_section(&mut page)?;
    let mut text = String::from_utf8_lossy(&page).into_owned();
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        text.push_str(&section(sub)?);
    }
    text.push_str(MORE);
    Ok(text)
}

fn section(command: &Command) -> Result<String> {
    let man = Man::new(command.clone());
    let (mut synopsis, mut options) = (Vec::new(), Vec::new());
    man.render_synopsis_section(&mut synopsis)?;
    man.render_options_section(&mut options)?;
    let below = |bytes: &[u8]| -> String {
        let text = String::from_utf8_lossy(bytes);
        let body = text.lines().filter(|line| !line.starts_with(".ie ") && !line.starts_with(".el "));
        body.filter(|line| !line.starts_with(".SH SYNOPSIS") && !line.starts_with(".SH OPTIONS"))
            .map(|line| line.replace(".SH ", ".SS ") + "\n")
            .collect()
    };
    let name = command.get_name().to_uppercase();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    Ok(format!(".SH {name}\n{about}.\n.PP\n{}{}", below(&synopsis), below(&options)))
}
