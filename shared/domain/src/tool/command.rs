//! What tools and their options are called on the command line.

/// The verb of a tool: `merge` for `merge-pdf`. Tools that are named after both formats keep their names.
pub fn verb(slug: &str) -> &str {
    let is_pair = slug.contains("-to-");
    let short = ["-pdf", "-documents", "-document"].iter().find_map(|end| slug.strip_suffix(end));
    short.filter(|_| !is_pair).unwrap_or(slug)
}

/// The name of an option's flag: `page-range` for `pageRange`.
pub fn kebab(name: &str) -> String {
    let mut kebab = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.push(letter.to_ascii_lowercase());
    }
    kebab
}
