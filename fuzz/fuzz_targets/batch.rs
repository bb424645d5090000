//! Reads any text as a batch file and as `.env`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = &*String::from_utf8_lossy(bytes);
    vramlint_fuzz::errors(text, &vramlint_syntax::shell::parse_batch(text).errors);
    vramlint_fuzz::errors(text, &vramlint_syntax::shell::parse_dotenv(text).errors);
});
