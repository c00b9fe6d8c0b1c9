//! Labels for properties of requests.

/// `maxImageDpi` becomes "Max image DPI".
pub fn of(name: &str) -> String {
    const CAPITALS: [&str; 6] = ["css", "dpi", "html", "pdf", "url", "xml"];
    match name {
        "conversionProviderMode" => return "Quality".to_owned(),
        "facturX" => return "Factur-X".to_owned(),
        _ => {}
    }
    let mut words: Vec<String> = vec![String::new()];
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(letter.to_ascii_lowercase());
        }
    }
    for word in &mut words {
        if CAPITALS.contains(&word.as_str()) {
            word.make_ascii_uppercase();
        }
    }
    let text = words.join(" ");
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_labels() {
        for (name, shown) in [
            ("pageRange", "Page range"),
            ("conversionProviderMode", "Quality"),
            ("maxImageDpi", "Max image DPI"),
            ("headerHtml", "Header HTML"),
            ("pdfVersion", "PDF version"),
            ("preferCssPageSize", "Prefer CSS page size"),
        ] {
            assert_eq!(of(name), shown);
        }
    }
}
