//! Analysis of a whole folder. Irrelevant Python files are reduced to their imports.

use super::relevance::FileSummary;
use super::{AnalysisError, CancellationToken, PreparedSession, Workspace};
use crate::backend::Backend;
use crate::discovery::file_format::FileFormat;
use crate::references::ReferenceGraph;
use crate::source_loader::{ParsedSource, load};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A file after the first pass; for an irrelevant Python file, only the summary is kept.
struct SummarizedFile {
    loaded: Option<Arc<ParsedSource>>,
    summary: Option<Arc<FileSummary>>,
}

impl Workspace {
    /// All files with their indices. Python files that are neither relevant nor reachable from a relevant file are reduced to their
    /// imports.
    pub(super) fn load_relevant(
        &self,
        prepared: &PreparedSession,
        graph: &ReferenceGraph,
        cancel: &CancellationToken,
    ) -> Result<Vec<(usize, Arc<ParsedSource>)>, AnalysisError> {
        let count = prepared.session.discovered.files.len() as u32;
        let summarize = |index: u32| if cancel.is_cancelled() { None } else { Some(self.summarize(prepared, index)) };
        let summarized: Option<Vec<SummarizedFile>> = (0..count).into_par_iter().map(summarize).collect();
        let summarized = summarized.ok_or(AnalysisError::Cancelled)?;
        let relevant_closure = self.relevant_closure(prepared, graph, &summarized);
        let pick = |(index, summarized): (usize, SummarizedFile)| {
            let file = match (relevant_closure.contains(&(index as u32)), summarized.loaded, summarized.summary) {
                (false, _, Some(summary)) => Arc::clone(&summary.skeleton),
                (_, Some(loaded), _) => loaded,
                _ => Arc::new(load(&Backend::standard(), &self.files, &prepared.session.discovered.files[index])),
            };
            (index, file)
        };
        Ok(summarized.into_par_iter().enumerate().map(pick).collect())
    }

    fn summarize(&self, prepared: &PreparedSession, index: u32) -> SummarizedFile {
        let file = &prepared.session.discovered.files[index as usize];
        if file.format != FileFormat::Python {
            return SummarizedFile { loaded: Some(self.load(prepared, index)), summary: None };
        }
        let version = self.version(&file.path);
        let kept = self.parse_cache.cached(&file.path, version);
        if let Some(summary) = self.parse_cache.summary(&file.path, version) {
            return SummarizedFile { loaded: kept, summary: Some(summary) };
        }
        let loaded = kept.unwrap_or_else(|| Arc::new(load(&Backend::standard(), &self.files, file)));
        let summary = Arc::new(FileSummary::of(&loaded));
        self.parse_cache.put_summary(&file.path, version, Arc::clone(&summary));
        SummarizedFile { loaded: summary.relevant.then_some(loaded), summary: Some(summary) }
    }

    /// The relevant files and the files reachable from them.
    fn relevant_closure(
        &self,
        prepared: &PreparedSession,
        graph: &ReferenceGraph,
        summarized: &[SummarizedFile],
    ) -> BTreeSet<u32> {
        let now = self.current_references(prepared, graph);
        let references = |index: u32| now.get(&index).map_or(graph.forward(index), |targets| targets);
        let is_python = |index: &u32| prepared.session.discovered.files[*index as usize].format == FileFormat::Python;
        let relevant = |(index, summarized): (usize, &SummarizedFile)| {
            let names_others = || references(index as u32).iter().any(|target| !is_python(target));
            summarized.summary.as_ref().is_none_or(|summary| summary.relevant || names_others()).then_some(index as u32)
        };
        let mut open: Vec<u32> = summarized.iter().enumerate().filter_map(relevant).collect();
        let mut relevant_closure: BTreeSet<u32> = open.iter().copied().collect();
        while let Some(index) = open.pop() {
            open.extend(references(index).iter().copied().filter(|target| relevant_closure.insert(*target)));
        }
        relevant_closure
    }
}
