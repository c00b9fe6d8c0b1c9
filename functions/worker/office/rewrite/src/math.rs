//! Equations as a line of Unicode text, much as people type them: `E=mc²`, `√(a+b)/2`, `∑_(i=1)^n i`.
//!
//! Reads Office Math (ECMA-376 part 1, 22.1), and writes its linear form after Unicode Technical Note 28.

use std::io;

use quick_xml::events::BytesStart;
use unicode_normalization::UnicodeNormalization;

use super::edit::{Tag, plain, scan, value};

/// Deeper structure is read as plain text.
const DEEPEST: usize = 64;

/// The equation in this element as one line.
pub(super) fn line(xml: &str) -> io::Result<String> {
    let mut equation = Equation { xml, open: vec![Element::default()], too_deep: 0, text: 0 };
    scan(xml, |range, tag| match tag {
        Tag::Start(tag) => equation.start(&tag, range.end),
        Tag::Empty(tag) => equation.property(&tag),
        Tag::End(name) => equation.end(&name, range.start),
    })?;
    Ok(equation.open.into_iter().map(Element::all).collect())
}

struct Equation<'a> {
    xml: &'a str,
    open: Vec<Element>,
    /// Open elements below the deepest that is read.
    too_deep: usize,
    /// Where the open text starts.
    text: usize,
}

/// An element, with the text of each part that is closed.
#[derive(Default)]
struct Element {
    name: String,
    properties: Vec<(String, String)>,
    parts: Vec<(String, String)>,
}

impl Equation<'_> {
    fn start(&mut self, tag: &BytesStart<'_>, end: usize) {
        self.text = end;
        self.property(tag);
        match self.open.len() < DEEPEST {
            true => self.open.push(Element { name: tag.name().as_ref().to_owned(), ..Element::default() }),
            false => self.too_deep += 1,
        }
    }

    /// Properties are elements with a value.
    fn property(&mut self, tag: &BytesStart<'_>) {
        if let (Some(element), Some(value)) = (self.open.last_mut(), value(tag, "m:val")) {
            element.properties.push((tag.name().as_ref().to_owned(), value));
        }
    }

    fn end(&mut self, name: &str, start: usize) {
        let text = match name {
            "m:t" => upright(&plain(self.xml, &(self.text..start)).unwrap_or_default()),
            _ => String::new(),
        };
        if self.too_deep > 0 {
            self.too_deep -= 1;
            self.add("m:t", text);
        } else if let Some(element) = self.open.pop() {
            if name.ends_with("Pr") {
                self.open
                    .last_mut()
                    .into_iter()
                    .for_each(|parent| parent.properties.extend_from_slice(&element.properties));
            } else {
                self.add(name, text + &element.line());
            }
        }
    }

    fn add(&mut self, name: &str, text: String) {
        match self.open.last_mut() {
            Some(parent) if !text.is_empty() => parent.parts.push((name.to_owned(), text)),
            Some(_) | None => {}
        }
    }
}

/// Letters of an alphabet for mathematics become those that people search for.
fn upright(text: &str) -> String {
    let is_styled = |letter| ('\u{1D400}'..='\u{1D7FF}').contains(&letter) || letter == 'ℎ';
    let plain = |letter: char| if is_styled(letter) { letter.nfkc().next().unwrap_or(letter) } else { letter };
    text.chars().map(plain).collect()
}

impl Element {
    fn part(&self, name: &str) -> &str {
        self.parts.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text)
    }

    fn property(&self, name: &str) -> Option<&str> {
        self.properties.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn all(self) -> String {
        self.parts.into_iter().map(|(_, text)| text).collect()
    }

    fn joined(&self, separator: &str) -> String {
        self.parts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(separator)
    }

    fn line(self) -> String {
        let e = || self.part("m:e");
        match self.name.as_str() {
            "m:sSup" => format!("{}{}", e(), raised(self.part("m:sup"))),
            "m:sSub" => format!("{}{}", e(), lowered(self.part("m:sub"))),
            "m:sSubSup" => format!("{}{}{}", e(), lowered(self.part("m:sub")), raised(self.part("m:sup"))),
            "m:sPre" => format!("{}{}{}", lowered(self.part("m:sub")), raised(self.part("m:sup")), e()),
            "m:f" => self.fraction(),
            "m:rad" => self.root(),
            "m:nary" => self.with_limits(),
            "m:d" => self.enclosed(),
            "m:func" => format!("{} {}", self.part("m:fName"), e()),
            "m:limLow" => format!("{}{}", e(), lowered(self.part("m:lim"))),
            "m:limUpp" => format!("{}{}", e(), raised(self.part("m:lim"))),
            "m:acc" => format!("{}{}", grouped(e()), self.property("m:chr").unwrap_or("\u{302}")),
            "m:bar" => format!("{}\u{305}", grouped(e())),
            "m:m" | "m:eqArr" => self.joined("; "),
            "m:mr" => self.joined(" "),
            _ => self.all(),
        }
    }

    fn fraction(&self) -> String {
        let bar = if self.property("m:type") == Some("noBar") { '¦' } else { '/' };
        format!("{}{bar}{}", grouped(self.part("m:num")), grouped(self.part("m:den")))
    }

    fn root(&self) -> String {
        let radicand = grouped(self.part("m:e"));
        match self.part("m:deg") {
            "" | "2" => format!("√{radicand}"),
            "3" => format!("∛{radicand}"),
            "4" => format!("∜{radicand}"),
            degree => format!("{}√{radicand}", raised(degree)),
        }
    }

    /// An operator such as ∑ or ∫.
    fn with_limits(&self) -> String {
        let operator = self.property("m:chr").unwrap_or("∫");
        format!("{operator}{}{} {}", lowered(self.part("m:sub")), raised(self.part("m:sup")), self.part("m:e"))
    }

    fn enclosed(&self) -> String {
        let sign = |name, default| self.property(name).unwrap_or(default);
        let [open, separator, close] = [sign("m:begChr", "("), sign("m:sepChr", "|"), sign("m:endChr", ")")];
        format!("{open}{}{close}", self.joined(separator))
    }
}

/// In parentheses, unless it can't be misread without them.
fn grouped(text: &str) -> String {
    let is_simple = text.chars().all(char::is_alphanumeric) || text.chars().count() == 1;
    let is_enclosed = text.starts_with('(') && text.find(')') == Some(text.len() - 1);
    if is_simple || is_enclosed { text.to_owned() } else { format!("({text})") }
}

/// Letters, and the same ones raised or lowered.
type Small = [&'static str; 2];
const RAISED: Small = ["0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ"];
const LOWERED: Small = ["0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"];

fn raised(text: &str) -> String {
    script(text, RAISED, '^')
}

fn lowered(text: &str) -> String {
    script(text, LOWERED, '_')
}

/// In small letters where Unicode has all of them, otherwise after a sign.
fn script(text: &str, [letters, small]: Small, sign: char) -> String {
    if text.is_empty() {
        return String::new();
    }
    let small = |letter| letters.chars().zip(small.chars()).find(|(known, _)| *known == letter).map(|(_, small)| small);
    let all: Option<String> = text.chars().map(small).collect();
    all.unwrap_or_else(|| format!("{sign}{}", grouped(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> String {
        format!("<m:r><a:rPr i=\"1\"/><m:t>{text}</m:t></m:r>")
    }

    fn element(name: &str, parts: &[(&str, &str)]) -> String {
        let parts: String = parts.iter().map(|(part, content)| format!("<m:{part}>{content}</m:{part}>")).collect();
        format!("<m:{name}>{parts}</m:{name}>")
    }

    fn read(content: &str) -> String {
        line(&format!("<a14:m><m:oMath>{content}</m:oMath></a14:m>")).unwrap()
    }

    #[test]
    fn equations_read_as_people_type_them() {
        let square = |base: &str| element("sSup", &[("e", &run(base)), ("sup", &run("2"))]);
        assert_eq!(read(&(run("𝐸=𝑚") + &square("𝑐"))), "E=mc²");
        assert_eq!(read(&element("f", &[("num", &run("a+b")), ("den", &run("2"))])), "(a+b)/2");
        assert_eq!(read(&element("rad", &[("deg", ""), ("e", &(square("a") + &run("+b")))])), "√(a²+b)");
        assert_eq!(read(&element("rad", &[("deg", &run("n")), ("e", &run("x"))])), "ⁿ√x");
        let limits = [("naryPr", "<m:chr m:val=\"∑\"/>"), ("sub", &run("k=1")), ("sup", &run("N")), ("e", &run("k"))];
        assert_eq!(read(&element("nary", &limits)), "∑ₖ₌₁^N k");
        let brackets = "<m:begChr m:val=\"[\"/><m:endChr m:val=\"\"/>";
        assert_eq!(read(&element("d", &[("dPr", brackets), ("e", &run("x")), ("e", &run("y"))])), "[x|y");
        let row = |texts: [&str; 2]| element("mr", &texts.map(run).each_ref().map(|text| ("e", text.as_str())));
        assert_eq!(
            read(&format!("<m:d><m:e><m:m>{}{}</m:m></m:e></m:d>", row(["1", "0"]), row(["0", "1"]))),
            "(1 0; 0 1)"
        );
        assert_eq!(read(&element("func", &[("fName", &run("sin")), ("e", &run("x &lt; y"))])), "sin x < y");
        assert_eq!(read(&element("sSub", &[("e", &run("x")), ("sub", &run("max"))])), "xₘₐₓ");
        assert_eq!(read(&element("sSub", &[("e", &run("x")), ("sub", &run("₀q"))])), "x_₀q");
        assert_eq!(read(&element("acc", &[("accPr", "<m:chr m:val=\"\u{303}\"/>"), ("e", &run("θ"))])), "θ\u{303}");
    }

    #[test]
    fn deep_nesting_is_read_as_text() {
        let deep = (0..10_000).fold(run("x"), |inner, _| format!("<m:d><m:e>{inner}</m:e></m:d>"));
        let text = read(&deep);
        assert!(text.contains('x') && text.len() < 2 * DEEPEST, "{text}");
    }
}
