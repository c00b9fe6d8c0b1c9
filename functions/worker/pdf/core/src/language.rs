//! Language tags.

/// Whether a text has the form of RFC 3066: `^[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*$`.
pub fn is_tag(text: &str) -> bool {
    let is_part = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    text.split('-').all(is_part)
        && text.split('-').next().is_some_and(|first| first.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn tags_have_parts_of_up_to_eight_letters() {
        for right in ["en", "de-CH", "zh-Hans-CN", "x-klingon1"] {
            assert!(super::is_tag(right), "{right}");
        }
        for wrong in ["", "en_US", "1n", "en-", "abcdefghi", "en-abcdefghi", "ünd"] {
            assert!(!super::is_tag(wrong), "{wrong}");
        }
    }
}
