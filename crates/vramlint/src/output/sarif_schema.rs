//! The types of SARIF 2.1.0 that are written. Names and order follow the standard.

use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct Log<'a> {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run<'a> {
    pub(super) tool: Tool,
    pub(super) automation_details: Automation,
    pub(super) language: &'static str,
    pub(super) column_kind: &'static str,
    pub(super) newline_sequences: [&'static str; 3],
    pub(super) original_uri_base_ids: Bases,
    pub(super) results: Vec<ResultForm<'a>>,
}

#[derive(Serialize)]
pub(super) struct Tool {
    pub(super) driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    pub(super) semantic_version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) information_uri: Option<&'static str>,
    pub(super) rules: Vec<RuleForm>,
}

#[derive(Serialize)]
pub(super) struct Automation {
    /// Category of the run, with an empty run name.
    pub(super) id: &'static str,
}

#[derive(Serialize)]
pub(super) struct Bases {
    #[serde(rename = "%SRCROOT%")]
    pub(super) root: Base,
}

#[derive(Serialize)]
pub(super) struct Base {
    pub(super) description: Text<String>,
}

/// A message, a description, or the content of a file.
#[derive(Serialize)]
pub(super) struct Text<T = String> {
    pub(super) text: T,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RuleForm {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) short_description: Text,
    pub(super) full_description: Text,
    pub(super) help: Help,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help_uri: Option<String>,
    pub(super) default_configuration: Configuration,
    pub(super) properties: OfRule,
}

#[derive(Serialize)]
pub(super) struct Help {
    pub(super) text: String,
    pub(super) markdown: String,
}

#[derive(Serialize)]
pub(super) struct Configuration {
    pub(super) level: &'static str,
}

/// Properties that GitHub reads.
#[derive(Serialize)]
pub(super) struct OfRule {
    pub(super) tags: [&'static str; 1],
    #[serde(rename = "problem.severity")]
    pub(super) problem_severity: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResultForm<'a> {
    pub(super) rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule_index: Option<usize>,
    pub(super) level: &'static str,
    pub(super) message: Text,
    pub(super) locations: [Mark; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related_locations: Vec<Mark>,
    pub(super) partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) fixes: Vec<FixForm<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) properties: Option<OfResult<'a>>,
}

#[derive(Serialize)]
pub(super) struct OfResult<'a> {
    /// The training run that the result applies to.
    pub(super) run: &'a str,
}

/// A `location`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Mark {
    /// The id that a link in the message refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<u32>,
    pub(super) physical_location: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Physical {
    pub(super) artifact_location: Address,
    pub(super) region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Address {
    pub(super) uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uri_base_id: Option<&'static str>,
}

/// Lines and columns from 1, the end exclusive.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u32,
    pub(super) start_column: usize,
    pub(super) end_line: u32,
    pub(super) end_column: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FixForm<'a> {
    pub(super) description: Text,
    pub(super) artifact_changes: Vec<Change<'a>>,
    pub(super) properties: FixProperties,
}

#[derive(Serialize)]
pub(super) struct FixProperties {
    /// Applicability, as in the `json` format.
    pub(super) applicability: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Change<'a> {
    pub(super) artifact_location: Address,
    pub(super) replacements: Vec<Replacement<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Replacement<'a> {
    pub(super) deleted_region: Region,
    pub(super) inserted_content: Text<&'a str>,
}
