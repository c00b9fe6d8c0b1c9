//! Decimal numbers of any size, as `xs:decimal` and `xs:integer` need them: an IBAN as a number has up to seventy digits.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

/// Digits of a number in a document. Real amounts have about ten.
const DIGITS: usize = 2_000;
/// Digits after the point of a quotient, as Saxon has them: the rules are tested with it.
const QUOTIENT_SCALE: u32 = 18;

/// `digits` divided by ten to the power of `scale`.
#[derive(Clone, Debug)]
pub(crate) struct Decimal {
    digits: BigInt,
    scale: u32,
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Self {
        Self { digits: BigInt::from(value), scale: 0 }
    }
}

fn power(exponent: u32) -> BigInt {
    BigInt::from(10u8).pow(exponent)
}

impl Decimal {
    /// Reads an optional sign and digits with at most one point, as `xs:decimal` allows.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim_matches([' ', '\t', '\r', '\n']);
        let (negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (whole, part) = rest.split_once('.').unwrap_or((rest, ""));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if (whole.is_empty() && part.is_empty()) || !is_number(whole) || !is_number(part) || rest.len() > DIGITS {
            return None;
        }
        let part = part.trim_end_matches('0');
        let digits = BigInt::parse_bytes(format!("{whole}{part}").as_bytes(), 10).unwrap_or_default();
        let scale = u32::try_from(part.len()).ok()?;
        Some(Self { digits: if negative { -digits } else { digits }, scale })
    }

    /// Like [`Self::parse`] without a point, as `xs:integer` allows.
    pub(crate) fn parse_integer(text: &str) -> Option<Self> {
        if text.contains('.') { None } else { Self::parse(text) }
    }

    /// The exact value of a double; `None` for what is no number.
    pub(crate) fn from_double(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        let bits = value.to_bits();
        let exponent = i32::try_from((bits >> 52) & 0x7ff).ok()?;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, exponent) =
            if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        let mut digits = BigInt::from(mantissa);
        let mut scale = 0;
        match u32::try_from(exponent) {
            Ok(exponent) => digits <<= exponent,
            Err(_) => {
                // A half is five tenths.
                scale = exponent.unsigned_abs();
                digits *= BigInt::from(5u8).pow(scale);
            }
        }
        Some(Self { digits: if value.is_sign_negative() { -digits } else { digits }, scale }.shortened())
    }

    pub(crate) fn to_double(&self) -> f64 {
        self.to_text().parse().unwrap_or(f64::NAN)
    }

    /// Without zeros at the end of the part after the point.
    fn shortened(mut self) -> Self {
        let ten = BigInt::from(10u8);
        while self.scale > 0 && (&self.digits % &ten).sign() == Sign::NoSign {
            self.digits /= &ten;
            self.scale -= 1;
        }
        self
    }

    pub(crate) fn to_text(&self) -> String {
        let shortened = self.clone().shortened();
        let digits = shortened.digits.magnitude().to_string();
        let scale = shortened.scale as usize;
        let digits = format!("{digits:0>width$}", width = scale + 1);
        let (whole, part) = digits.split_at(digits.len() - scale);
        let sign = if shortened.digits.sign() == Sign::Minus { "-" } else { "" };
        if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits.sign() == Sign::NoSign
    }

    pub(crate) fn to_i64(&self) -> Option<i64> {
        i64::try_from(&self.truncated().digits).ok()
    }

    /// Both as numbers of one scale.
    fn aligned(&self, other: &Self) -> (BigInt, BigInt, u32) {
        match self.scale.cmp(&other.scale) {
            Ordering::Equal => (self.digits.clone(), other.digits.clone(), self.scale),
            Ordering::Less => (&self.digits * power(other.scale - self.scale), other.digits.clone(), other.scale),
            Ordering::Greater => (self.digits.clone(), &other.digits * power(self.scale - other.scale), self.scale),
        }
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let (left, right, scale) = self.aligned(other);
        Self { digits: left + right, scale }
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        Self { digits: &self.digits * &other.digits, scale: self.scale + other.scale }.shortened()
    }

    pub(crate) fn negated(&self) -> Self {
        Self { digits: -&self.digits, scale: self.scale }
    }

    pub(crate) fn absolute(&self) -> Self {
        if self.digits.sign() == Sign::Minus { self.negated() } else { self.clone() }
    }

    /// `None` if the divisor is zero. A half in the last digit is cut off.
    pub(crate) fn divided_by(&self, other: &Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        let scale = QUOTIENT_SCALE.max(self.scale).max(other.scale);
        // digits/10^a ÷ digits/10^b = x/10^scale
        let numerator = &self.digits * power(scale + other.scale);
        let denominator = &other.digits * power(self.scale);
        let quotient = &numerator / &denominator;
        let rest = &numerator - &quotient * &denominator;
        let twice: BigInt = rest * 2u8;
        let digits = if twice.magnitude() > denominator.magnitude() {
            let away = if numerator.sign() == denominator.sign() { 1 } else { -1 };
            quotient + away
        } else {
            quotient
        };
        Some(Self { digits, scale }.shortened())
    }

    /// The quotient without its part after the point.
    pub(crate) fn divided_whole(&self, other: &Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        let (left, right, _) = self.aligned(other);
        Some(Self { digits: left / right, scale: 0 })
    }

    pub(crate) fn remainder(&self, other: &Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        let (left, right, scale) = self.aligned(other);
        Some(Self { digits: left % right, scale })
    }

    pub(crate) fn truncated(&self) -> Self {
        if self.scale == 0 {
            return self.clone();
        }
        Self { digits: &self.digits / power(self.scale), scale: 0 }
    }

    pub(crate) fn floor(&self) -> Self {
        let truncated = self.truncated();
        if self.digits.sign() == Sign::Minus && truncated != *self { truncated.minus(&1.into()) } else { truncated }
    }

    /// To the nearest whole number, halves up.
    pub(crate) fn rounded(&self) -> Self {
        self.plus(&Self { digits: BigInt::from(5u8), scale: 1 }).floor()
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let (left, right, _) = self.aligned(other);
        left.cmp(&right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn amounts_are_exact() {
        assert_eq!(number("0.1").plus(&number("0.2")), number("0.30"));
        assert_eq!(number("19").times(&number("12.34")).divided_by(&100.into()).unwrap().to_text(), "2.3446");
        assert_eq!(number("1").divided_by(&3.into()).unwrap().to_text(), "0.333333333333333333");
        assert_eq!(number("2").divided_by(&number("-3")).unwrap().to_text(), "-0.666666666666666667");
        assert_eq!(number("-2.5").rounded().to_text(), "-2");
        assert_eq!(number("2.5").rounded().to_text(), "3");
        assert_eq!(number("-0.5").floor().to_text(), "-1");
        assert_eq!(number(" 007.50 ").to_text(), "7.5");
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in ["", " ", ".", "-", "1,5", "1e3", "1.2.3", "--1", "INF", "١"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
        assert_eq!(Decimal::parse(&"9".repeat(5_000)), None);
        assert_eq!(Decimal::parse_integer("1.0"), None);
    }

    #[test]
    fn an_iban_is_a_number_of_sixty_digits() {
        let iban = number("210501700012345678131468");
        assert_eq!(iban.remainder(&97.into()).unwrap(), 1.into());
    }

    #[test]
    fn doubles_are_taken_exactly() {
        assert_eq!(Decimal::from_double(0.5).unwrap().to_text(), "0.5");
        assert_eq!(
            Decimal::from_double(0.1).unwrap().to_text(),
            "0.1000000000000000055511151231257827021181583404541015625"
        );
        assert_eq!(Decimal::from_double(-3.0).unwrap(), number("-3"));
        assert_eq!(Decimal::from_double(f64::NAN), None);
    }
}
