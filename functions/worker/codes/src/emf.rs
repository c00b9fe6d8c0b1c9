//! A code as an Enhanced Metafile, the vector format that Word, PowerPoint and Excel draw in all their versions.

use crate::code::{Code, Layer, Rectangle, Tone};

/// Records that are used here, by their type.
const HEADER: u32 = 1;
const POLYPOLYGON: u32 = 8;
const SET_WINDOW_EXTENT: u32 = 9;
const SET_WINDOW_ORIGIN: u32 = 10;
const SET_VIEWPORT_EXTENT: u32 = 11;
const END: u32 = 14;
const SET_MAP_MODE: u32 = 17;
const SELECT_OBJECT: u32 = 37;

const SIGNATURE: u32 = 0x464D_4520;
const VERSION: u32 = 0x0001_0000;
const HEADER_BYTES: usize = 88;
const ANISOTROPIC: u32 = 8;
/// Objects that every device has.
const WHITE_BRUSH: u32 = 0x8000_0000;
const BLACK_BRUSH: u32 = 0x8000_0004;
const NO_PEN: u32 = 0x8000_0008;

/// The device for which it is drawn has as many points in a millimeter as the header's frame has units.
const DEVICE_MILLIMETERS: i32 = 320;
const UNITS_OF_MILLIMETER: f32 = 100.0;
const UNITS_OF_MODULE: f32 = 100.0;
const CORNERS: u32 = 4;

impl Code {
    /// An Enhanced Metafile, in its usual size, on white with its quiet zone.
    pub fn emf(&self) -> Vec<u8> {
        let (width, height) = self.full_size();
        let (left, top) = (-self.quiet_zone.horizontal, -self.quiet_zone.vertical);
        #[expect(clippy::cast_possible_truncation, reason = "a code has far fewer modules, and the cast saturates")]
        let in_modules = |length: f32| (length * UNITS_OF_MODULE).round() as i32;
        #[expect(clippy::cast_possible_truncation, reason = "as above")]
        let on_device = |modules: f32| ((modules * self.module * UNITS_OF_MILLIMETER).round() as i32).max(1);
        let size = (on_device(width), on_device(height));
        let mut records = Records::default();
        records.add(SET_MAP_MODE, &[ANISOTROPIC]);
        records.add(SET_WINDOW_ORIGIN, &[signed(in_modules(left)), signed(in_modules(top))]);
        records.add(SET_WINDOW_EXTENT, &[signed(in_modules(width)), signed(in_modules(height))]);
        records.add(SET_VIEWPORT_EXTENT, &[signed(size.0), signed(size.1)]);
        records.add(SELECT_OBJECT, &[NO_PEN]);
        let ground = Layer { tone: Tone::Light, rectangles: vec![Rectangle { left, top, width, height }] };
        for Layer { tone, rectangles } in std::iter::once(&ground).chain(&self.layers) {
            let brush = match tone {
                Tone::Dark => BLACK_BRUSH,
                Tone::Light => WHITE_BRUSH,
            };
            records.add(SELECT_OBJECT, &[brush]);
            records.add(POLYPOLYGON, &polygons(rectangles, size, in_modules));
        }
        // No palette; the last number is the record's own size.
        records.add(END, &[0, 0, 20]);
        records.with_header(size)
    }
}

/// One record for all rectangles, so that no lines show between those that touch.
fn polygons(rectangles: &[Rectangle], (right, bottom): (i32, i32), scaled: impl Fn(f32) -> i32) -> Vec<u32> {
    let count = u32::try_from(rectangles.len()).unwrap_or(u32::MAX);
    let mut numbers = vec![0, 0, signed(right), signed(bottom), count, count.saturating_mul(CORNERS)];
    numbers.extend(rectangles.iter().map(|_| CORNERS));
    for Rectangle { left, top, width, height } in rectangles {
        let (from, to) = ((scaled(*left), scaled(*top)), (scaled(left + width), scaled(top + height)));
        for (x, y) in [from, (to.0, from.1), to, (from.0, to.1)] {
            numbers.extend([signed(x), signed(y)]);
        }
    }
    numbers
}

const fn signed(number: i32) -> u32 {
    number.cast_unsigned()
}

#[derive(Default)]
struct Records {
    bytes: Vec<u8>,
    count: u32,
}

impl Records {
    fn add(&mut self, kind: u32, numbers: &[u32]) {
        self.count += 1;
        let size = u32::try_from(8 + 4 * numbers.len()).unwrap_or(u32::MAX);
        for number in [kind, size].iter().chain(numbers) {
            self.bytes.extend(number.to_le_bytes());
        }
    }

    fn with_header(self, (width, height): (i32, i32)) -> Vec<u8> {
        let bytes = u32::try_from(HEADER_BYTES + self.bytes.len()).unwrap_or(u32::MAX);
        let size = [0, 0, signed(width), signed(height)];
        const PIXELS: i32 = 32_000;
        const { assert!(PIXELS as f32 == DEVICE_MILLIMETERS as f32 * UNITS_OF_MILLIMETER) };
        let pixels = signed(PIXELS);
        // One handle, which is reserved; neither a description nor a palette.
        const HANDLES: u32 = 1;
        let mut numbers = size.to_vec();
        numbers.extend(size);
        numbers.extend([SIGNATURE, VERSION, bytes, self.count + 1, HANDLES, 0, 0, 0]);
        numbers.extend([pixels, pixels, signed(DEVICE_MILLIMETERS), signed(DEVICE_MILLIMETERS)]);
        let mut header = Self::default();
        header.add(HEADER, &numbers);
        header.bytes.extend(self.bytes);
        header.bytes
    }
}

#[cfg(test)]
mod tests {
    use crate::{Symbology, encode_text};

    #[test]
    fn records_fill_the_file_and_end_where_the_header_says() {
        let code = encode_text(Symbology::Qr, "https://docmill.example").unwrap();
        let file = code.emf();
        let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
        assert_eq!((number(0), number(4), number(40)), (1, 88, 0x464D_4520));
        assert_eq!(number(48) as usize, file.len());
        let (mut at, mut kinds) = (0, Vec::new());
        while at < file.len() {
            kinds.push(number(at));
            at += number(at + 4) as usize;
        }
        assert_eq!(kinds, [1, 17, 10, 9, 11, 37, 37, 8, 37, 8, 14]);
        assert_eq!(number(52) as usize, kinds.len());
        let (width, height) = code.full_size();
        let frame = (f64::from(number(32)), f64::from(number(36)));
        assert!((frame.0 / 100.0 - f64::from(width * code.module)).abs() < 0.01, "{frame:?}");
        assert!((frame.1 / 100.0 - f64::from(height * code.module)).abs() < 0.01, "{frame:?}");
    }
}
