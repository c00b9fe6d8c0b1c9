//! Installed fonts that replace fonts that are not embedded.

use docmill_pdf_core::fonts::Fonts;

/// Prefixes of names without spaces, and families of the same widths. Longer prefixes come first.
const FAMILIES: [(&str, &str); 12] = [
    ("arialnarrow", "Liberation Sans Narrow"),
    ("helveticanarrow", "Liberation Sans Narrow"),
    ("arial", "Liberation Sans"),
    ("helvetica", "Liberation Sans"),
    ("timesnewroman", "Liberation Serif"),
    ("times", "Liberation Serif"),
    ("couriernew", "Liberation Mono"),
    ("courier", "Liberation Mono"),
    ("calibri", "Carlito"),
    ("cambria", "Caladea Tall"),
    ("georgia", "Gelasio"),
    ("dejavusans", "DejaVu Sans"),
];

/// The file of a substitute for a font name.
pub(super) fn find(installed: &Fonts, name: &str) -> Option<Vec<u8>> {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let (start, family) = FAMILIES.iter().find(|(start, _)| plain.starts_with(start))?;
    // The rest may only be a style: "ArialUnicodeMS" is another font.
    let mut style = plain[start.len()..].to_owned();
    for word in ["psmt", "mt", "ps", "bold", "italic", "oblique", "regular", "roman", "normal"] {
        style = style.replace(word, "");
    }
    if !style.is_empty() {
        return None;
    }
    let is_slanted = plain.contains("italic") || plain.contains("oblique");
    installed.file(family, plain.contains("bold"), is_slanted)
}
