//! Suggests the known name that a mistyped one probably means.

/// Names of at least this similarity are suggested: 1 is equal (Jaro-Winkler).
const ALIKE: f64 = 0.8;

/// The known name that is most similar to `name`, if it is similar enough.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    known
        .map(|known| (strsim::jaro_winkler(&name, &known.to_lowercase()), known))
        .filter(|(similarity, _)| *similarity >= ALIKE)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_name_has_a_nearest_one_and_an_unrelated_one_has_none() {
        let known = ["pageSize", "pageRange", "marginTop", "scale"];
        for (name, expected) in [
            ("pagesize", Some("pageSize")),
            ("page_range", Some("pageRange")),
            ("margTop", Some("marginTop")),
            ("x", None),
        ] {
            assert_eq!(nearest(name, known.into_iter()), expected, "{name}");
        }
    }
}
