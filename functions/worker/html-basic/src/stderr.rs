//! Turns the layout engine's standard error into warnings of the job.

use std::collections::BTreeSet;

use docmill_domain::job::Warning;

const NO_GLYPH: &str = "no font can draw the character \"";
const NO_FONT: &str = "failed to load @font-face \"";
const SVG: &str = "an inline <svg> ";

/// The warnings in the lines of `said`, one of each kind. A document may have influenced the lines, so only characters and font
/// names of limited length are passed on.
pub(super) fn warnings(said: &str) -> Vec<Warning> {
    let told = || said.lines().filter_map(|line| line.strip_prefix("warning: "));
    let glyphs: BTreeSet<char> =
        told().filter_map(|line| line.strip_prefix(NO_GLYPH)?.chars().next()).filter(|c| !c.is_control()).collect();
    let fonts: BTreeSet<&str> =
        told().filter_map(|line| line.strip_prefix(NO_FONT)?.split_once("\" (")).map(|(name, _)| name).collect();
    let mut warnings = Vec::new();
    if !glyphs.is_empty() {
        let message = "Some characters are missing, because no available font has them. Load a web font that has them.";
        warnings.push(Warning::new("missing_glyph", message).with_detail(glyphs.iter().collect::<String>()));
    }
    warnings.extend(fonts.into_iter().map(|font| {
        let message = "A font of the page could not be loaded. Another font was used instead.";
        Warning::new("font_failed", message).with_detail(font.chars().take(100).collect::<String>())
    }));
    if told().any(|line| line.starts_with(SVG)) {
        let message = "An inline SVG could not be drawn correctly. Use `renderMode: browser`.";
        warnings.push(Warning::new("unsupported_svg", message));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_becomes_one_warning() {
        let said = "rtant line cut off\n\
            warning: no font can draw the character \"ᚠ\" (it will render as tofu).\n  Specify a font\n\
            warning: no font can draw the character \"ᚡ\" (it will render as tofu).\n\
            warning: no font can draw the character \"ᚠ\" (it will render as tofu).\n\
            warning: failed to load @font-face \"My Font\" (no usable src found)\n\
            warning: failed to fetch an external stylesheet: http://a.test/secret: no\n\
            warning: an inline <svg> could not be drawn (x); it keeps its space";
        let told: Vec<_> = warnings(said).into_iter().map(|warning| (warning.code, warning.detail)).collect();
        let expected = [("missing_glyph", Some("ᚠᚡ")), ("font_failed", Some("My Font")), ("unsupported_svg", None)];
        assert_eq!(told, expected.map(|(code, detail)| (code.to_owned(), detail.map(str::to_owned))));
    }

    #[test]
    fn silence_is_no_warning() {
        assert!(warnings("").is_empty());
    }

    #[test]
    fn fuzz_what_the_layout_engine_says() {
        docmill_fuzz::fuzz("layout-warnings", &[], |bytes| drop(warnings(&String::from_utf8_lossy(bytes))));
    }
}
