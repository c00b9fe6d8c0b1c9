//! Which characters are shown as pictures, and which are not shown at all.

use unicode_properties::emoji::{EmojiStatus, UnicodeEmoji as _};

const TEXT_STYLE: char = '\u{FE0E}';
const PICTURE_STYLE: char = '\u{FE0F}';
const KEYCAP: char = '\u{20E3}';

/// Whether a cluster is shown as a picture: by itself, with a skin tone, or because a selector asks for it.
pub fn is_picture(cluster: &str) -> bool {
    let mut characters = cluster.chars();
    let Some(first) = characters.next() else { return false };
    if cluster.contains(TEXT_STYLE) {
        return false;
    }
    let asks = |character: char| {
        matches!(character, PICTURE_STYLE | KEYCAP)
            || character.emoji_status() == EmojiStatus::EmojiPresentationAndModifierAndEmojiComponent
    };
    is_pictured(first) || first.is_emoji_char() && characters.any(asks)
}

/// Whether a character is a picture by itself.
pub(crate) fn is_pictured(character: char) -> bool {
    matches!(
        character.emoji_status(),
        EmojiStatus::EmojiPresentation
            | EmojiStatus::EmojiPresentationAndModifierBase
            | EmojiStatus::EmojiPresentationAndEmojiComponent
            | EmojiStatus::EmojiPresentationAndModifierAndEmojiComponent
    )
}

/// Whether a character shows nothing: controls, joiners, marks of direction and selectors of variants.
pub fn is_ignorable(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'
                ..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
                | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{E0000}'..='\u{E0FFF}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_picture() {
        for picture in
            ["🍺", "🇨🇭", "👍🏽", "☝🏽", "❤\u{FE0F}", "1\u{FE0F}\u{20E3}", "👩\u{200D}👧", "🏴\u{E0067}\u{E007F}"]
        {
            assert!(is_picture(picture), "{picture}");
        }
        for text in ["1", "#", "©", "☝", "🍺\u{FE0E}", "a", "→"] {
            assert!(!is_picture(text), "{text}");
        }
    }
}
