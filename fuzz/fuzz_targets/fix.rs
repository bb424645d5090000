//! Fixes a project of which one file is any text: fixing again changes nothing.
#![no_main]

libfuzzer_sys::fuzz_target!(init: vramlint_fuzz::let_guarded_panics_pass(), |bytes: &[u8]| {
    let text = &*String::from_utf8_lossy(bytes);
    vramlint_fuzz::fix_with(text);
});
