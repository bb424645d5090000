//! Reads any text as PowerShell.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = &*String::from_utf8_lossy(bytes);
    vramlint_fuzz::errors(text, &vramlint_syntax::shell::parse_powershell(text).errors);
});
