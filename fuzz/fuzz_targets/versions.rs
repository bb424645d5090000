//! Reads any text as each file that states versions.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = &*String::from_utf8_lossy(bytes);
    vramlint_fuzz::versions(text);
});
