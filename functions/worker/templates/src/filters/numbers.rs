//! Numbers, percentages and amounts of money as a locale writes them.

use fixed_decimal::{Decimal, SignedRoundingMode, UnsignedRoundingMode};
use icu_decimal::DecimalFormatter;
use icu_experimental::dimension::currency::CurrencyType;
use icu_experimental::dimension::currency::formatter::CurrencyFormatter;
use icu_experimental::dimension::percent::formatter::PercentFormatter;
use icu_locale_core::Locale;
use serde_json::Value;

use super::whole;
use crate::problem::{Failure, Fault};
use crate::value::{finite, number as as_number};

/// Most digits after the decimal sign.
const MOST_DIGITS: usize = 15;
/// Digits that are written if a filter names no number of them: at most these.
const USUAL_DIGITS: i16 = -3;

pub(super) struct Numbers {
    locale: Locale,
    plain: DecimalFormatter,
}

impl std::fmt::Debug for Numbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Numbers").field("locale", &self.locale).finish_non_exhaustive()
    }
}

impl Numbers {
    pub(super) fn new(locale: &Locale) -> Result<Self, Failure> {
        let plain = DecimalFormatter::try_new(locale.clone().into(), Default::default())
            .map_err(|_| Failure::Options(format!("Numbers can't be written in the locale `{locale}`.")))?;
        Ok(Self { locale: locale.clone(), plain })
    }

    pub(super) fn number(&self, value: &Value, argument: Option<&Value>) -> Result<String, Fault> {
        let decimal = rounded(exact(value)?, digits(argument, "number")?);
        Ok(self.plain.format(&decimal).to_string())
    }

    /// 0.19 is 19 %.
    pub(super) fn percent(&self, value: &Value, argument: Option<&Value>) -> Result<String, Fault> {
        let mut decimal = exact(value)?;
        decimal.multiply_pow10(2);
        decimal.absolute.trim_start();
        let decimal = rounded(decimal, digits(argument, "percent")?);
        let formatter = PercentFormatter::try_new(self.locale.clone().into(), Default::default())
            .map_err(|_| Fault::invalid("Percentages can't be written in this locale."))?;
        Ok(formatter.format(&decimal).to_string())
    }

    pub(super) fn currency(&self, value: &Value, argument: Option<&Value>) -> Result<String, Fault> {
        let code = argument.and_then(Value::as_str).unwrap_or_default();
        let known = code.len() == 3 && code.chars().all(|c| c.is_ascii_alphabetic());
        let currency = CurrencyType::try_from_str(&code.to_ascii_lowercase())
            .ok()
            .filter(|_| known)
            .ok_or_else(|| Fault::invalid("`currency` needs a code of three letters: `currency:'EUR'`."))?;
        let formatter = CurrencyFormatter::try_new_symbol(self.locale.clone().into(), currency, Default::default())
            .map_err(|_| Fault::invalid(format!("The currency `{code}` is unknown.")))?;
        let decimal = exact(value)?;
        Ok(formatter.format_fixed_decimal(&decimal).to_string())
    }
}

/// The digits as they are written: 0.1 stays 0.1.
fn exact(value: &Value) -> Result<Decimal, Fault> {
    let number = as_number(value)?;
    let text = match value.as_str() {
        Some(text) if !text.contains(['e', 'E']) => text.trim().to_owned(),
        Some(_) | None => number.to_string(),
    };
    text.parse().map_err(|_| Fault::unusable("The number is too large or too small to be written."))
}

fn digits(argument: Option<&Value>, filter: &str) -> Result<Option<i16>, Fault> {
    let digits = whole(argument, filter)?.filter(|digits| *digits <= MOST_DIGITS);
    match (digits.and_then(|digits| i16::try_from(digits).ok()), argument) {
        (None, Some(_)) => Err(Fault::invalid(format!("`{filter}` takes a number of digits from 0 to {MOST_DIGITS}."))),
        (digits, _) => Ok(digits),
    }
}

/// Exactly these digits after the decimal sign; without a number of them as many as are needed, up to three.
fn rounded(mut decimal: Decimal, digits: Option<i16>) -> Decimal {
    let mode = SignedRoundingMode::Unsigned(UnsignedRoundingMode::HalfExpand);
    match digits {
        Some(digits) => {
            decimal.round_with_mode(-digits, mode);
            decimal.absolute.pad_end(-digits);
        }
        None => {
            decimal.round_with_mode(USUAL_DIGITS, mode);
            decimal.absolute.trim_end();
        }
    }
    decimal
}

pub(super) fn fixed(value: &Value, argument: Option<&Value>) -> Result<String, Fault> {
    let digits = digits(argument, "toFixed")?.unwrap_or(0);
    Ok(rounded(exact(value)?, Some(digits)).to_string())
}

pub(super) fn round(value: &Value, argument: Option<&Value>) -> Result<Value, Fault> {
    let digits = digits(argument, "round")?.unwrap_or(0);
    let rounded = rounded(exact(value)?, Some(digits)).to_string();
    finite(rounded.parse().map_err(|_| Fault::unusable("The number can't be rounded."))?)
}
