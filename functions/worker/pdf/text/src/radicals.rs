//! Chinese characters that files have as their radicals: fonts draw both alike, and programs that print then take the wrong one.

use unicode_normalization::UnicodeNormalization as _;

/// The characters of the block CJK Radicals Supplement that have a character which looks the same, which Unicode does not decompose.
const SUPPLEMENT: &str = "⺟母⺠民⻁虎⻄西⻅见⻆角⻉贝⻋车⻑長⻓长⻔门⻘青⻙韦⻚页⻛风⻜飞⻝食⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻬齐⻭歯⻮齿⻯竜⻰龙⻲亀⻳龟";

/// The character that a radical stands for in text.
pub(super) fn unified(c: char) -> char {
    match c {
        '\u{2e80}'..='\u{2eff}' => SUPPLEMENT.chars().skip_while(|known| *known != c).nth(1).unwrap_or(c),
        '\u{2f00}'..='\u{2fdf}' => c.nfkc().next().unwrap_or(c),
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radicals_are_the_characters_that_look_like_them() {
        assert_eq!("⽯头⻋站⼝、⻮⺀A石".chars().map(unified).collect::<String>(), "石头车站口、齿⺀A石");
        assert_eq!(unified('齿'), '齿');
        assert!(SUPPLEMENT.chars().step_by(2).all(|c| ('\u{2e80}'..='\u{2eff}').contains(&c)));
    }
}
