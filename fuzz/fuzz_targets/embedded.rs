//! Finds texts in documents, Makefiles, Dockerfiles and workflows.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = &*String::from_utf8_lossy(bytes);
    vramlint_fuzz::embedded(text);
});
