//! XML of parts, written element by element. Characters that XML has no place for are left out.

use std::fmt::Write as _;

use quick_xml::escape::escape;

pub(crate) const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

#[derive(Debug, Default)]
pub(crate) struct Xml(String);

pub(crate) type Attributes<'a> = &'a [(&'a str, &'a str)];

impl Xml {
    /// A part, which begins with its declaration.
    pub(crate) fn part() -> Self {
        Self(HEAD.to_owned())
    }

    fn tag(&mut self, name: &str, attributes: Attributes<'_>, end: &str) -> &mut Self {
        let _ = write!(self.0, "<{name}");
        for (key, value) in attributes {
            let value = clean(value).replace(['\t', '\n', '\r'], " ");
            let _ = write!(self.0, " {key}=\"{}\"", escape(value.as_str()));
        }
        self.0.push_str(end);
        self
    }

    pub(crate) fn open(&mut self, name: &str, attributes: Attributes<'_>) -> &mut Self {
        self.tag(name, attributes, ">")
    }

    pub(crate) fn empty(&mut self, name: &str, attributes: Attributes<'_>) -> &mut Self {
        self.tag(name, attributes, "/>")
    }

    pub(crate) fn close(&mut self, name: &str) -> &mut Self {
        let _ = write!(self.0, "</{name}>");
        self
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&escape(clean(text).as_str()));
        self
    }

    /// An element with nothing but text.
    pub(crate) fn holding(&mut self, name: &str, attributes: Attributes<'_>, text: &str) -> &mut Self {
        self.open(name, attributes).text(text).close(name)
    }

    /// Markup that is XML already.
    pub(crate) fn raw(&mut self, markup: &str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn finish(self) -> String {
        self.0
    }
}

/// A text without the characters that XML doesn't allow (XML 1.0, 2.2).
fn clean(text: &str) -> String {
    let is_allowed = |c: &char| matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}');
    text.chars().filter(is_allowed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_does_not_allow_is_left_out_and_the_rest_is_escaped() {
        let mut xml = Xml::default();
        xml.holding("a", &[("b", "1\n\"2\"\u{0}")], "x\u{1}<&\u{ffff}𝒳");
        assert_eq!(xml.finish(), "<a b=\"1 &quot;2&quot;\">x&lt;&amp;𝒳</a>");
    }
}
