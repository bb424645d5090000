//! The model that `--model` or `--params` names.

use crate::cli::SetupArgs;
use crate::exit::user_error;
use anyhow::Result;
use vramlint_base::message;
use vramlint_estimate::{Model, Models, Source};
use vramlint_memory::Arch;
use vramlint_project::{Config, Request, find_model};

/// The model, or `None` if no flag names one.
pub(crate) fn from_flags(flags: &SetupArgs, models: &Models, request: &Request) -> Result<Option<Model>> {
    if let Some(count) = flags.params {
        return Ok(Some(Model {
            id: String::new(),
            arch: Arch::from_parameters(count),
            source: Source::CommandLine,
            exact_parameters: None,
            dtype: None,
            prequantized: None,
        }));
    }
    let Some(name) = &flags.model else { return Ok(None) };
    // A declared model takes precedence over folders and caches.
    let declared = models.is_available(name).then(|| models.find(name)).flatten();
    if declared.is_some() {
        return Ok(declared);
    }
    find_model(name, &request.cwd, &request.hub_caches).map(Some).map_err(|why| {
        let (en, zh) = (why.en, why.zh);
        user_error(message!("{en}; --params sets its size instead", "{zh}；也可用 --params 给出参数量"))
    })
}

/// The catalog and the models that the configuration declares.
pub(crate) fn declared_models(config: &Config) -> Models {
    let mut models = Models::catalogue();
    config.declared.iter().for_each(|model| models.insert(model.clone()));
    models
}
