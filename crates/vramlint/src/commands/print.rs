//! Commands that print what is fixed when vramlint is built: schemas, completions, manual pages.

use crate::cli::{Cli, Schema};
use crate::exit::{Status, fault};
use crate::stream;
use clap::CommandFactory;
use vramlint_base::message;

/// Prints a JSON Schema.
pub(super) fn schema(of: Schema) -> anyhow::Result<Status> {
    let text = match of {
        Schema::Vramlint => include_str!("../../../../schemas/vramlint.json"),
    };
    stream::print(text.as_bytes())?;
    Ok(Status::Clean)
}

/// Prints a completion script.
pub(super) fn completions(shell: clap_complete::Shell) -> anyhow::Result<Status> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "vramlint", &mut script);
    stream::print(&script)?;
    Ok(Status::Clean)
}

/// Prints the manual page, of one command if named.
pub(super) fn man(command: Option<&str>) -> anyhow::Result<Status> {
    stream::print(&page(command)?)?;
    Ok(Status::Clean)
}

fn page(command: Option<&str>) -> anyhow::Result<Vec<u8>> {
    let mut root = Cli::command();
    root.build();
    let of = match command {
        None => root,
        Some(name) => {
            let found = root.find_subcommand(name).cloned();
            let found = found.ok_or_else(|| fault(message!("there is no command `{name}`", "没有命令 `{name}`")))?;
            found.name(format!("vramlint-{name}"))
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(of).render(&mut page)?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page() {
        let text = |command| String::from_utf8(page(command).expect("page")).expect("UTF-8");
        assert!(text(None).contains(".TH vramlint 1"));
        assert!(text(Some("check")).contains("\\-\\-unsafe\\-fixes"));
        assert!(page(Some("chekc")).is_err());
    }

    #[test]
    fn the_schema_is_json() {
        let text = include_str!("../../../../schemas/vramlint.json");
        assert!(serde_json::from_str::<serde_json::Value>(text).expect("JSON").is_object());
    }
}
