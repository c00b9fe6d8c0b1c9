//! The names of results in an archive: each only once, and safe wherever it is unpacked.

use std::collections::HashSet;

/// Names that Windows gives to devices.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

#[derive(Debug, Default)]
pub(super) struct Names {
    /// In small letters: some file systems don't tell capitals from them.
    taken: HashSet<String>,
}

impl Names {
    pub(super) fn take_all(&mut self, names: impl IntoIterator<Item = String>) {
        self.taken.extend(names);
    }

    /// A name that no other item has: the second `report.pdf` is `report (7).pdf`, after the index of its item.
    pub(super) fn own(&mut self, filename: &str, index: u32) -> String {
        let name = safe(filename);
        let (mut stem, suffix) = match name.rsplit_once('.') {
            Some((stem, suffix)) if !stem.is_empty() => (stem.to_owned(), format!(".{suffix}")),
            Some(_) | None => (name.clone(), String::new()),
        };
        let mut own = name;
        while !self.taken.insert(own.to_lowercase()) {
            stem = format!("{stem} ({index})");
            own = format!("{stem}{suffix}");
        }
        own
    }
}

/// The name without anything that leads elsewhere or that a file system refuses.
fn safe(filename: &str) -> String {
    let is_plain = |character: &char| !character.is_control() && !r#"/\:*?"<>|"#.contains(*character);
    let plain: String = filename.chars().map(|character| if is_plain(&character) { character } else { '_' }).collect();
    let name = plain.trim().trim_end_matches(['.', ' ']);
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let numbered =
        |device: &str| stem.strip_prefix(device).is_some_and(|end| end.len() == 1 && end.parse::<u8>().is_ok());
    match name {
        "" => "document".to_owned(),
        name if DEVICES.contains(&stem.as_str()) || NUMBERED_DEVICES.iter().any(|device| numbered(device)) => {
            format!("_{name}")
        }
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_has_a_safe_name_of_its_own() {
        let mut names = Names::default();
        names.take_all(["earlier.pdf".to_owned()]);
        let given = [
            "a.pdf",
            "A.pdf",
            "a (5).pdf",
            "../a.pdf",
            "b",
            "a.pdf",
            "Earlier.pdf",
            "..",
            "C:\\x\u{7}.txt",
            "Con.pdf",
            "com1",
            "content.pdf",
        ];
        let own: Vec<_> = (0..).zip(given).map(|(index, name)| names.own(name, index)).collect();
        assert_eq!(
            own,
            [
                "a.pdf",
                "A (1).pdf",
                "a (5).pdf",
                ".._a.pdf",
                "b",
                "a (5) (5).pdf",
                "Earlier (6).pdf",
                "document",
                "C__x_.txt",
                "_Con.pdf",
                "_com1",
                "content.pdf",
            ]
        );
    }
}
