//! Reading one picture after the other.

use std::ffi::{CStr, CString, c_char, c_float, c_int};
use std::sync::Arc;
use std::{fmt, ptr};

use docmill_pdf_core::pdfium::GreyBitmap;
use unicode_normalization::UnicodeNormalization;

use super::ffi::{Api, Handle};
use super::models::{Idle, Models};
use crate::{Direction, Line, Skew, Text, Word};

/// `OEM_TESSERACT_ONLY` and `OEM_LSTM_ONLY`, as the packaged models for orientation and languages require.
const CLASSIC_ONLY: c_int = 0;
const LSTM_ONLY: c_int = 1;
/// `PSM_OSD_ONLY`, `PSM_AUTO` and `PSM_SINGLE_BLOCK`.
const ORIENTATION: c_int = 0;
const AUTOMATIC: c_int = 3;
const BLOCK: c_int = 6;
/// The confidence needed for a page on which no text was found at first, so that noise is not read as text.
const CONFIDENT: f32 = 60.0;
/// The variable for trying unreadable text with inverted colors.
const INVERTED: &CStr = c"tessedit_do_invert";
/// `RIL_TEXTLINE` and `RIL_WORD`.
const LINE: c_int = 2;
const WORD: c_int = 3;
/// Most words of a picture.
const WORDS: usize = 50_000;
/// Longest word in bytes.
const WORD_BYTES: usize = 1000;

/// The library, loaded once, with the models that were loaded so far and wait for a reader.
#[derive(Clone)]
pub struct Tesseract {
    api: Api,
    idle: Arc<Idle>,
}

impl fmt::Debug for Tesseract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tesseract")
    }
}

impl Tesseract {
    /// Loads the installed library.
    ///
    /// # Errors
    /// If it is missing or too old.
    pub fn load() -> Result<Self, String> {
        Api::load().map(|api| Self { api, idle: Arc::default() }).map_err(|error| error.to_string())
    }

    /// A reader of these languages, such as `eng+deu`. `None` if one of them is not installed.
    pub fn reader(&self, languages: &str) -> Option<Reader> {
        self.with_models(languages, LSTM_ONLY)
    }

    /// A reader with the model for orientation. `None` if it is not installed.
    pub fn orienter(&self) -> Option<Reader> {
        self.with_models("osd", CLASSIC_ONLY)
    }

    fn with_models(&self, languages: &str, engine: c_int) -> Option<Reader> {
        let languages = CString::new(languages).ok()?;
        let models = self.idle.take(self.api, &languages, engine)?;
        let reader =
            Reader { api: self.api, handle: models.handle, models: Some(models), idle: Arc::clone(&self.idle) };
        // Trying each line with inverted colors takes a tenth of the time and misses most of them: see `inverse.rs`.
        reader.set_variable(INVERTED, c"0");
        reader.set_variable(c"debug_file", c"/dev/null");
        Some(reader)
    }
}

/// Reads pictures, each on its own.
pub struct Reader {
    pub(super) api: Api,
    /// That of `models`.
    handle: Handle,
    /// Taken on drop only.
    models: Option<Models>,
    idle: Arc<Idle>,
}

// SAFETY: The handle is that of its models, which are `Send`, and is used by one thread at a time: this is not `Sync`.
unsafe impl Send for Reader {}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reader")
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some(models) = self.models.take() {
            self.idle.put(models);
        }
    }
}

impl Reader {
    fn set_variable(&self, name: &CStr, value: &CStr) {
        // SAFETY: Both end with a NUL and live during the call. A name that it does not know changes nothing.
        unsafe { (self.api.TessBaseAPISetVariable)(self.handle, name.as_ptr(), value.as_ptr()) };
    }

    /// Reads white text on black, too.
    pub fn with_inverted_text(self) -> Self {
        self.set_variable(INVERTED, c"1");
        self
    }

    /// Passes a picture, which the library copies. Returns whether it accepts the picture.
    fn set(&mut self, picture: &GreyBitmap) -> bool {
        let (Ok(width), Ok(height)) = (c_int::try_from(picture.width), c_int::try_from(picture.height)) else {
            return false;
        };
        if width == 0
            || height == 0
            || picture.data.len() as u64 != u64::from(picture.width) * u64::from(picture.height)
        {
            return false;
        }
        #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
        let resolution = picture.dpi.round() as c_int;
        // SAFETY: The bytes are `height` rows of `width` bytes, and live during the call, which copies them.
        unsafe {
            (self.api.TessBaseAPISetImage)(self.handle, picture.data.as_ptr(), width, height, 1, width);
            (self.api.TessBaseAPISetSourceResolution)(self.handle, resolution);
        }
        true
    }

    /// Clockwise degrees that make the text upright, a multiple of 90, with the confidence. `None` if there is too little text.
    pub fn orientation(&mut self, picture: &GreyBitmap) -> Option<(u16, f32)> {
        if !self.set(picture) {
            return None;
        }
        let (mut degrees, mut confidence, mut script_confidence) = (0, 0.0, 0.0);
        let mut script: *const c_char = ptr::null();
        // SAFETY: The numbers and the pointer live during the call. The script's name is the library's own.
        let known = unsafe {
            (self.api.TessBaseAPISetPageSegMode)(self.handle, ORIENTATION);
            let known = (self.api.TessBaseAPIDetectOrientationScript)(
                self.handle,
                &raw mut degrees,
                &raw mut confidence,
                &raw mut script,
                &raw mut script_confidence,
            );
            (self.api.TessBaseAPIClear)(self.handle);
            known
        };
        // The library says how far the page is turned.
        let degrees = u16::try_from((360 - degrees).rem_euclid(360)).ok()?;
        (known != 0 && degrees.is_multiple_of(90)).then_some((degrees, confidence))
    }

    /// The skew of a picture's lines. `None` for a picture without lines.
    pub fn skew(&mut self, picture: &GreyBitmap) -> Option<Skew> {
        if !self.set(picture) {
            return None;
        }
        let (mut degrees, mut confidence): (c_float, c_float) = (0.0, 0.0);
        // SAFETY: A picture is set. The black and white one is ours, and is destroyed once.
        let failed = unsafe {
            let mut pixels = (self.api.TessBaseAPIGetThresholdedImage)(self.handle);
            if pixels.is_null() {
                return None;
            }
            let failed = (self.api.pixFindSkew)(pixels, &raw mut degrees, &raw mut confidence);
            (self.api.pixDestroy)(&raw mut pixels);
            (self.api.TessBaseAPIClear)(self.handle);
            failed
        };
        (failed == 0 && degrees.is_finite()).then_some(Skew { degrees, confidence })
    }

    /// Reads a picture. `None` if the library fails.
    pub fn read(&mut self, picture: &GreyBitmap) -> Option<Text> {
        let text = self.read_as(picture, AUTOMATIC)?;
        if text.words() > 0 {
            return Some(text);
        }
        // The layout analysis may not recognise a few words on an empty page as text.
        let block = self.read_as(picture, BLOCK)?;
        Some(if block.confidence().is_some_and(|sure| sure >= CONFIDENT) { block } else { text })
    }

    /// Reads a picture as a page with a layout.
    pub fn read_once(&mut self, picture: &GreyBitmap) -> Option<Text> {
        self.read_as(picture, AUTOMATIC)
    }

    /// Reads a picture as a page with a layout, and as one block of text: what one way takes for a drawing, the other may read.
    pub fn read_twice(&mut self, picture: &GreyBitmap) -> Option<[Text; 2]> {
        Some([self.read_as(picture, AUTOMATIC)?, self.read_as(picture, BLOCK)?])
    }

    fn read_as(&mut self, picture: &GreyBitmap, layout: c_int) -> Option<Text> {
        if !self.set(picture) {
            return None;
        }
        // SAFETY: A picture is set. Without a monitor, it runs to its end.
        let failed = unsafe {
            (self.api.TessBaseAPISetPageSegMode)(self.handle, layout);
            (self.api.TessBaseAPIRecognize)(self.handle, ptr::null_mut())
        };
        let text = (failed == 0).then(|| self.text());
        // SAFETY: The results were copied, and their iterator is gone.
        unsafe { (self.api.TessBaseAPIClear)(self.handle) };
        text
    }

    fn text(&self) -> Text {
        let mut text = Text::default();
        // SAFETY: The picture was read. Without results, there is no iterator.
        let results = unsafe { (self.api.TessBaseAPIGetIterator)(self.handle) };
        if results.is_null() {
            return text;
        }
        let results = Results { reader: self, handle: results };
        for _ in 0..WORDS {
            if results.begins_line() || text.lines.is_empty() {
                text.lines.push(results.line());
            }
            if let (Some(word), Some(line)) = (results.word(), text.lines.last_mut()) {
                line.words.push(word);
            }
            if !results.next() {
                break;
            }
        }
        text.lines.retain(|line| !line.words.is_empty());
        text
    }
}

/// An iterator over the words of the picture that was read last.
struct Results<'r> {
    reader: &'r Reader,
    handle: Handle,
}

impl Drop for Results<'_> {
    fn drop(&mut self) {
        // SAFETY: It was given once and is deleted once.
        unsafe { (self.reader.api.TessResultIteratorDelete)(self.handle) };
    }
}

impl Results<'_> {
    fn next(&self) -> bool {
        // SAFETY: The iterator is alive.
        unsafe { (self.reader.api.TessResultIteratorNext)(self.handle, WORD) != 0 }
    }

    /// The same iterator, as other functions take it.
    fn page(&self) -> Handle {
        // SAFETY: The iterator is alive.
        unsafe { (self.reader.api.TessResultIteratorGetPageIterator)(self.handle) }
    }

    fn begins_line(&self) -> bool {
        // SAFETY: The iterator is alive.
        unsafe { (self.reader.api.TessPageIteratorIsAtBeginningOf)(self.page(), LINE) != 0 }
    }

    /// The line that begins here, without its words.
    fn line(&self) -> Line {
        let (mut orientation, mut writing, mut order, mut skew) = (0, 0, 0, 0.0);
        let (mut x1, mut y1, mut x2, mut y2) = (0, 0, 0, 0);
        let api = &self.reader.api;
        // SAFETY: The iterator is alive, and so are the numbers.
        let known = unsafe {
            (api.TessPageIteratorOrientation)(
                self.page(),
                &raw mut orientation,
                &raw mut writing,
                &raw mut order,
                &raw mut skew,
            );
            let baseline = api.TessPageIteratorBaseline;
            baseline(self.page(), LINE, &raw mut x1, &raw mut y1, &raw mut x2, &raw mut y2) != 0
        };
        let direction = match orientation {
            1 => Direction::Right,
            2 => Direction::Down,
            3 => Direction::Left,
            _ => Direction::Up,
        };
        let points = [(x1 as f32, y1 as f32), (x2 as f32, y2 as f32)];
        let baseline = (known && direction == Direction::Up && x2 > x1).then_some(points);
        Line { words: Vec::new(), direction, baseline, stroke: None }
    }

    /// The word here, unless it is empty.
    fn word(&self) -> Option<Word> {
        let api = &self.reader.api;
        let (mut left, mut top, mut right, mut bottom) = (0, 0, 0, 0);
        // SAFETY: The iterator is alive, and so are the numbers.
        let (known, confidence, text) = unsafe {
            let place = api.TessPageIteratorBoundingBox;
            let known = place(self.page(), WORD, &raw mut left, &raw mut top, &raw mut right, &raw mut bottom);
            let confidence = (api.TessResultIteratorConfidence)(self.handle, WORD);
            (known != 0, confidence, (api.TessResultIteratorGetUTF8Text)(self.handle, WORD))
        };
        if text.is_null() {
            return None;
        }
        // SAFETY: The text ends with a NUL. It is ours, and is deleted after it was copied.
        let copy = unsafe {
            let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
            (api.TessDeleteText)(text);
            copy
        };
        let text = composed(&copy);
        let sound = known && right > left && bottom > top && !text.is_empty() && text.len() <= WORD_BYTES;
        sound.then(|| Word {
            text,
            confidence: if confidence.is_finite() { confidence.clamp(0.0, 100.0) } else { 0.0 },
            left: left as f32,
            top: top as f32,
            right: right as f32,
            bottom: bottom as f32,
        })
    }
}

/// A word as people type it: composed letters, and the Greek letter in place of the micro sign.
fn composed(word: &str) -> String {
    let seen = word.chars().filter(|c| !c.is_whitespace() && !c.is_control());
    seen.map(|c| if c == '\u{b5}' { 'μ' } else { c }).nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_composed_as_people_type_them() {
        // A micro sign, an accent of the extended block, and an accent of its own.
        assert_eq!(composed("\u{b5}ε \u{1f71}\u{b5}\u{b5}ο\n"), "με άμμο".replace(' ', ""));
        assert_eq!(composed("u\u{308}ber"), "über");
        assert_eq!(composed("½ m²"), "½m²");
    }

    #[test]
    fn models_wait_for_the_next_reader_of_their_languages() {
        let tesseract = Tesseract::load().unwrap();
        let handle = tesseract.reader("eng").unwrap().handle;
        assert_eq!(tesseract.idle.len(), 1);
        let (german, orienter) = (tesseract.reader("deu").unwrap(), tesseract.orienter().unwrap());
        let (english, another) = (tesseract.reader("eng").unwrap(), tesseract.reader("eng").unwrap());
        assert_eq!(english.handle, handle);
        assert_ne!(another.handle, handle);
        // No more than three wait: the German models, which wait longest, go.
        drop((german, orienter, english, another));
        assert_eq!(tesseract.idle.len(), 3);
        assert_eq!(tesseract.reader("eng").unwrap().handle, handle);
        assert!(tesseract.reader("no-such-language").is_none());
    }
}
