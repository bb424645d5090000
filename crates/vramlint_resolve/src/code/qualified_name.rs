//! Full names of things of libraries: `torch.optim.AdamW`.

/// Stands for the library in a full name if several libraries may have brought the name in.
pub(super) const UNKNOWN_LIBRARY: &str = "?";

/// The last part of a full name.
pub(super) fn leaf(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// The library of a full name, its first part. `None` if several libraries may have brought the name in (`?.SFTConfig`).
pub fn library(path: &str) -> Option<&str> {
    Some(path.split('.').next().unwrap_or(path)).filter(|root| *root != UNKNOWN_LIBRARY)
}
