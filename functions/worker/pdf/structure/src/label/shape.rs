//! Lines as glyphs: divided by direction, script and font, and shaped.

use std::collections::BTreeMap;
use std::ops::Range;

use docmill_pdf_core::fonts::Fonts;
use docmill_pdf_core::fonts::emoji::is_ignorable;
use harfrust::{Direction, ShapeOptions, ShaperData, UnicodeBuffer};
use skrifa::MetadataProvider as _;
use skrifa::instance::{LocationRef, Size};
use svg2pdf::usvg::fontdb::ID;
use unicode_bidi::BidiInfo;
use unicode_script::{Script, UnicodeScript as _};
use unicode_segmentation::UnicodeSegmentation as _;

/// The width of the box for a character that no font has, and its height above the baseline, in ems.
pub(super) const BOX: (f32, f32) = (0.6, 0.7);

/// How a piece of text is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ink {
    /// With the glyphs of a font that is embedded.
    Glyphs(ID),
    /// Each cluster as a drawing made with a font that can't be embedded.
    Picture(ID),
    /// Each cluster as a box, because no font has it.
    Box,
}

/// A piece of a line in one direction, script and font.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) ink: Ink,
    pub(super) text: String,
    pub(super) is_reversed: bool,
    script: Script,
    /// From left to right.
    pub(super) glyphs: Vec<Glyph>,
    /// In ems.
    pub(super) width: f32,
    pub(super) ascent: f32,
    pub(super) descent: f32,
}

/// Lengths are in ems.
#[derive(Clone, Debug)]
pub(super) struct Glyph {
    /// The glyph's number in its font.
    pub(super) id: u16,
    pub(super) advance: f32,
    /// What its font says, before kerning.
    pub(super) width: f32,
    pub(super) right: f32,
    pub(super) up: f32,
    /// What it stands for. Empty for the second and further glyphs of a cluster.
    pub(super) text: String,
}

/// The runs of each line from left to right.
pub(super) fn shape(fonts: &Fonts, lines: &[&str], refused: &[ID]) -> Vec<Vec<Run>> {
    let mut lines: Vec<Vec<Run>> = lines.iter().map(|line| runs(fonts, line, refused)).collect();
    // A font is opened once for all lines.
    let mut by_ink: BTreeMap<Ink, Vec<&mut Run>> = BTreeMap::new();
    for run in lines.iter_mut().flatten() {
        by_ink.entry(run.ink).or_default().push(run);
    }
    for (ink, runs) in by_ink {
        match ink {
            Ink::Glyphs(face) | Ink::Picture(face) => shape_with(fonts, face, runs),
            Ink::Box => runs.into_iter().for_each(boxes),
        }
    }
    lines
}

/// The runs of a line from left to right, not yet shaped.
fn runs(fonts: &Fonts, line: &str, refused: &[ID]) -> Vec<Run> {
    // Not allowed in a line.
    let line = line.replace(char::is_control, " ");
    let bidi = BidiInfo::new(&line, None);
    let mut runs = Vec::new();
    // One paragraph: there are no separators in a line.
    for paragraph in &bidi.paragraphs {
        let (levels, parts) = bidi.visual_runs(paragraph, paragraph.range.clone());
        for part in parts {
            let is_reversed = levels.get(part.start).is_some_and(|level| level.is_rtl());
            let mut own = divided(fonts, &line, part, is_reversed, refused);
            if is_reversed {
                own.reverse();
            }
            runs.append(&mut own);
        }
    }
    runs
}

/// A part in one direction, divided by script and font, in the order of the text.
fn divided(fonts: &Fonts, line: &str, part: Range<usize>, is_reversed: bool, refused: &[ID]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut before = None;
    for cluster in line.get(part).unwrap_or_default().graphemes(true) {
        let is_seen = !cluster.chars().all(is_ignorable);
        let ink = if !is_seen && let Some(last) = runs.last() {
            last.ink
        } else if let Some(face) = fonts.picture(cluster) {
            Ink::Picture(face)
        } else {
            before = fonts.face(cluster, line, before);
            match before {
                Some(face) if refused.contains(&face) => Ink::Picture(face),
                Some(face) => Ink::Glyphs(face),
                None => Ink::Box,
            }
        };
        let script = script(cluster);
        match runs.last_mut() {
            Some(last) if last.ink == ink && agree(last.script, script) => {
                last.text.push_str(cluster);
                last.script = if last.script == Script::Common { script } else { last.script };
            }
            _ => runs.push(Run {
                ink,
                text: cluster.to_owned(),
                is_reversed,
                script,
                glyphs: Vec::new(),
                width: 0.0,
                ascent: 0.0,
                descent: 0.0,
            }),
        }
    }
    runs
}

/// The script of a cluster's first letter. `Common` if it has none of its own.
fn script(cluster: &str) -> Script {
    let own = |script: &Script| !matches!(script, Script::Common | Script::Inherited | Script::Unknown);
    cluster.chars().map(|character| character.script()).find(own).unwrap_or(Script::Common)
}

fn agree(one: Script, other: Script) -> bool {
    one == other || one == Script::Common || other == Script::Common
}

fn shape_with(fonts: &Fonts, face: ID, runs: Vec<&mut Run>) {
    // Runs of a font that can't be opened again stay empty.
    let _ = fonts.with_face(face, |font, _, _| {
        let metrics = font.metrics(Size::new(1.0), LocationRef::default());
        let widths = font.glyph_metrics(Size::new(1.0), LocationRef::default());
        let data = ShaperData::new(font);
        let shaper = data.shaper(font).build();
        let em = |units: i32| units as f32 / f32::from(metrics.units_per_em.max(1));
        for run in runs {
            let mut buffer = UnicodeBuffer::new();
            for (at, character) in run.text.char_indices() {
                buffer.add(character, u32::try_from(at).unwrap_or(u32::MAX));
            }
            buffer.set_direction(if run.is_reversed { Direction::RightToLeft } else { Direction::LeftToRight });
            let tag = run.script.short_name().parse().ok().filter(|_| run.script != Script::Common);
            if let Some(script) = tag {
                buffer.set_script(script);
            }
            let shaped = shaper.shape(buffer, ShapeOptions::new());
            let glyphs = shaped.glyph_infos().iter().zip(shaped.glyph_positions());
            let glyphs = glyphs.map(|(info, place)| {
                let glyph = Glyph {
                    id: u16::try_from(info.glyph_id).unwrap_or(0),
                    width: widths.advance_width(info.glyph_id.into()).unwrap_or(0.0),
                    advance: em(place.x_advance),
                    right: em(place.x_offset),
                    up: em(place.y_offset),
                    text: String::new(),
                };
                (info.cluster as usize, glyph)
            });
            run.glyphs = named(glyphs.collect(), &run.text, run.is_reversed);
            if matches!(run.ink, Ink::Picture(_)) {
                run.glyphs = pictures(fonts, face, run);
            }
            run.width = run.glyphs.iter().map(|glyph| glyph.advance).sum();
            (run.ascent, run.descent) = (metrics.ascent, metrics.descent);
        }
    });
}

/// Glyphs with the text that each stands for. A base letter and its marks each have their own character where there are as many
/// glyphs as characters.
fn named(glyphs: Vec<(usize, Glyph)>, text: &str, is_reversed: bool) -> Vec<Glyph> {
    let mut starts: Vec<usize> = glyphs.iter().map(|(cluster, _)| *cluster).collect();
    starts.sort_unstable();
    starts.dedup();
    let own = |cluster: usize| {
        let next = starts.partition_point(|start| *start <= cluster);
        text.get(cluster..starts.get(next).copied().unwrap_or(text.len())).unwrap_or_default()
    };
    let mut named = Vec::with_capacity(glyphs.len());
    for same in glyphs.chunk_by(|(one, _), (other, _)| one == other) {
        let text = same.first().map_or("", |(cluster, _)| own(*cluster));
        let mut texts: Vec<String> = if same.len() > 1 && text.chars().count() == same.len() {
            text.chars().map(String::from).collect()
        } else {
            let rest = std::iter::repeat_n(String::new(), same.len().saturating_sub(1));
            std::iter::once(text.to_owned()).chain(rest).collect()
        };
        if is_reversed {
            texts.reverse();
        }
        named.extend(same.iter().zip(texts).map(|((_, glyph), text)| Glyph { text, ..glyph.clone() }));
    }
    named.retain(|glyph| glyph.advance != 0.0 || glyph.text.is_empty() || !glyph.text.chars().all(is_ignorable));
    named
}

/// A glyph for each picture. Letters of a font that can't be embedded are one picture, because they may be joined.
fn pictures(fonts: &Fonts, face: ID, run: &Run) -> Vec<Glyph> {
    let mut pictures: Vec<Glyph> = Vec::new();
    for glyph in &run.glyphs {
        match pictures.last_mut() {
            Some(last) if glyph.text.is_empty() => last.advance += glyph.advance,
            _ => pictures.push(Glyph { right: 0.0, up: 0.0, ..glyph.clone() }),
        }
    }
    if fonts.is_colored(face) {
        return pictures;
    }
    let advance = pictures.iter().map(|glyph| glyph.advance).sum();
    vec![Glyph { id: 0, advance, width: advance, right: 0.0, up: 0.0, text: run.text.clone() }]
}

/// A box for each cluster.
fn boxes(run: &mut Run) {
    let clusters = run.text.graphemes(true).filter(|cluster| !cluster.chars().all(is_ignorable));
    let glyph = |text: &str| Glyph { id: 0, advance: BOX.0, width: BOX.0, right: 0.0, up: 0.0, text: text.to_owned() };
    run.glyphs = clusters.map(glyph).collect();
    if run.is_reversed {
        run.glyphs.reverse();
    }
    run.width = run.glyphs.iter().map(|glyph| glyph.advance).sum();
    (run.ascent, run.descent) = (BOX.1, 0.0);
}
