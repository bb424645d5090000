//! Processes of the data loader.

use super::Mapping;
use vramlint_base::message;
use vramlint_catalog::Concept;

impl Mapping<'_> {
    /// Workers, and the batches that each prefetches (torch 2.15 utils/data/dataloader.py: two).
    pub(super) fn loader(&mut self) {
        match self.count(Concept::DataloaderWorkers) {
            Ok(Some(workers)) => {
                self.upper.dataloader_workers = workers.upper;
                self.lower.dataloader_workers = if workers.stated { workers.lower } else { 0 };
            }
            Ok(None) => {}
            Err(_) => {
                self.assume(message!("dataloader_num_workers is unknown: assuming 0", "dataloader_num_workers 未知：按 0 计"));
            }
        }
        if let Some(batches) = self.count(Concept::DataloaderPrefetchFactor).ok().flatten() {
            self.both(|setup| setup.prefetch_factor = batches.upper);
        }
    }
}
