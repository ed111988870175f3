//! Text as people type it: neither case nor accents matter.

/// The words of a text without case and accents.
pub(super) fn words(text: &str) -> Vec<String> {
    let folded = fold(text);
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The text without case and Spanish accents.
pub(super) fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(plain).collect()
}

/// Whether `text` holds `part`, as people would say it does.
pub(super) fn holds(text: &str, part: &str) -> bool {
    fold(text).contains(&fold(part))
}

fn plain(lower: char) -> char {
    match lower {
        'á' | 'à' | 'ä' | 'â' => 'a',
        'é' | 'è' | 'ë' | 'ê' => 'e',
        'í' | 'ì' | 'ï' | 'î' => 'i',
        'ó' | 'ò' | 'ö' | 'ô' => 'o',
        'ú' | 'ù' | 'ü' | 'û' => 'u',
        // ñ stays: año and ano are different words.
        other => other,
    }
}
