//! Messages of caught panics.

use std::any::Any;

/// The message in a payload of `catch_unwind`; a placeholder if there is none.
pub fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a message")
}

#[cfg(test)]
mod tests {
    use super::panic_message;

    #[test]
    fn literals_and_formatted_messages_are_read() {
        assert_eq!(panic_message(&"index out of bounds"), "index out of bounds");
        assert_eq!(panic_message(&"line 3".to_owned()), "line 3");
        assert_eq!(panic_message(&3_u8), "a panic without a message");
    }
}
