//! Numbers with their noun in English messages.

/// `1 process`, `2 processes`.
pub fn count_noun(number: i64, noun: &str) -> String {
    let ending = match noun {
        _ if number == 1 => "",
        _ if noun.ends_with('s') => "es",
        _ => "s",
    };
    format!("{number} {noun}{ending}")
}
