//! The data loader's processes.

use super::Mapping;
use vramlint_base::message;

impl Mapping<'_> {
    /// Workers and what each holds ready (torch 2.15 utils/data/dataloader.py: two batches).
    pub(super) fn loader(&mut self) {
        match self.count("dataloader_num_workers") {
            Ok(Some(workers)) => {
                self.most.dataloader_workers = workers.most;
                self.least.dataloader_workers = if workers.stated { workers.least } else { 0 };
            }
            Ok(None) => {}
            Err(_) => self.assume(message!(
                "dataloader_num_workers is not known: none are taken",
                "dataloader_num_workers 未知：按没有工作进程计"
            )),
        }
        if let Some(batches) = self.count("dataloader_prefetch_factor").ok().flatten() {
            self.both(|setup| setup.prefetch_factor = batches.most);
        }
    }
}
