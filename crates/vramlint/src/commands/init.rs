//! `vramlint init`.

mod template;

use crate::cli::InitArgs;
use crate::exit::{Status, user_error, write_error};
use crate::language;
use crate::request::working_directory;
use crate::stdio::print_stdout;
use anyhow::Result;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;
use template::{EffectiveBatches, ProjectFacts};
use vramlint_base::{Value, message};
use vramlint_catalog::Concept;
use vramlint_gpu::visible_devices::{self, CudaEnvironment};
use vramlint_gpu::{Driver, host};
use vramlint_project::config::configuration_in;
use vramlint_project::{Request, check};
use vramlint_resolve::Setting;

/// Name of the written file.
const NAME: &str = "vramlint.toml";

/// Writes a configuration for the project and the machine.
pub(crate) fn run(args: &InitArgs) -> Result<Status> {
    if let Some(there) = configuration_in(&args.folder) {
        return Err(already_configured(&there));
    }
    let lang = language::resolve(args.lang, None);
    let facts = ProjectFacts {
        gpus: local_gpus(),
        host_memory: host::memory(),
        os: host::os(),
        batch: effective_batches(&args.folder)?,
        lang_given: args.lang.is_some(),
    };
    let text = template::render(&facts, lang);
    let path = args.folder.join(NAME);
    write(&path, &text)?;
    let shown = path.strip_prefix(".").unwrap_or(&path).display();
    print_stdout(&format!("{}\n\n{text}", message!("wrote {shown}:", "已写入 {shown}：").get(lang)), false)?;
    Ok(Status::Clean)
}

fn already_configured(there: &Path) -> anyhow::Error {
    let there = there.strip_prefix(".").unwrap_or(there).display();
    user_error(message!(
        "{there} already configures vramlint; nothing was written",
        "{there} 中已有 vramlint 配置；未写入任何内容"
    ))
}

/// Creates the file; never overwrites one, even if it was created in the meantime or is the target of a link.
fn write(path: &Path, text: &str) -> Result<()> {
    let written = OpenOptions::new().write(true).create_new(true).open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(
        |error| if error.kind() == ErrorKind::AlreadyExists { already_configured(path) } else { write_error(path, &error) },
    )
}

/// The local GPUs, as `--gpu auto` selects them. Without any, the file gets examples and the reason instead.
fn local_gpus() -> Result<visible_devices::GpuSelection, vramlint_base::Message> {
    let machine = Driver::open().and_then(|driver| driver.read()).map_err(|none| none.message)?;
    visible_devices::select(&machine, &CudaEnvironment::from_process())
}

/// The effective batch size of each run of the project.
fn effective_batches(folder: &Path) -> Result<EffectiveBatches> {
    let cwd = working_directory()?;
    // The new file will govern this folder, so configurations in parent folders are ignored.
    let request = Request { cwd, paths: vec![folder.to_path_buf()], isolated: true, ..Request::default() };
    let report = check(&request, &|_, _| {})?;
    let batch = |setting: &Setting| match setting.value() {
        Some(Value::Int(number)) => u64::try_from(*number).ok().filter(|number| *number > 0),
        _ => None,
    };
    let effective = |run: &vramlint_resolve::Run| run.settings.get(&Concept::EffectiveBatch).and_then(batch);
    Ok(EffectiveBatches(report.runs().map(|run| (run.id.clone(), effective(run))).collect()))
}
