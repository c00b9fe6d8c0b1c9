//! The language of text in a script that only one language is usually written in.

/// BCP 47. `None` if the script tells nothing.
pub(super) fn language(text: &str) -> Option<&'static str> {
    let (mut letters, mut kana, mut hangul, mut han, mut greek, mut hebrew, mut thai) = (0, 0, 0, 0, 0, 0, 0);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        match c {
            '\u{3040}'..='\u{30ff}' => kana += 1,
            '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}' => hangul += 1,
            '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}' => han += 1,
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => greek += 1,
            '\u{590}'..='\u{5ff}' => hebrew += 1,
            '\u{e00}'..='\u{e7f}' => thai += 1,
            _ => {}
        }
    }
    // Formulas have single letters of other scripts.
    let is_most = |count: usize| letters >= 4 && count * 2 > letters;
    let known = [
        (kana > 0 && is_most(kana + han), "ja"),
        (is_most(han), "zh"),
        (is_most(hangul), "ko"),
        (is_most(greek), "el"),
        (is_most(hebrew), "he"),
        (is_most(thai), "th"),
    ];
    known.into_iter().find(|(is, _)| *is).map(|(_, language)| language)
}

#[cfg(test)]
mod tests {
    use super::language;

    #[test]
    fn scripts_of_one_language_tell_it() {
        assert_eq!(language("これは文章です"), Some("ja"));
        assert_eq!(language("这是一个句子"), Some("zh"));
        assert_eq!(language("이것은 문장입니다"), Some("ko"));
        assert_eq!(language("Αυτό είναι κείμενο"), Some("el"));
        assert_eq!(language("This is α and β"), None);
        assert_eq!(language("Это предложение"), None, "several languages are written so");
    }
}
