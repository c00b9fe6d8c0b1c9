//! Warnings about fonts that a document names but that are not installed.
//!
//! LibreOffice does not report them, but asks fontconfig for substitutes, and fontconfig can log that. A substitute with the same
//! metrics needs no warning, because no text moves. What LibreOffice asks for and then does not use is left out: its own fonts here, which
//! it asks for each time, and others by the check, which finds the families in the PDF.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use docmill_domain::job::Warning;
use docmill_fonts::substitutes::{self, Relative, Widths};
use docmill_fonts::{InstalledFonts, OwnFonts, UPLOAD_HINT};
use memchr::memmem;

/// Value of `FC_DEBUG` that makes fontconfig log each request and its result.
pub(super) const LOG_MATCHES: &str = "1";

/// Fonts that LibreOffice requests as replacements, and no document names.
const REPLACEMENTS: [&str; 3] = ["dejavu lgc sans", "dejavu lgc sans mono", "lohit hindi"];
/// Fonts that LibreOffice requests for its invisible user interface. Documents use them too.
const INTERFACE: [&str; 2] = ["segoe ui", "tahoma"];

/// Limits: bytes of the log that are read, fonts that are passed on, and fonts that are named. A document may request any number.
const LOG_BYTES: u64 = 4 << 20;
const MOST_MATCHES: usize = 500;
const MOST: usize = 20;
const LONGEST_NAME: usize = 100;
const MOST_SUBSTITUTES: usize = 5;
/// Bytes that are searched at once.
const CHUNK: usize = 1 << 20;

/// Requested families and their substitutes. Those after the first draw other languages, and letters that the first lacks.
pub(super) type Matches = BTreeMap<String, Vec<String>>;

/// Reads the log, in the child that wrote it. Without fonts of LibreOffice's own that are not in its PDF.
pub(super) fn read(log: &Path, pdf: &Path) -> io::Result<Matches> {
    let mut found = matches(BufReader::new(File::open(log)?.take(LOG_BYTES)))?;
    let is_own = |asked: &str| INTERFACE.contains(&asked.to_lowercase().as_str());
    let own: BTreeSet<_> = found.iter().filter(|(asked, _)| is_own(asked)).flat_map(|(_, found)| found).collect();
    let used = match File::open(pdf) {
        Ok(pdf) => contained(pdf, own.into_iter().map(|family| plain(family)).collect())?,
        // Sheets as files of their own are no PDF.
        Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeSet::new(),
        Err(error) => return Err(error),
    };
    found.retain(|asked, found| !is_own(asked) || found.iter().any(|family| used.contains(&plain(family))));
    Ok(found)
}

/// A family as in the names of its fonts.
fn plain(family: &str) -> String {
    family.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Which of these names are in a PDF. LibreOffice writes the names of fonts uncompressed.
fn contained(mut pdf: impl Read, mut names: BTreeSet<String>) -> io::Result<BTreeSet<String>> {
    let (mut found, mut bytes) = (BTreeSet::new(), Vec::new());
    // A name may lie across the border of two chunks.
    let longest = names.iter().map(String::len).max().unwrap_or_default();
    while !names.is_empty() && pdf.by_ref().take(CHUNK as u64).read_to_end(&mut bytes)? > 0 {
        let (here, others) = names.into_iter().partition(|name| memmem::find(&bytes, name.as_bytes()).is_some());
        names = others;
        found.extend::<BTreeSet<String>>(here);
        bytes.drain(..bytes.len().saturating_sub(longest));
    }
    Ok(found)
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
    let shortened_all = |found: &Vec<String>| found.iter().take(MOST_SUBSTITUTES).map(|name| shortened(name)).collect();
    let stand_ins: Matches =
        missing.take(MOST).map(|(asked, found)| (shortened(asked), shortened_all(found))).collect();
    let warnings = stand_ins.iter().filter_map(|(asked, found)| Some(warning(asked, found.first()?, installed)));
    Missing { warnings: warnings.collect(), stand_ins }
}

fn shortened(name: &str) -> String {
    name.chars().take(LONGEST_NAME).collect()
}

fn is_missing(family: &str, installed: &BTreeSet<String>) -> bool {
    let has_twin = || substitutes::of(family, installed).is_some_and(|relative| relative.widths == Widths::Same);
    // A leading plus sign refers to a theme's font, which is requested separately.
    let is_name = !family.is_empty() && !family.starts_with('+');
    is_name && !installed.contains(family) && !REPLACEMENTS.contains(&family) && !has_twin()
}

fn warning(asked: &str, found: &str, installed: &BTreeSet<String>) -> Warning {
    let relative = substitutes::of(&asked.to_lowercase(), installed);
    let near = relative.is_some_and(|relative| relative.widths == Widths::Near && relative.stand_in == found);
    let widths = Relative::consequence(if near { Widths::Near } else { Widths::Differ });
    Warning::font_substituted(asked, Some(found), &format!("{widths} {UPLOAD_HINT}"))
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
                    let substitutes: &mut Vec<String> = found.entry(name.clone()).or_default();
                    if substitutes.len() < MOST_SUBSTITUTES && !substitutes.contains(&family) {
                        substitutes.push(family);
                    }
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
    use docmill_fonts::NO_FONTS;

    const LOG: &str = concat!(
        "Match Pattern has 28 elts (size 32)\n\tfamily: \"Acme Grotesk\"(s) \"DejaVu Sans\"(w)\n\tfamilylang: \"en\"(s)\n",
        "Best score 0 0 2\nPattern has 26 elts (size 32)\n\tfamily: \"Noto Sans\"(w)\n\tstyle: \"Regular\"(w)\n\n",
        "Match Pattern has 28 elts (size 32)\n\tfamily: \"Liberation Sans\"(s) \"Arial\"(w)\n",
        "Best score 0 0 2\nPattern has 26 elts (size 32)\n\tfamily: \"Noto Sans CJK JP\"(w)\n",
        "Match Pattern has 28 elts (size 32)\n\tfamily: \"Acme Grotesk\"(s) \"DejaVu Sans\"(w)\n\tcharset:\n",
        "Best score 0 0 2\nPattern has 26 elts (size 32)\n\tfamily: \"DejaVu Arabic Narrow\"(w)\n",
    );

    #[test]
    fn fonts_that_are_missing_are_named_and_fallbacks_for_characters_are_not() {
        let log = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(log.path(), LOG).unwrap();
        let installed = BTreeSet::from(["liberation sans".to_owned(), "noto sans".to_owned()]);
        let read = || read(log.path(), log.path()).unwrap();
        let Missing { warnings, stand_ins } = substitutions(&read(), &installed, &NO_FONTS);
        let substitutes = ["Noto Sans", "DejaVu Arabic Narrow"].map(str::to_owned).to_vec();
        assert_eq!(stand_ins, Matches::from([("Acme Grotesk".to_owned(), substitutes)]));
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert_eq!(warnings[0].detail.as_deref(), Some("Acme Grotesk"));
        assert!(warnings[0].message.contains("\"Noto Sans\" was used"), "{}", warnings[0].message);
        assert!(warnings[0].message.contains("may break at other places"), "{}", warnings[0].message);
        assert!(warnings[0].message.contains("upload the font"), "{}", warnings[0].message);
        let own = OwnFonts::new("/a".into(), vec!["/a/0.ttf".into()], BTreeSet::from(["acme grotesk".to_owned()]));
        assert!(substitutions(&read(), &installed, &own).warnings.is_empty(), "the account has this font");
    }

    #[test]
    fn fonts_of_the_same_metrics_and_libreoffices_own_are_not_missing() {
        let installed = BTreeSet::from(["carlito".to_owned()]);
        let missing = |family| is_missing(family, &installed);
        assert!(
            !missing("calibri") && !missing("carlito") && !missing("lohit hindi") && !missing("+mn-lt") && !missing("")
        );
        assert!(missing("cambria"), "its substitute is not installed");
        assert!(missing("verdana"));
    }

    #[test]
    fn libreoffices_own_fonts_are_those_of_the_document_if_they_are_in_the_pdf() {
        let asked = |family: &str, found: &str| {
            format!("Match Pattern\nfamily: \"{family}\"(s)\nBest score\nfamily: \"{found}\"(s)\n")
        };
        let (log, pdf) = (tempfile::NamedTempFile::new().unwrap(), tempfile::NamedTempFile::new().unwrap());
        std::fs::write(log.path(), asked("Tahoma", "Arimo Tall") + &asked("Segoe UI", "Arimo Extra Tall")).unwrap();
        let asked = || read(log.path(), pdf.path()).unwrap().into_keys().collect::<Vec<_>>();
        assert!(asked().is_empty());
        assert!(read(log.path(), Path::new("/nowhere.pdf")).unwrap().is_empty());
        // Across the border of two chunks.
        std::fs::write(pdf.path(), [&vec![0; CHUNK - 20][..], b"/FontName/BAAAAA+ArimoTall-Regular"].concat()).unwrap();
        assert_eq!(asked(), ["Tahoma"]);
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
