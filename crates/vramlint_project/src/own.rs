//! Findings that this layer makes itself: they are about reading a project, not about what it says.
//!
//! Their pages are in `vramlint_rules::reading`, one file each; `unreadable-file` also has a check, for bytes that are no text.

use vramlint_base::{FileRange, Finding, Message, Severity};

/// A rule of this layer.
#[derive(Debug)]
pub(crate) struct OwnRule {
    /// Stable code.
    pub code: &'static str,
    /// Name.
    pub name: &'static str,
    /// Severity unless configured.
    pub severity: Severity,
}

/// A rule or a reader failed: our own bug.
pub(crate) static INTERNAL_ERROR: OwnRule = OwnRule { code: "VL000", name: "internal-error", severity: Severity::Warning };
/// A suppression that suppresses nothing.
pub(crate) static UNUSED_SUPPRESSION: OwnRule =
    OwnRule { code: "VL002", name: "unused-suppression", severity: Severity::Warning };
/// A file or folder that the machine does not let us read.
pub(crate) static UNREADABLE_FILE: OwnRule = OwnRule { code: "VL003", name: "unreadable-file", severity: Severity::Warning };
/// A file named outright that is too large to be configuration.
pub(crate) static FILE_TOO_LARGE: OwnRule = OwnRule { code: "VL090", name: "file-too-large", severity: Severity::Info };
/// A suppression that cannot be understood, or names a rule that does not exist.
pub(crate) static INVALID_SUPPRESSION: OwnRule =
    OwnRule { code: "VL091", name: "invalid-suppression", severity: Severity::Warning };

/// All of them.
pub(crate) static OWN_RULES: [&OwnRule; 5] =
    [&INTERNAL_ERROR, &UNUSED_SUPPRESSION, &UNREADABLE_FILE, &FILE_TOO_LARGE, &INVALID_SUPPRESSION];

impl OwnRule {
    /// A finding of this rule.
    pub(crate) fn finding(&self, place: FileRange, message: Message, help: Option<Message>) -> Finding {
        Finding {
            code: self.code,
            name: self.name,
            severity: self.severity,
            message,
            help,
            place,
            related: Vec::new(),
            run: None,
            fixes: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_says_the_same_where_it_has_these_rules() {
        for own in OWN_RULES {
            assert!(own.code.starts_with("VL0") && own.code.len() == 5, "{own:?}");
            if let Some(rule) = vramlint_rules::find(own.code) {
                assert_eq!((rule.name, rule.severity), (own.name, own.severity));
            }
        }
    }
}
