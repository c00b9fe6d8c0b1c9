//! Scripts that are set differently from Latin.

/// Hebrew, Arabic and related scripts, with Arabic presentation forms. Digits run to the right everywhere.
pub fn is_rtl(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{65f}' | '\u{66a}'..='\u{6ef}' | '\u{6fa}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
}

/// Chinese and Japanese: scripts without spaces between words.
pub fn is_cjk(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{312f}' | '\u{3190}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}
