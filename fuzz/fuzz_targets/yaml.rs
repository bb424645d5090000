//! Reads any text as YAML.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = &*String::from_utf8_lossy(bytes);
    vramlint_fuzz::data(text, &vramlint_syntax::yaml::parse(text));
});
