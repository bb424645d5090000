//! Sends any bytes to the server, between messages that it must answer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| vramlint_fuzz::messages(bytes));
