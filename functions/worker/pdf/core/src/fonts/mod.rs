//! The installed fonts, and which of them draws a character.

pub mod emoji;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use skrifa::{FontRef, MetadataProvider as _, Tag};
use svg2pdf::usvg::fontdb::{Database, Family, ID, Query, Stretch, Style, Weight};
use svg2pdf::usvg::{FontResolver, Options};
use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript as _};

/// The preferred families, before fallbacks for missing characters: plain, free, and installed on all our machines.
pub const FAMILIES: [&str; 3] = ["Noto Sans", "Liberation Sans", "DejaVu Sans"];
/// Preferred fallbacks for other characters.
const PREFERRED: [&str; 4] = ["Noto Sans CJK", "Noto Sans", "Noto Naskh", "Liberation Sans"];
/// Parts of the names of families that are not suitable for running text.
const UNWANTED: [&str; 10] =
    ["Mono", "Display", "UI", "LastResort", "Serif", "Rashi", "Unjoined", "Looped", "Narrow", "Tall"];
/// A family for formulas: its letters are wide or slanted.
const MATH: &str = "Math";
/// The scripts that are written together with Chinese characters.
const CHINESE: [Script; 5] = [Script::Han, Script::Hiragana, Script::Katakana, Script::Hangul, Script::Bopomofo];
/// Tables of glyphs with colors of their own.
const COLORED: [&[u8; 4]; 4] = [b"CBDT", b"COLR", b"SVG ", b"sbix"];
/// So many answers are remembered. Then they are forgotten.
const REMEMBERED: usize = 200_000;

/// The installed fonts.
pub struct Fonts {
    database: Arc<Database>,
    /// The preferred face.
    base: Option<ID>,
    /// Upright faces in the order of fallback.
    faces: Vec<Fallback>,
    /// Faces with colors, found when the first text needs one.
    colored: OnceLock<Vec<ID>>,
    /// Whether a face has a character.
    known: Mutex<HashMap<(ID, char), bool>>,
}

/// A face for characters that the preferred one lacks.
struct Fallback {
    id: ID,
    family: String,
    is_math: bool,
}

impl std::fmt::Debug for Fonts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fonts").field("faces", &self.database.len()).finish_non_exhaustive()
    }
}

impl Fonts {
    /// All fonts of the system.
    pub fn load() -> Self {
        let mut database = Database::new();
        database.load_system_fonts();
        Self::of(database)
    }

    /// No fonts: text is drawn as boxes.
    pub fn none() -> Self {
        Self::of(Database::new())
    }

    /// Fonts of this database only.
    pub fn of(database: Database) -> Self {
        let mut faces: Vec<(usize, Fallback)> = database
            .faces()
            .filter(|face| face.style == Style::Normal && face.stretch == Stretch::Normal && face.weight.0 == 400)
            .filter_map(|face| {
                let family = face.families.first()?.0.clone();
                let preferred = PREFERRED.iter().position(|name| family.starts_with(name)).unwrap_or(PREFERRED.len());
                let unwanted = UNWANTED.iter().any(|name| family.contains(name));
                let is_math = family.contains(MATH);
                let rank = preferred + if unwanted || is_math { PREFERRED.len() + 1 } else { 0 };
                Some((rank, Fallback { id: face.id, family, is_math }))
            })
            .collect();
        // Sorted by name within a rank, because the order of files on a disk varies.
        faces.sort_by(|(rank, a), (other, b)| (rank, &a.family, a.id).cmp(&(other, &b.family, b.id)));
        let families = FAMILIES.map(Family::Name);
        let base = database.query(&Query { families: &families, ..Query::default() });
        let faces: Vec<Fallback> = faces.into_iter().map(|(_, face)| face).collect();
        Self {
            base: base.or_else(|| faces.first().map(|face| face.id)),
            database: Arc::new(database),
            faces,
            colored: OnceLock::new(),
            known: Mutex::default(),
        }
    }

    /// Options for reading drawings with these fonts.
    pub fn options(&self) -> Options<'_> {
        let fallback = move |character: char, used: &[ID], _: &mut Arc<Database>| {
            let fits = |id: &ID| !used.contains(id) && self.has(*id, character);
            let colored = || self.colored().iter().copied().find(fits);
            let wanted = if emoji::is_pictured(character) { colored() } else { None };
            wanted.or_else(|| self.base.filter(fits)).or_else(|| self.other(character, fits)).or_else(colored)
        };
        Options {
            fontdb: Arc::clone(&self.database),
            font_resolver: FontResolver { select_fallback: Box::new(fallback), ..FontResolver::default() },
            ..Options::default()
        }
    }

    /// The file of an installed face.
    pub fn file(&self, family: &str, is_bold: bool, is_slanted: bool) -> Option<Vec<u8>> {
        let weight = if is_bold { Weight::BOLD } else { Weight::NORMAL };
        let style = if is_slanted { Style::Italic } else { Style::Normal };
        let families = [Family::Name(family)];
        let id = self.database.query(&Query { families: &families, weight, style, ..Query::default() })?;
        let face = self.database.face(id)?;
        let is_exact = face.weight == weight && (face.style == Style::Normal) != is_slanted;
        if !is_exact || !face.families.iter().any(|(name, _)| name == family) {
            return None;
        }
        self.database.with_face_data(id, |data, index| (index == 0).then(|| data.to_vec())).flatten()
    }

    /// The width of a character in an installed font, in ems. `None` if the font or the character is missing.
    pub fn advance(&self, family: &str, bold: bool, italic: bool, character: char) -> Option<f32> {
        let weight = if bold { Weight::BOLD } else { Weight::NORMAL };
        let style = if italic { Style::Italic } else { Style::Normal };
        let families = [Family::Name(family)];
        let face = self.database.query(&Query { families: &families, weight, style, ..Query::default() })?;
        self.advance_in(face, character)
    }

    /// The width of what a reader takes for one character, in ems. Kerning and ligatures make lines slightly narrower.
    pub fn width(&self, cluster: &str) -> f32 {
        if let Some(face) = self.picture(cluster) {
            return cluster.chars().next().and_then(|first| self.advance_in(face, first)).unwrap_or(1.0);
        }
        let face = self.face(cluster, cluster, None);
        let of = |character| face.and_then(|face| self.advance_in(face, character)).unwrap_or(0.5);
        cluster.chars().filter(|character| !emoji::is_ignorable(*character)).map(of).sum()
    }

    fn advance_in(&self, face: ID, character: char) -> Option<f32> {
        self.with_face(face, |font, _, _| {
            let glyph = font.charmap().map(character)?;
            let size = skrifa::instance::Size::new(1.0);
            font.glyph_metrics(size, skrifa::instance::LocationRef::default()).advance_width(glyph)
        })?
    }

    /// Calls `read` with a face, its file and its number in that.
    pub fn with_face<T>(&self, face: ID, read: impl FnOnce(&FontRef<'_>, &[u8], u32) -> T) -> Option<T> {
        let read = |data: &[u8], index| Some(read(&FontRef::from_index(data, index).ok()?, data, index));
        self.database.with_face_data(face, read)?
    }

    /// The first name of a face's family.
    pub fn family(&self, face: ID) -> Option<&str> {
        Some(self.database.face(face)?.families.first()?.0.as_str())
    }

    /// Whether a face has a glyph for a character.
    pub fn has(&self, face: ID, character: char) -> bool {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(has) = known().get(&(face, character)) {
            return *has;
        }
        let has =
            self.with_face(face, |font, _, _| font.charmap().map(character).is_some_and(|glyph| glyph.to_u32() != 0));
        let has = has.unwrap_or(false);
        let mut known = known();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert((face, character), has);
        has
    }

    /// Whether a face draws a base character with its marks, composed or not.
    fn covers(&self, face: ID, cluster: &str) -> bool {
        let seen = |character: &char| !emoji::is_ignorable(*character);
        cluster.chars().filter(seen).all(|character| self.has(face, character))
            || cluster.nfc().filter(seen).all(|character| self.has(face, character))
            || cluster.nfd().filter(seen).all(|character| self.has(face, character))
    }

    /// The colored face that draws a cluster as a picture, if it is one.
    pub fn picture(&self, cluster: &str) -> Option<ID> {
        if !emoji::is_picture(cluster) {
            return None;
        }
        let first = cluster.chars().next()?;
        self.colored().iter().copied().find(|face| self.has(*face, first))
    }

    /// The face for a cluster of a line: the preferred one, the one before, so that words stay in one font, or one made for the
    /// script. A face that lacks marks is better than none. `None` if no face has any of it.
    pub fn face(&self, cluster: &str, line: &str, before: Option<ID>) -> Option<ID> {
        let covers = |face: &ID| self.covers(*face, cluster);
        let first = cluster.chars().next()?;
        // What such a character shows is agreed upon with one font only.
        if is_private(first) {
            return self.base.filter(covers);
        }
        let before = before.filter(covers);
        before
            .filter(|_| !first.is_alphabetic())
            .or_else(|| self.base.filter(covers))
            .or(before)
            .or_else(|| self.made_for(first, line, covers))
            .or_else(|| self.other(first, covers))
            .or_else(|| self.other(first, |face| self.has(*face, first)))
    }

    /// The face that is made for a character's script, and for the language that a line seems to be in.
    fn made_for(&self, character: char, line: &str, covers: impl Fn(&ID) -> bool) -> Option<ID> {
        let script = character.script();
        if matches!(script, Script::Common | Script::Inherited | Script::Unknown) {
            return None;
        }
        let family = if CHINESE.contains(&script) {
            format!("Noto Sans CJK {}", region(line))
        } else {
            format!("Noto Sans {}", script.full_name().replace('_', " "))
        };
        self.faces.iter().filter(|face| face.family == family).map(|face| face.id).find(|face| covers(face))
    }

    /// The first suitable face. Letters of a language never come from a face for formulas.
    fn other(&self, character: char, covers: impl Fn(&ID) -> bool) -> Option<ID> {
        let is_symbol = matches!(character.script(), Script::Common | Script::Inherited);
        let suits = |face: &&Fallback| !face.is_math || is_symbol;
        let colored = self.colored();
        let plain = |face: &&Fallback| !colored.contains(&face.id);
        self.faces.iter().filter(suits).filter(plain).map(|face| face.id).find(|face| covers(face))
    }

    /// Whether a face has colored glyphs, as those of emoji are.
    pub fn is_colored(&self, face: ID) -> bool {
        self.colored().contains(&face)
    }

    fn colored(&self) -> &[ID] {
        self.colored.get_or_init(|| {
            let has_colors = |face: &&Fallback| {
                let has = self.with_face(face.id, |font, _, _| {
                    COLORED.iter().any(|tag| font.table_data(Tag::new(tag)).is_some())
                });
                has.unwrap_or(false)
            };
            self.faces.iter().filter(has_colors).map(|face| face.id).collect()
        })
    }
}

fn is_private(character: char) -> bool {
    matches!(character, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFF}')
}

/// The region whose forms of Chinese characters suit a line.
fn region(line: &str) -> &'static str {
    let has = |scripts: &[Script]| line.chars().any(|character| scripts.contains(&character.script()));
    if has(&[Script::Hiragana, Script::Katakana]) {
        "JP"
    } else if has(&[Script::Hangul]) {
        "KR"
    } else if has(&[Script::Bopomofo]) {
        "TC"
    } else {
        "SC"
    }
}
