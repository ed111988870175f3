//! Searching as people type: neither case nor accents matter.

/// The text in lower case and without Spanish accents.
pub(super) fn fold(text: &str) -> String {
    text.chars().map(plain).collect()
}

fn plain(character: char) -> char {
    match character.to_lowercase().next().unwrap_or(character) {
        'á' => 'a',
        'é' => 'e',
        'í' => 'i',
        'ó' => 'o',
        'ú' | 'ü' => 'u',
        // ñ stays: año and ano are different words.
        lower => lower,
    }
}
