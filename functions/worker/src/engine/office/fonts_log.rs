//! Warnings about fonts that a document names but that are not installed.
//!
//! LibreOffice does not report them, but asks fontconfig for substitutes, and fontconfig can log that. A substitute with the same
//! metrics needs no warning, because no text moves.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use docmill::domain::job::Warning;

use crate::engine::fonts::{InstalledFonts, OwnFonts, Relative, UPLOAD_HINT, Widths, substitutes};

/// Value of `FC_DEBUG` that makes fontconfig log each request and its result.
pub(super) const LOG_MATCHES: &str = "1";

/// Fonts that LibreOffice requests for its invisible user interface or as replacements.
const OWN: [&str; 5] = ["dejavu lgc sans", "dejavu lgc sans mono", "lohit hindi", "segoe ui", "tahoma"];

/// Limits: bytes of the log that are read, fonts that are passed on, and fonts that are named. A document may request any number.
const LOG_BYTES: u64 = 4 << 20;
const MOST_MATCHES: usize = 500;
const MOST: usize = 20;
const LONGEST_NAME: usize = 100;

/// Requested families and their substitutes.
pub(super) type Matches = BTreeMap<String, String>;

/// Reads the log, in the child that wrote it.
pub(super) fn read(log: &Path) -> io::Result<Matches> {
    matches(BufReader::new(File::open(log)?.take(LOG_BYTES)))
}

/// What a document lacks.
#[derive(Debug, Default)]
pub(super) struct Missing {
    /// One for each font.
    pub(super) warnings: Vec<Warning>,
    /// The fonts of the warnings, and the families that stand in.
    pub(super) stand_ins: Matches,
}

/// A child under a document's control may have written anything. Blocks.
pub(super) fn missing(matches: &Matches, installed: &InstalledFonts, own: &OwnFonts) -> Missing {
    installed.families().map_or_else(Missing::default, |installed| substitutions(matches, installed, own))
}

fn substitutions(matches: &Matches, installed: &BTreeSet<String>, own: &OwnFonts) -> Missing {
    let is_missing = |family: String| !own.has(&family) && is_missing(&family, installed);
    let missing = matches.iter().filter(|(asked, _)| is_missing(asked.to_lowercase()));
    let stand_ins: Matches = missing.take(MOST).map(|(asked, found)| (shortened(asked), shortened(found))).collect();
    Missing { warnings: stand_ins.iter().map(|(asked, found)| warning(asked, found, installed)).collect(), stand_ins }
}

fn shortened(name: &str) -> String {
    name.chars().take(LONGEST_NAME).collect()
}

fn is_missing(family: &str, installed: &BTreeSet<String>) -> bool {
    let has_twin = || substitutes::of(family, installed).is_some_and(|relative| relative.widths == Widths::Same);
    // A leading plus sign refers to a theme's font, which is requested separately.
    let is_name = !family.is_empty() && !family.starts_with('+');
    is_name && !installed.contains(family) && !OWN.contains(&family) && !has_twin()
}

fn warning(asked: &str, found: &str, installed: &BTreeSet<String>) -> Warning {
    let relative = substitutes::of(&asked.to_lowercase(), installed);
    let near = relative.is_some_and(|relative| relative.widths == Widths::Near && relative.stand_in == found);
    let widths = Relative::consequence(if near { Widths::Near } else { Widths::Differ });
    Warning::new(
        "font_substituted",
        format!("The font {asked:?} is not available. {found:?} was used instead. {widths} {UPLOAD_HINT}"),
    )
    .with_detail(asked)
}

/// Requested and substituted families in fontconfig's log: the first family of a "Match Pattern" was requested, and the first
/// family of the pattern after "Best score" is the substitute.
fn matches(log: impl BufRead) -> io::Result<Matches> {
    let mut found = Matches::new();
    let mut asked = None;
    let mut scored = false;
    for line in log.split(b'\n') {
        if found.len() == MOST_MATCHES {
            break;
        }
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        if line.starts_with("Match Pattern") {
            (asked, scored) = (None, false);
        } else if line.starts_with("Best score") {
            scored = true;
        } else if let Some(family) = first_family(&line) {
            match (&asked, scored) {
                (None, false) => asked = Some(family),
                (Some(name), true) => {
                    found.entry(name.clone()).or_insert(family);
                    (asked, scored) = (None, false);
                }
                (None, true) | (Some(_), false) => {}
            }
        }
    }
    Ok(found)
}

/// `family: "Noto Sans"(w) "DejaVu Sans"(w)` → `Noto Sans`.
fn first_family(line: &str) -> Option<String> {
    let families = line.trim_start().strip_prefix("family: \"")?;
    let (family, _) = families.split_once("\"(")?;
    Some(shortened(family))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::fonts::NO_FONTS;

    const LOG: &str = concat!(
        "Match Pattern has 28 elts (size 32)\n\tfamily: \"Acme Grotesk\"(s) \"DejaVu Sans\"(w)\n\tfamilylang: \"en\"(s)\n",
        "Best score 0 0 2\nPattern has 26 elts (size 32)\n\tfamily: \"Noto Sans\"(w)\n\tstyle: \"Regular\"(w)\n\n",
        "Match Pattern has 28 elts (size 32)\n\tfamily: \"Liberation Sans\"(s) \"Arial\"(w)\n",
        "Best score 0 0 2\nPattern has 26 elts (size 32)\n\tfamily: \"Noto Sans CJK JP\"(w)\n",
    );

    #[test]
    fn fonts_that_are_missing_are_named_and_fallbacks_for_characters_are_not() {
        let log = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(log.path(), LOG).unwrap();
        let installed = BTreeSet::from(["liberation sans".to_owned(), "noto sans".to_owned()]);
        let Missing { warnings, stand_ins } = substitutions(&read(log.path()).unwrap(), &installed, &NO_FONTS);
        assert_eq!(stand_ins, Matches::from([("Acme Grotesk".to_owned(), "Noto Sans".to_owned())]));
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert_eq!(warnings[0].detail.as_deref(), Some("Acme Grotesk"));
        assert!(warnings[0].message.contains("\"Noto Sans\" was used"), "{}", warnings[0].message);
        assert!(warnings[0].message.contains("may break at other places"), "{}", warnings[0].message);
        assert!(warnings[0].message.contains("upload the font"), "{}", warnings[0].message);
        let own = OwnFonts::new("/a".into(), vec!["/a/0.ttf".into()], BTreeSet::from(["acme grotesk".to_owned()]));
        assert!(
            substitutions(&read(log.path()).unwrap(), &installed, &own).warnings.is_empty(),
            "the account has this font"
        );
    }

    #[test]
    fn fonts_of_the_same_metrics_and_libreoffices_own_are_not_missing() {
        let installed = BTreeSet::from(["carlito".to_owned()]);
        let missing = |family| is_missing(family, &installed);
        assert!(!missing("calibri") && !missing("carlito") && !missing("tahoma") && !missing("+mn-lt") && !missing(""));
        assert!(missing("cambria"), "its substitute is not installed");
        assert!(missing("verdana"));
    }

    #[test]
    fn a_warning_says_whether_the_width_is_kept() {
        let installed = BTreeSet::from(["dejavu sans tall".to_owned()]);
        let message = |asked, found| warning(asked, found, &installed).message;
        assert!(message("Verdana", "DejaVu Sans Tall").contains("about as wide"));
        assert!(message("Verdana", "Noto Sans").contains("other widths"));
        assert!(message("Acme", "DejaVu Sans").contains("other widths"));
    }

    #[test]
    fn a_strange_log_is_no_warning_and_a_long_one_is_cut() {
        let long: String =
            (0..1000).map(|n| format!("Match Pattern\nfamily: \"{n}\"(s)\nBest score\nfamily: \"a\"(s)\n")).collect();
        assert_eq!(matches(long.as_bytes()).unwrap().len(), MOST_MATCHES);
        assert!(matches("family: \"\nBest score\nfamily: \"a\"(s)\n".as_bytes()).unwrap().is_empty());
    }

    #[test]
    fn fuzz_fontconfigs_log() {
        docmill_fuzz::fuzz("fonts-log", &[], |bytes| drop(matches(bytes).unwrap()));
    }
}
