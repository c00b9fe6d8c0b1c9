//! Puts results where the command line wants them.

use std::path::{Path, PathBuf};

use crate::plan::outputs::{Target, with_stem};

/// The path of each of several results, or of the only one. `names`: as the service calls them.
pub fn paths(target: &Target, names: &[&str]) -> Vec<PathBuf> {
    match target {
        Target::StandardOutput => Vec::new(),
        Target::Folder(folder) => {
            names.iter().enumerate().map(|(index, name)| folder.join(safe(name, index))).collect()
        }
        Target::File(path) => match names {
            [_] => vec![path.clone()],
            _ => names.iter().enumerate().map(|(index, _)| numbered(path, index + 1, names.len())).collect(),
        },
    }
}

/// Whether the results are kept as the archive that the service makes of them.
pub fn keeps_archive(target: &Target) -> bool {
    match target {
        Target::StandardOutput => true,
        Target::Folder(_) => false,
        Target::File(path) => path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("zip")),
    }
}

/// A name without anything that leads to another folder.
pub fn safe(name: &str, index: usize) -> String {
    let plain = Path::new(name).file_name().map(|name| name.to_string_lossy().into_owned());
    let plain = plain.filter(|name| !name.contains(['\\', ':']) && !name.chars().any(char::is_control));
    plain.unwrap_or_else(|| format!("result-{}", index + 1))
}

/// `page.png` → `page-01.png` of ten.
fn numbered(path: &Path, number: usize, most: usize) -> PathBuf {
    let digits = most.to_string().len();
    with_stem(path, |stem| format!("{stem}-{number:0digits$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let folder = Target::Folder("out".into());
        let names = ["a-1.png", "../../etc/passwd", "/etc/passwd", "..", "c:\\x", "a\nb"];
        let expected = ["out/a-1.png", "out/passwd", "out/passwd", "out/result-4", "out/result-5", "out/result-6"]
            .map(PathBuf::from);
        assert_eq!(paths(&folder, &names), expected);
    }

    #[test]
    fn several_results_of_one_name_are_numbered() {
        let file = Target::File("x/page.png".into());
        assert_eq!(paths(&file, &["a"]), [PathBuf::from("x/page.png")]);
        assert_eq!(paths(&file, &["a"; 10])[1], PathBuf::from("x/page-02.png"));
        assert!(keeps_archive(&Target::File("a.ZIP".into())) && !keeps_archive(&file));
    }
}
