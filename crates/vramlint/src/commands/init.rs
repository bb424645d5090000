//! `vramlint init`.

mod template;

use super::print;
use crate::exit::{Status, user_error, write_error};
use crate::language;
use anyhow::Result;
use clap::Args;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use template::{EffectiveBatches, ProjectFacts};
use vramlint_base::{Value, message};
use vramlint_catalog::Concept;
use vramlint_gpu::visible_devices::{self, CudaEnvironment};
use vramlint_gpu::{Driver, host};
use vramlint_project::config::configuration_in;
use vramlint_project::{Request, check};
use vramlint_resolve::Setting;

/// The file that is written.
const NAME: &str = "vramlint.toml";

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Folder of the project
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Language of the file and the messages; where it is given, the file asks for it too [default: the locale's]
    #[arg(long, value_enum, value_name = "LANG")]
    pub(crate) lang: Option<language::LanguageChoice>,
}

/// Looks at the project and the machine, and writes what they are.
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
    print(&format!("{}\n\n{text}", message!("wrote {shown}:", "已写入 {shown}：").get(lang)))
}

fn already_configured(there: &Path) -> anyhow::Error {
    let there = there.strip_prefix(".").unwrap_or(there).display();
    user_error(message!(
        "{there} configures vramlint already; nothing was written",
        "{there} 中已有 vramlint 配置；未写入任何内容"
    ))
}

/// Never over a file that came to be in the meantime, or one that a link hides.
fn write(path: &Path, text: &str) -> Result<()> {
    let written = OpenOptions::new().write(true).create_new(true).open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(
        |error| if error.kind() == ErrorKind::AlreadyExists { already_configured(path) } else { write_error(path, &error) },
    )
}

/// The GPUs of this machine, as `--gpu auto` takes them. A machine without them is no fault here: examples are written instead,
/// with the reason.
fn local_gpus() -> Result<visible_devices::GpuSelection, vramlint_base::Message> {
    let machine = Driver::open().and_then(|driver| driver.read()).map_err(|none| none.message)?;
    visible_devices::select(&machine, &CudaEnvironment::from_process())
}

/// What the runs of the project say of their effective batch.
fn effective_batches(folder: &Path) -> Result<EffectiveBatches> {
    let cwd = std::env::current_dir()
        .map_err(|error| user_error(message!("the working directory is not there: {error}", "找不到工作目录：{error}")))?;
    // Configurations further up will not govern this folder any more.
    let request = Request { cwd, paths: vec![folder.to_path_buf()], isolated: true, ..Request::default() };
    let report = check(&request, &|_, _| {})?;
    let batch = |setting: &Setting| match setting.value() {
        Some(Value::Int(number)) => u64::try_from(*number).ok().filter(|number| *number > 0),
        _ => None,
    };
    let of = |run: &vramlint_resolve::Run| run.settings.get(&Concept::EffectiveBatch).and_then(batch);
    Ok(EffectiveBatches(report.runs().map(|run| (run.id.clone(), of(run))).collect()))
}
