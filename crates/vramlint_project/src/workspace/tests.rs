//! The editor's folder says what `check` says.
