//! Codes of squares, and PDF417.

use datamatrix::{DataMatrix, SymbolList};
use qrcodegen::{QrCode, QrCodeEcc, QrSegment, Version};
use rxing::pdf417::PDF417Writer;
use rxing::{BarcodeFormat, EncodeHints, Writer};

use crate::code::{Layer, QuietZone, Rectangle, Tone};
use crate::{Code, Mistake, Symbology};

/// The usual width of a square in millimeters.
const MODULE: f32 = 0.5;
/// The same of a PDF417.
const NARROW_MODULE: f32 = 0.33;
/// A SEPA payment has at most 331 bytes, and a Swiss one 997 characters.
const LARGEST_EPC: u8 = 13;
const LARGEST_SWISS: u8 = 25;
/// The Swiss code's size, and that of what is drawn in its middle, in millimeters.
const SWISS_SIZE: f32 = 46.0;
const SWISS_BORDER: f32 = 7.0;
const SWISS_SQUARE: f32 = 6.0;
const SWISS_ARM: (f32, f32) = (3.9, 1.17);
const SWISS_QUIET: f32 = 5.0;

pub(crate) fn qr(text: &str) -> Result<Code, Mistake> {
    let room = "it has room for 2,331 bytes, 3,391 capital letters and digits, or 5,596 digits";
    let code = qr_code(text, Version::MAX.value(), true).ok_or(Mistake::TooLong { symbology: Symbology::Qr, room })?;
    Ok(qr_modules(&code, QuietZone::all_around(4.0), MODULE))
}

pub(crate) fn epc(text: &str) -> Result<Code, Mistake> {
    let room = "all fields together have room for 331 bytes";
    let code = qr_code(text, LARGEST_EPC, false).ok_or(Mistake::TooLong { symbology: Symbology::Epc, room })?;
    Ok(qr_modules(&code, QuietZone::all_around(4.0), MODULE))
}

pub(crate) fn swiss(text: &str) -> Result<Code, Mistake> {
    let symbology = Symbology::SwissQr;
    let room = "all fields together have room for 997 bytes";
    let code = qr_code(text, LARGEST_SWISS, false).ok_or(Mistake::TooLong { symbology, room })?;
    let module = SWISS_SIZE / code.size() as f32;
    let mut code = qr_modules(&code, QuietZone::all_around(SWISS_QUIET / module), module);
    code.layers.extend(cross(code.width / 2.0, module));
    Ok(code)
}

/// Without kanji mode and without naming the character set: readers take bytes for UTF-8, and many know nothing else.
fn qr_code(text: &str, largest: u8, better: bool) -> Option<QrCode> {
    let segments = QrSegment::make_segments(text);
    let level = QrCodeEcc::Medium;
    QrCode::encode_segments_advanced(&segments, level, Version::MIN, Version::new(largest), None, better).ok()
}

fn qr_modules(code: &QrCode, quiet_zone: QuietZone, module: f32) -> Code {
    let size = usize::try_from(code.size()).unwrap_or_default();
    let is_dark = |column: usize, row: usize| match (i32::try_from(column), i32::try_from(row)) {
        (Ok(column), Ok(row)) => code.get_module(column, row),
        _ => false,
    };
    Code::of_modules(size, size, is_dark, quiet_zone, module)
}

/// The Swiss cross: a white border, a black square, and the cross in white.
fn cross(center: f32, module: f32) -> [Layer; 3] {
    let centered = |width: f32, height: f32| Rectangle {
        left: center - width / module / 2.0,
        top: center - height / module / 2.0,
        width: width / module,
        height: height / module,
    };
    let (length, thickness) = SWISS_ARM;
    // The arms above and below the one from left to right: layers don't overlap themselves.
    let across = centered(length, thickness);
    let up = centered(thickness, length);
    let arm = (up.height - across.height) / 2.0;
    let above = Rectangle { height: arm, ..up };
    let below = Rectangle { top: across.top + across.height, height: arm, ..up };
    [
        Layer { tone: Tone::Light, rectangles: vec![centered(SWISS_BORDER, SWISS_BORDER)] },
        Layer { tone: Tone::Dark, rectangles: vec![centered(SWISS_SQUARE, SWISS_SQUARE)] },
        Layer { tone: Tone::Light, rectangles: vec![above, across, below] },
    ]
}

/// A square: in Latin-1 if possible, else in UTF-8, which is then named.
pub(crate) fn data_matrix(text: &str) -> Result<Code, Mistake> {
    let room = "it has room for 1,555 bytes, 2,335 capital letters and digits, or 3,116 digits";
    let sizes = SymbolList::default().enforce_square();
    let code =
        DataMatrix::encode_str(text, sizes).map_err(|_| Mistake::TooLong { symbology: Symbology::DataMatrix, room })?;
    let bitmap = code.bitmap();
    let (width, height) = (bitmap.width(), bitmap.height());
    let bits = bitmap.bits();
    let is_dark = |column: usize, row: usize| bits.get(row * width + column) == Some(&true);
    Ok(Code::of_modules(width, height, is_dark, QuietZone::all_around(2.0), MODULE))
}

/// In Latin-1 if possible, else in UTF-8, which is then named.
pub(crate) fn pdf417(text: &str) -> Result<Code, Mistake> {
    let room = "it has room for 1,108 bytes, 1,850 letters or 2,710 digits, less if mixed. Use a QR code";
    let is_latin = text.chars().all(|character| u32::from(character) < 256);
    let hints = EncodeHints {
        Margin: Some("0".to_owned()),
        CharacterSet: (!is_latin).then(|| "UTF-8".to_owned()),
        ..EncodeHints::default()
    };
    let modules = PDF417Writer
        .encode_with_hints(text, &BarcodeFormat::PDF_417, 0, 0, &hints)
        .map_err(|_| Mistake::TooLong { symbology: Symbology::Pdf417, room })?;
    let size = |length: u32| usize::try_from(length).unwrap_or_default();
    let is_dark = |column: usize, row: usize| match (u32::try_from(column), u32::try_from(row)) {
        (Ok(column), Ok(row)) => modules.get(column, row),
        _ => false,
    };
    let quiet_zone = QuietZone::all_around(2.0);
    Ok(Code::of_modules(size(modules.width()), size(modules.height()), is_dark, quiet_zone, NARROW_MODULE))
}
