//! `trainer_state.json`, `train_results.json` and the like of transformers' Trainer.

use crate::{Measured, Source, logged_keys};
use serde_json::Value;

/// A state with its history, or one object of results.
pub(crate) fn read(json: &Value) -> Measured {
    let mut found = Measured::none(Source::TrainerState);
    let history = json.get("log_history").and_then(Value::as_array);
    for record in history.into_iter().flatten().chain([json]).filter_map(Value::as_object) {
        logged_keys::read(record, &mut found);
    }
    found
}
