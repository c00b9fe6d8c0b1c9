//! Selects the system fonts that a page may need.
//!
//! The layout engine opens every font that it can see, for each page. So a page only sees the fonts that the engine could choose
//! for it: the families that it names, the generic ones, and for each character the first font that has it. The output is the
//! same as with all fonts.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skrifa::{FontRef, MetadataProvider};

/// The file that names the layout engine's font directories.
pub(super) const CONFIGURATION: &str = "fonts.conf";

/// A page that names more sees all fonts.
const MOST_FAMILIES: usize = 500;
const MOST_CHARACTERS: usize = 10_000;
/// Most words in a family's name.
const MOST_WORDS: usize = 8;

/// The layout engine's substitutes for generic families, from its source: the first installed one of each list.
const SANS_SERIF: [&str; 10] = [
    "DejaVu Sans",
    "Liberation Sans",
    "Noto Sans",
    "Arial",
    "Helvetica",
    "Ubuntu",
    "Verdana",
    "Tahoma",
    "BIZ UDPGothic",
    "BIZ UDGothic",
];
const SERIF: [&str; 8] = [
    "DejaVu Serif",
    "Liberation Serif",
    "Noto Serif",
    "Times New Roman",
    "Times",
    "Georgia",
    "BIZ UDPMincho",
    "BIZ UDMincho",
];
const MONOSPACE: [&str; 8] = [
    "DejaVu Sans Mono",
    "Liberation Mono",
    "Noto Sans Mono",
    "Ubuntu Mono",
    "Menlo",
    "Consolas",
    "Courier New",
    "Courier",
];

/// Characters that are printed without being in the page: ASCII, and the quotation marks of the layout engine's style sheet.
const USUAL: [std::ops::RangeInclusive<char>; 3] = ['!'..='~', '‘'..='’', '“'..='”'];

/// The faces that the layout engine requests of a family.
const KINDS: [(fontdb::Weight, fontdb::Style); 4] = [
    (fontdb::Weight::NORMAL, fontdb::Style::Normal),
    (fontdb::Weight::NORMAL, fontdb::Style::Italic),
    (fontdb::Weight::BOLD, fontdb::Style::Normal),
    (fontdb::Weight::BOLD, fontdb::Style::Italic),
];

/// The fonts that a page may use: possibly more than it needs, never fewer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FontNeeds {
    /// In lower case.
    families: BTreeSet<String>,
    characters: BTreeSet<char>,
    /// The needs are unknown, so all fonts are used.
    all: bool,
}

impl FontNeeds {
    pub(super) fn family(&mut self, name: &str) {
        self.families.insert(name.to_ascii_lowercase());
        self.all |= self.families.len() > MOST_FAMILIES;
    }

    /// Consecutive words. The first ones may not be part of the name (`font: small Noto Sans`).
    pub(super) fn family_of_words(&mut self, words: &[String]) {
        for first in words.len().saturating_sub(MOST_WORDS)..words.len() {
            self.family(&words.get(first..).unwrap_or_default().join(" "));
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        if text.is_ascii() || self.all {
            return;
        }
        self.characters.extend(text.chars().filter(|character| !character.is_ascii() && !character.is_whitespace()));
        self.all |= self.characters.len() > MOST_CHARACTERS;
    }

    /// Nothing is needed: the text is hidden.
    pub(super) fn anything(&mut self) {
        self.all = true;
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.families.append(&mut other.families);
        self.characters.append(&mut other.characters);
        self.all |= other.all || self.families.len() > MOST_FAMILIES || self.characters.len() > MOST_CHARACTERS;
    }
}

/// All fonts, in the order in which the layout engine finds them.
pub(super) struct FontIndex {
    /// A directory for each file, with nothing else in it.
    directories: Vec<PathBuf>,
    /// The files of each family that can be chosen, by its name in lower case.
    families: HashMap<String, BTreeSet<u16>>,
    /// The number of the first face with a glyph for each code point, counted from 1.
    first_faces: Vec<u16>,
    /// For each face, its file and those of its family.
    faces: Vec<BTreeSet<u16>>,
    /// Files that every page sees.
    always: BTreeSet<u16>,
}

impl FontIndex {
    /// Reads all fonts that the layout engine finds here, and links to each below `home`.
    pub(super) fn build(home: &Path) -> io::Result<Self> {
        let mut database = fontdb::Database::new();
        database.load_system_fonts();
        let mut index = Self {
            directories: Vec::new(),
            families: HashMap::new(),
            first_faces: vec![0; char::MAX as usize + 1],
            faces: Vec::new(),
            always: BTreeSet::new(),
        };
        let files = index.link_files(&database, home)?;
        index.list_families(&database, &files);
        for face in database.faces() {
            let file = file_of(face).and_then(|path| files.get(path).copied());
            let family = face.families.first().and_then(|(name, _)| index.families.get(&name.to_ascii_lowercase()));
            let files: BTreeSet<u16> = family.into_iter().flatten().copied().chain(file).collect();
            index.faces.push(files.clone());
            let number = u16::try_from(index.faces.len()).map_err(io::Error::other)?;
            let certain = database.with_face_data(face.id, |data, at| index.note_characters(number, data, at));
            if certain != Some(true) {
                index.always.extend(files);
            }
        }
        index.complete_always()?;
        Ok(index)
    }

    /// Numbers all files.
    fn link_files(&mut self, database: &fontdb::Database, home: &Path) -> io::Result<HashMap<PathBuf, u16>> {
        let mut files = HashMap::new();
        for path in database.faces().filter_map(file_of) {
            if files.contains_key(path) {
                continue;
            }
            let file = u16::try_from(self.directories.len()).map_err(io::Error::other)?;
            let directory = home.join(file.to_string());
            std::fs::create_dir_all(&directory)?;
            symlink(path, directory.join(path.file_name().unwrap_or_default()))?;
            self.directories.push(directory);
            files.insert(path.to_owned(), file);
        }
        Ok(files)
    }

    /// For each family, the face chosen for each weight and style that the layout engine knows. It never chooses others.
    fn list_families(&mut self, database: &fontdb::Database, files: &HashMap<PathBuf, u16>) {
        let names: BTreeSet<&String> = database.faces().flat_map(|face| &face.families).map(|(name, _)| name).collect();
        for name in names {
            let chosen = KINDS.into_iter().filter_map(|(weight, style)| {
                let families = &[fontdb::Family::Name(name)];
                let id = database.query(&fontdb::Query { families, weight, style, ..fontdb::Query::default() })?;
                files.get(file_of(database.face(id)?)?)
            });
            self.families.entry(name.to_ascii_lowercase()).or_default().extend(chosen);
        }
        for (generic, candidates) in [("sans-serif", &SANS_SERIF[..]), ("serif", &SERIF), ("monospace", &MONOSPACE)] {
            let there = candidates.iter().find_map(|family| self.families.get(&family.to_ascii_lowercase()));
            if let Some(files) = there.cloned() {
                self.families.insert(generic.to_owned(), files);
            }
        }
    }

    /// Returns whether the face's characters are certain. Without outlines, the layout engine decides differently.
    fn note_characters(&mut self, number: u16, data: &[u8], at: u32) -> bool {
        let Ok(font) = FontRef::from_index(data, at) else { return false };
        let characters = font.charmap();
        if font.outline_glyphs().format().is_none() || characters.is_symbol() {
            return false;
        }
        for (character, _glyph) in characters.mappings() {
            if let Some(first @ 0) = self.first_faces.get_mut(character as usize) {
                *first = number;
            }
        }
        true
    }

    fn complete_always(&mut self) -> io::Result<()> {
        // The layout engine's own style sheet names the first, and the second is the default.
        for generic in ["monospace", "sans-serif"] {
            // Without it, the layout engine would use other fonts.
            let files = self.families.get(generic).ok_or_else(|| io::Error::other("no font for a generic family"))?;
            self.always.extend(files);
        }
        for character in USUAL.into_iter().flatten() {
            let files = self.files_of(character).cloned().unwrap_or_default();
            self.always.extend(files);
        }
        Ok(())
    }

    /// The files in the family of the first face that has the character.
    fn files_of(&self, character: char) -> Option<&BTreeSet<u16>> {
        let face = usize::from(*self.first_faces.get(character as usize)?);
        self.faces.get(face.checked_sub(1)?)
    }

    /// Directories with every font that the layout engine would choose for a page. `None` if it needs all fonts.
    pub(super) fn directories_for(&self, needs: &FontNeeds) -> Option<Vec<&Path>> {
        if needs.all || needs.characters.iter().any(|character| has_lists_of_its_own(*character)) {
            return None;
        }
        let named = needs.families.iter().filter_map(|name| self.families.get(name));
        let drawn = needs.characters.iter().filter_map(|character| self.files_of(*character));
        let files: BTreeSet<u16> = named.chain(drawn).chain([&self.always]).flatten().copied().collect();
        Some(
            files
                .into_iter()
                .filter_map(|file| self.directories.get(usize::from(file)))
                .map(PathBuf::as_path)
                .collect(),
        )
    }
}

fn file_of(face: &fontdb::FaceInfo) -> Option<&Path> {
    match &face.source {
        fontdb::Source::File(path) | fontdb::Source::SharedFile(path, _) => Some(path),
        fontdb::Source::Binary(_) => None,
    }
}

/// Chinese, Japanese and Korean, for which the layout engine tries several families.
fn has_lists_of_its_own(character: char) -> bool {
    matches!(character,
        '\u{3000}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{2fa1f}')
}

/// Limits a layout engine that is started in `directory` to the fonts in these directories. `None` allows all. `own`: the
/// account's fonts. They come last, so that they only apply to pages that name them.
pub(super) fn configure(directory: &Path, fonts: Option<Vec<&Path>>, own: Option<&Path>) -> io::Result<()> {
    let parts: String = match fonts {
        Some(fonts) => fonts.into_iter().map(|fonts| element("dir", fonts)).collect(),
        None => ["/etc/fonts/local.conf", "/etc/fonts/fonts.conf"]
            .map(|file| element("include ignore_missing=\"yes\"", Path::new(file)))
            .concat(),
    };
    let own = own.map(|own| element("dir", own)).unwrap_or_default();
    std::fs::write(directory.join(CONFIGURATION), format!("<fontconfig>{parts}{own}</fontconfig>\n"))
}

fn element(start: &str, path: &Path) -> String {
    let name = start.split(' ').next().unwrap_or_default();
    format!("<{start}>{}</{name}>", quick_xml::escape::escape(path.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(families: &[&str], text: &str) -> FontNeeds {
        let mut needs = FontNeeds::default();
        families.iter().for_each(|family| needs.family(family));
        needs.text(text);
        needs
    }

    #[test]
    fn a_page_sees_its_font_families_and_those_with_its_characters() {
        let home = tempfile::tempdir().unwrap();
        let index = FontIndex::build(home.path()).unwrap();
        let all = index.directories.len();
        let files = |needs: &FontNeeds| index.directories_for(needs).map(|found| found.len());
        let usual = files(&needs(&[], "plain text")).unwrap();
        assert!(usual > 2 && usual < all / 2, "{usual} of {all}");
        assert_eq!(files(&needs(&["no such family"], "")), Some(usual));
        // An installed font that is not one of the usual ones.
        let file = |files: &&BTreeSet<u16>| files.iter().all(|file| !index.always.contains(file));
        let (family, _) = index.families.iter().find(|(_, files)| file(files)).unwrap();
        assert!(files(&needs(&[&family.to_ascii_uppercase()], "")).unwrap() > usual);
        let rare =
            (0..index.first_faces.len()).rev().filter_map(|code| char::from_u32(code as u32)).find(|character| {
                !has_lists_of_its_own(*character) && index.files_of(*character).as_ref().is_some_and(file)
            });
        assert!(files(&needs(&[], &rare.unwrap().to_string())).unwrap() > usual);
        assert_eq!(files(&needs(&[], "漢字")), None);
    }

    #[test]
    fn an_unreadable_page_gets_all_fonts() {
        let mut unknown = FontNeeds::default();
        unknown.anything();
        let mut other = needs(&["a"], "é");
        other.append(unknown);
        assert!(other.all);
        let mut many = FontNeeds::default();
        (0..=MOST_FAMILIES).for_each(|number| many.family(&number.to_string()));
        assert!(many.all);
        let mut text = FontNeeds::default();
        text.text(&('\u{4000}'..).take(MOST_CHARACTERS + 1).collect::<String>());
        assert!(text.all);
    }

    #[test]
    fn the_last_words_may_be_the_familys_name() {
        let mut needs = FontNeeds::default();
        needs.family_of_words(&["small", "noto", "sans"].map(str::to_owned));
        assert_eq!(needs.families.into_iter().collect::<Vec<_>>(), ["noto sans", "sans", "small noto sans"]);
    }
}
