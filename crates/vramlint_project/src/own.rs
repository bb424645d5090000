//! The rules whose findings this layer makes itself: they are about reading a project, not about its content.

use vramlint_rules::Rule;
pub(crate) use vramlint_rules::{FILE_TOO_LARGE, INTERNAL_ERROR, INVALID_SUPPRESSION, UNREADABLE_FILE, UNUSED_SUPPRESSION};

/// All of them.
pub(crate) static OWN_RULES: [&Rule; 5] =
    [&INTERNAL_ERROR, &UNUSED_SUPPRESSION, &UNREADABLE_FILE, &FILE_TOO_LARGE, &INVALID_SUPPRESSION];
