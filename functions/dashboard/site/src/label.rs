//! Labels for properties of requests.

/// `maxImageDpi` becomes "Max image DPI".
pub fn of(name: &str) -> String {
    const CAPITALS: [&str; 6] = ["css", "dpi", "html", "pdf", "url", "xml"];
    match name {
        "conversionProviderMode" => return "Quality".to_owned(),
        "facturX" => return "Factur-X".to_owned(),
        "literal" => return "Text".to_owned(),
        "pattern" => return "Or a pattern (regular expression)".to_owned(),
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

/// A value in a menu. Codes of languages are names for people.
pub fn of_value(value: &str) -> String {
    let name = match value {
        "ara" => "Arabic",
        "ces" => "Czech",
        "chi_sim" => "Chinese, simplified",
        "chi_tra" => "Chinese, traditional",
        "dan" => "Danish",
        "deu" => "German",
        "ell" => "Greek",
        "eng" => "English",
        "fin" => "Finnish",
        "fra" => "French",
        "heb" => "Hebrew",
        "hin" => "Hindi",
        "hun" => "Hungarian",
        "ita" => "Italian",
        "jpn" => "Japanese",
        "kor" => "Korean",
        "nld" => "Dutch",
        "nor" => "Norwegian",
        "pol" => "Polish",
        "por" => "Portuguese",
        "ron" => "Romanian",
        "rus" => "Russian",
        "spa" => "Spanish",
        "swe" => "Swedish",
        "tur" => "Turkish",
        "ukr" => "Ukrainian",
        other => return other.to_owned(),
    };
    format!("{name} ({value})")
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
