//! Takes any text for `vramlint.toml`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = &*String::from_utf8_lossy(bytes);
    vramlint_fuzz::check_with("vramlint.toml", text);
});
