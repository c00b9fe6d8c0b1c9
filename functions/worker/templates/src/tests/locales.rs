//! Numbers, money and dates as locales write them.

use serde_json::{Value, json};

use super::fixture::*;
use crate::{Failure, Format, Options, Template};

fn in_locale(locale: &str, zone: &str, template: &str, data: &Value) -> String {
    let options = Options { locale: locale.to_owned(), time_zone: zone.to_owned(), ..Options::default() };
    let template = Template::open(template.into(), Format::Html, options).unwrap();
    String::from_utf8(template.render(data).unwrap().bytes).unwrap()
}

#[test]
fn numbers_have_the_signs_of_the_locale() {
    let data = json!({"n": 1234567.891, "half": 0.125, "text": "1234.5"});
    let template = "{n | number} {n | number:2} {n | number:0} {text | number:2} {half | percent:1}";
    assert_eq!(in_locale("en-US", "UTC", template, &data), "1,234,567.891 1,234,567.89 1,234,568 1,234.50 12.5%");
    assert_eq!(in_locale("de-DE", "UTC", template, &data), "1.234.567,891 1.234.567,89 1.234.568 1.234,50 12,5\u{a0}%");
    assert_eq!(in_locale("en-IN", "UTC", "{n | number:0}", &data), "12,34,568");
    assert_eq!(in_locale("fr", "UTC", "{n | toFixed:1} {n | round:1}", &data), "1234567.9 1234567.9");
}

#[test]
fn money_has_the_currencys_sign_and_digits() {
    let data = json!({"n": 1234.5, "code": "CHF"});
    assert_eq!(in_locale("en-US", "UTC", "{n | currency:'USD'} {n | currency:'JPY'}", &data), "$1,234.50 ¥1,235");
    assert_eq!(in_locale("de-DE", "UTC", "{n | currency:'EUR'}", &data), "1.234,50\u{a0}€");
    assert_eq!(in_locale("en-GB", "UTC", "{n | currency:code}", &data), "CHF\u{a0}1,234.50");
}

#[test]
fn dates_are_written_in_the_time_zone_and_style() {
    let data = json!({"d": "2026-11-25", "t": "2026-11-25T23:30:00Z"});
    assert_eq!(
        in_locale("en-US", "UTC", "{d | date} {d | date:'short'} {d | date:'full'}", &data),
        "Nov 25, 2026 11/25/26 Wednesday, November 25, 2026"
    );
    assert_eq!(in_locale("de-AT", "Europe/Vienna", "{t | date:'long'} {t | time}", &data), "26. November 2026 00:30");
    assert_eq!(in_locale("ja", "Asia/Tokyo", "{t | date:'long'}", &data), "2026年11月26日");
    assert_eq!(
        in_locale("en", "UTC", "{d | date:'%d.%m.%Y'} {t | date:'iso'} {t | datetime:'iso'}", &data),
        "25.11.2026 2026-11-25 2026-11-25T23:30:00"
    );
}

#[test]
fn unknown_locales_and_zones_are_refused() {
    for (locale, zone) in [("not a locale", "UTC"), ("en", "Europe/Nowhere")] {
        let options = Options { locale: locale.to_owned(), time_zone: zone.to_owned(), ..Options::default() };
        assert!(matches!(Template::open(Vec::new(), Format::Html, options), Err(Failure::Options(_))));
    }
    let found =
        problems("{n | currency:'EURO'} {n | date} {t | date}".into(), Format::Html, &json!({"n": 1, "t": "soon"}));
    assert_eq!(found.len(), 3);
}
