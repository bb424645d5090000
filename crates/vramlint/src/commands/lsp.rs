//! `vramlint lsp`.

use crate::cli::LspArgs;
use crate::exit::{Status, user_error};
use crate::output::runs_json;
use crate::{auto_gpu, language};
use anyhow::Result;
use std::sync::Arc;
use vramlint_base::{Lang, Message, message};
use vramlint_project::{ConfigError, Report};
use vramlint_resolve::Target;
use vramlint_server::Host;

/// Serves until the editor exits. The protocol asks for status 0 after a `shutdown` request.
pub(crate) fn run(args: &LspArgs) -> Result<Status> {
    let LspArgs { stdio: _ } = args;
    #[cfg(unix)]
    restart_with_eager_purge();
    match vramlint_server::serve(Arc::new(CommandLineHost)) {
        Ok(true) => Ok(Status::Clean),
        Ok(false) => Ok(Status::Findings),
        Err(error) => Err(user_error(message!("the language server cannot start: {error}", "无法启动语言服务器：{error}"))),
    }
}

/// Restarts the process once with a variable that makes the allocator return memory as soon as it is free: a server is idle for
/// hours after it analyzed a large folder. mimalloc 3 waits a second and then for the next allocation, unless its environment says
/// otherwise before `main` (`src/options.c`). If the restart fails, the process continues as it is.
#[cfg(unix)]
fn restart_with_eager_purge() {
    use std::os::unix::process::CommandExt;
    const DELAY: &str = "MIMALLOC_PURGE_DELAY";
    if std::env::var_os(DELAY).is_none()
        && let Ok(own) = std::env::current_exe()
    {
        let _ = std::process::Command::new(own).args(std::env::args_os().skip(1)).env(DELAY, "0").exec();
    }
}

/// What the server needs from the binary: JSON output, local GPUs, the language.
#[derive(Debug)]
struct CommandLineHost;

impl Host for CommandLineHost {
    fn run_json(&self, report: &Report, run: &str, lang: Lang) -> Option<serde_json::Value> {
        runs_json::render_run(report, run, lang)
    }

    fn target(&self, target: Target) -> Result<Target, Message> {
        auto_gpu::resolve(target).map_err(|error| match error.downcast::<ConfigError>() {
            Ok(config) => config.message,
            Err(other) => message!("{other:#}", "{other:#}"),
        })
    }

    fn is_running(&self, process: u32) -> bool {
        vramlint_gpu::is_running(process)
    }

    fn language(&self) -> Lang {
        language::resolve(None, None)
    }
}
