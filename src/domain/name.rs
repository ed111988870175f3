//! Names that somebody gave to a client or a token, as they may be shown.

use unicode_normalization::UnicodeNormalization;

/// Characters of a name, at most.
pub const LIMIT: usize = 100;

/// True for what would be read and not seen: two names would look the same, or one would run backwards.
///
/// Control characters, line and paragraph separators, everything Unicode lists as Default_Ignorable_Code_Point
/// (joiners, direction marks, fillers, selectors, tags), interlinear marks and the blank braille cell.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// A name as it may be shown: without what is not seen, composed, not too long. What was between two letters is
/// taken out before they are composed, so that no name has two spellings.
pub fn clean(name: &str) -> String {
    let shown = name.chars().filter(|c| !is_hidden(*c)).nfc();
    shown.take(LIMIT).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_taken_out() {
        assert_eq!(clean("  Cla\u{202e}ude\u{200b}\n "), "Claude");
        for hidden in [
            '\0',
            '\u{7f}',
            '\u{85}',
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{17b5}',
            '\u{180e}',
            '\u{180f}',
            '\u{200d}',
            '\u{2028}',
            '\u{2029}',
            '\u{202a}',
            '\u{2066}',
            '\u{2800}',
            '\u{3164}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fff9}',
            '\u{1bca0}',
            '\u{1d173}',
            '\u{e0001}',
            '\u{e01ef}',
        ] {
            assert_eq!(clean(&format!("Cla{hidden}ude")), "Claude", "{hidden:?}");
            assert_eq!(clean(&hidden.to_string()), "", "{hidden:?}");
        }
        assert_eq!(clean("Año Ünïcode 日本 🤖"), "Año Ünïcode 日本 🤖");
    }

    #[test]
    fn names_are_composed_and_cut() {
        assert_eq!(clean("e\u{34f}\u{301}"), "\u{e9}");
        assert_eq!(clean(&"x".repeat(500)).len(), 100);
    }
}
