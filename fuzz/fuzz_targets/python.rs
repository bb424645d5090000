//! Reads any text as Python.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = &*String::from_utf8_lossy(bytes);
    vramlint_fuzz::errors(text, &vramlint_syntax::python::parse(text).errors);
});
