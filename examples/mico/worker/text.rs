//! Searching as people type: neither case nor accents matter.

/// How many characters a snippet shows on either side of the hit.
const AROUND: usize = 80;

/// The text with case and Spanish accents taken off, one character for each of the original's,
/// so that a place in one is the same place in the other.
pub(super) fn fold(text: &str) -> Vec<char> {
    text.chars().map(plain).collect()
}

/// Where `needle` begins in `hay`; both are folded.
pub(super) fn find(hay: &[char], needle: &[char]) -> Option<usize> {
    if needle.is_empty() {
        return Some(0);
    }
    hay.windows(needle.len()).position(|window| window == needle)
}

/// Whether `text` holds the folded `needle`.
pub(super) fn holds(text: &str, needle: &[char]) -> bool {
    find(&fold(text), needle).is_some()
}

/// One line of `text` around the `length` characters at `at`, with an ellipsis where it was cut.
pub(super) fn snippet(text: &str, at: usize, length: usize) -> String {
    let start = at.saturating_sub(AROUND);
    let wanted = at - start + length + AROUND;
    let mut rest = text.chars().skip(start);
    let middle: String = rest.by_ref().take(wanted).map(|c| if c == '\n' { ' ' } else { c }).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if rest.next().is_some() { "…" } else { "" };
    format!("{before}{}{after}", middle.trim())
}

fn plain(character: char) -> char {
    match character.to_lowercase().next().unwrap_or(character) {
        'á' | 'à' | 'ä' | 'â' => 'a',
        'é' | 'è' | 'ë' | 'ê' => 'e',
        'í' | 'ì' | 'ï' | 'î' => 'i',
        'ó' | 'ò' | 'ö' | 'ô' => 'o',
        'ú' | 'ù' | 'ü' | 'û' => 'u',
        // ñ stays: año and ano are different words.
        lower => lower,
    }
}
