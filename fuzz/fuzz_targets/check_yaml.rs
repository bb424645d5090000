//! Checks a project whose configuration of accelerate is any text.
#![no_main]

libfuzzer_sys::fuzz_target!(init: vramlint_fuzz::let_guarded_panics_pass(), |bytes: &[u8]| {
    let text = &*String::from_utf8_lossy(bytes);
    vramlint_fuzz::check_with("a.yaml", text);
});
