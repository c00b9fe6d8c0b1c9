//! `convert-office` to a picture: LibreOffice prints the page, and the PDF tools draw it.

use docmill_domain::job::Warning;
use docmill_engine::{Failure, without_effect};
use docmill_formats::Format;
use serde::Deserialize;
use serde_json::{Value, json};

use super::PAGE_RANGE;

const DEFAULT_DPI: u16 = 150;

/// The options of a picture. Those of tables are only noted.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Picture {
    page: Option<u32>,
    dpi: Option<u16>,
    password: Option<String>,
    sheet: Option<Value>,
    separator: Option<Value>,
    encoding: Option<Value>,
}

impl Picture {
    /// `None` if another format is wanted. Fails if the options can't be read, although the tool's schema accepts them.
    pub(super) fn wanted(options: &Value) -> Result<Option<Self>, Failure> {
        if options["format"] != Format::Png.extension() {
            return Ok(None);
        }
        // The value may be a password, so the error is not shown.
        Self::deserialize(options).map(Some).map_err(|_| Failure::internal("options do not parse"))
    }

    /// How LibreOffice prints the page.
    pub(super) fn print(&self) -> Value {
        let mut print = json!({PAGE_RANGE: self.page.unwrap_or(1).to_string()});
        if let Some(password) = &self.password {
            print["password"] = json!(password);
        }
        print
    }

    /// How the page is drawn.
    pub(super) fn draw(&self) -> Value {
        json!({"format": Format::Png.extension(), "dpi": self.dpi.unwrap_or(DEFAULT_DPI)})
    }

    /// Requested options that are for tables.
    pub(super) fn without_effect(&self) -> Vec<Warning> {
        let given = [("sheet", &self.sheet), ("separator", &self.separator), ("encoding", &self.encoding)];
        let idle = given.into_iter().filter(|(_, value)| value.is_some());
        idle.map(|(name, _)| without_effect(name, Format::Csv.extension())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(options: &Value) -> Picture {
        Picture::wanted(options).unwrap().unwrap()
    }

    #[test]
    fn the_page_and_the_password_are_for_libreoffice() {
        let asked = picture(&json!({"format": "png", "page": 3, "dpi": 72, "password": "hunter2"}));
        assert_eq!(asked.print(), json!({"pageRange": "3", "password": "hunter2"}));
        assert_eq!(asked.draw(), json!({"format": "png", "dpi": 72}));
        let plain = picture(&json!({"format": "png"}));
        assert_eq!((plain.print(), plain.draw()), (json!({"pageRange": "1"}), json!({"format": "png", "dpi": 150})));
        assert!(Picture::wanted(&json!({"format": "csv"})).unwrap().is_none());
    }

    #[test]
    fn options_of_tables_are_reported() {
        let all = json!({"format": "png", "page": 1, "dpi": 100, "sheet": 1, "separator": ";", "encoding": "utf-8"});
        let warnings = picture(&all).without_effect();
        let details: Vec<_> = warnings.iter().filter_map(|warning| warning.detail.as_deref()).collect();
        assert_eq!(details, ["sheet", "separator", "encoding"]);
        assert_eq!(warnings[0].message, "`sheet` has no effect here: it needs the format csv.");
    }
}
