//! Tells Zed how to start `vramlint lsp`.

use zed_extension_api::{
    self as zed, serde_json::Value, settings::LspSettings, Command, LanguageServerId, Result, Worktree,
};

/// The name of the server in Zed's settings.
const SERVER: &str = "vramlint";

struct Vramlint;

impl zed::Extension for Vramlint {
    fn new() -> Self {
        Self
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let set = LspSettings::for_worktree(SERVER, worktree)?.binary;
        let (path, arguments) = set.map_or((None, None), |binary| (binary.path, binary.arguments));
        let missing = || "vramlint is not on PATH; install it, or set lsp.vramlint.binary.path".to_owned();
        Ok(Command {
            command: path.or_else(|| worktree.which("vramlint")).ok_or_else(missing)?,
            args: arguments.unwrap_or_else(|| vec!["lsp".to_owned()]),
            env: worktree.shell_env(),
        })
    }

    fn language_server_initialization_options(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<Option<Value>> {
        Ok(LspSettings::for_worktree(SERVER, worktree)?.initialization_options)
    }

    fn language_server_workspace_configuration(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<Option<Value>> {
        Ok(LspSettings::for_worktree(SERVER, worktree)?.settings)
    }
}

zed::register_extension!(Vramlint);
