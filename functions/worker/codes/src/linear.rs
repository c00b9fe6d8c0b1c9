//! Codes of bars.

use rxing::oned::{Code128Writer, EAN8Writer, EAN13Writer, OneDimensionalCodeWriter};

use crate::code::QuietZone;
use crate::{Code, Mistake, Symbology};

/// The usual width of the narrowest bar in millimeters.
const MODULE: f32 = 0.33;
/// The most characters of a Code 128.
const LONGEST: usize = 80;

/// Any text in ASCII.
pub(crate) fn code_128(text: &str) -> Result<Code, Mistake> {
    let symbology = Symbology::Code128;
    if let Some(position) = text.chars().position(|character| !character.is_ascii()) {
        let allowed = "unaccented letters, digits and ASCII signs, or a QR code";
        return Err(Mistake::Character { symbology, position: position + 1, allowed });
    }
    let too_long =
        Mistake::TooLong { symbology, room: "it has room for 80 characters. Use a QR code or a Data Matrix" };
    if text.len() > LONGEST {
        return Err(too_long);
    }
    let bars = Code128Writer.encode_oned(text).map_err(|_| too_long)?;
    Ok(bars_code(&bars, 50, 10.0))
}

/// A kind of number for articles, with heights and quiet zones of the GS1 specification, in modules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Article {
    symbology: Symbology,
    digits: usize,
    height: usize,
    quiet: f32,
}

pub(crate) const EAN_13: Article = Article { symbology: Symbology::Ean13, digits: 13, height: 69, quiet: 11.0 };
pub(crate) const EAN_8: Article = Article { symbology: Symbology::Ean8, digits: 8, height: 55, quiet: 7.0 };
pub(crate) const UPC_A: Article = Article { symbology: Symbology::UpcA, digits: 12, height: 69, quiet: 9.0 };

/// An article's number, whose check digit is verified, or added if it is missing.
pub(crate) fn article(kind: Article, text: &str) -> Result<Code, Mistake> {
    let symbology = kind.symbology;
    if let Some(position) = text.chars().position(|character| !character.is_ascii_digit()) {
        return Err(Mistake::Character { symbology, position: position + 1, allowed: "digits only" });
    }
    let digits: Vec<u32> = text.chars().filter_map(|digit| digit.to_digit(10)).collect();
    let wrong = Mistake::Digits { symbology, found: digits.len(), with: kind.digits };
    let Some(body) = digits.get(..kind.digits - 1).filter(|_| digits.len() <= kind.digits) else { return Err(wrong) };
    let expected = check_digit(body);
    if digits.get(kind.digits - 1).is_some_and(|digit| *digit != expected) {
        return Err(Mistake::CheckDigit { expected: char::from_digit(expected, 10).unwrap_or_default() });
    }
    let number: String = body.iter().chain([&expected]).filter_map(|digit| char::from_digit(*digit, 10)).collect();
    let bars = match kind.digits {
        8 => EAN8Writer.encode_oned(&number),
        // A UPC-A is the EAN-13 with a zero before it.
        12 => EAN13Writer.encode_oned(&format!("0{number}")),
        _ => EAN13Writer.encode_oned(&number),
    };
    Ok(bars_code(&bars.map_err(|_| wrong)?, kind.height, kind.quiet))
}

/// Every other digit counts three times, from the last one on.
fn check_digit(body: &[u32]) -> u32 {
    let sum: u32 = body.iter().rev().zip([3, 1].into_iter().cycle()).map(|(digit, weight)| digit * weight).sum();
    (10 - sum % 10) % 10
}

fn bars_code(bars: &[bool], height: usize, quiet: f32) -> Code {
    let quiet_zone = QuietZone { horizontal: quiet, vertical: 0.0 };
    Code::of_modules(bars.len(), height, |column, _| bars.get(column) == Some(&true), quiet_zone, MODULE)
}
