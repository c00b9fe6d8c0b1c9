//! Which glyphs of a font draw which letters.

use std::collections::HashMap;

use harfrust::{ShapeOptions, ShaperData, UnicodeBuffer};
use skrifa::{FontRef, MetadataProvider as _};

/// The meaning of glyphs.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    /// Of those that stand for themselves.
    single: HashMap<u16, String>,
    /// Of groups, by the first glyph of each; the longest first.
    groups: HashMap<u16, Vec<(Vec<u16>, String)>>,
}

impl Clusters {
    /// What the glyphs of a font mean in these words. `None` if it has none of them.
    pub(super) fn of(font: &[u8], index: u32, words: &[String]) -> Option<Self> {
        let font = FontRef::from_index(font, index).ok()?;
        let data = ShaperData::new(&font);
        let shaper = data.shaper(&font).build();
        let mut clusters = Self::default();
        for word in words {
            // As the layout engine shapes its text.
            let mut buffer = UnicodeBuffer::new();
            buffer.push_str(word);
            buffer.guess_segment_properties();
            let shaped = shaper.shape(buffer, ShapeOptions::new());
            let glyphs: Vec<(u16, usize)> = shaped
                .glyph_infos()
                .iter()
                .map(|glyph| (u16::try_from(glyph.glyph_id).unwrap_or(0), glyph.cluster as usize))
                .collect();
            if glyphs.iter().all(|(glyph, _)| *glyph != 0) {
                clusters.add(&font, word, &glyphs);
            }
        }
        for groups in clusters.groups.values_mut() {
            groups.sort_by_key(|(glyphs, _)| std::cmp::Reverse(glyphs.len()));
        }
        (!clusters.single.is_empty() || !clusters.groups.is_empty()).then_some(clusters)
    }

    /// `glyphs`: with the place in the word where the letters of each begin.
    fn add(&mut self, font: &FontRef<'_>, word: &str, glyphs: &[(u16, usize)]) {
        let mut starts: Vec<usize> = glyphs.iter().map(|(_, start)| *start).collect();
        starts.sort_unstable();
        starts.dedup();
        for part in glyphs.chunk_by(|(_, one), (_, next)| one == next) {
            let Some((_, start)) = part.first() else { continue };
            let end = starts.iter().find(|next| *next > start).copied().unwrap_or(word.len());
            let Some(text) = word.get(*start..end) else { continue };
            let glyphs: Vec<u16> = part.iter().map(|(glyph, _)| *glyph).collect();
            self.mean(font, glyphs, text);
        }
    }

    fn mean(&mut self, font: &FontRef<'_>, glyphs: Vec<u16>, text: &str) {
        let usual: Option<Vec<u16>> =
            text.chars().map(|letter| u16::try_from(font.charmap().map(letter)?.to_u32()).ok()).collect();
        if usual.as_ref() == Some(&glyphs) {
            for (glyph, letter) in glyphs.into_iter().zip(text.chars()) {
                self.single.insert(glyph, letter.into());
            }
        } else if let [glyph] = glyphs[..] {
            self.single.entry(glyph).or_insert_with(|| text.to_owned());
        } else if let Some(first) = glyphs.first() {
            let groups = self.groups.entry(*first).or_default();
            if !groups.iter().any(|(known, _)| *known == glyphs) {
                groups.push((glyphs, text.to_owned()));
            }
        }
    }

    /// The text of a glyph that stands for itself.
    pub(super) fn text_of(&self, glyph: u16) -> Option<&str> {
        self.single.get(&glyph).map(String::as_str)
    }

    /// How many of the next glyphs are a group, and its text.
    pub(super) fn group(&self, first: u16, next: impl Iterator<Item = u16> + Clone) -> Option<(usize, &str)> {
        let is_next = |glyphs: &[u16]| next.clone().take(glyphs.len()).eq(glyphs.iter().copied());
        let (glyphs, text) = self.groups.get(&first)?.iter().find(|(glyphs, _)| is_next(glyphs))?;
        Some((glyphs.len(), text))
    }
}
