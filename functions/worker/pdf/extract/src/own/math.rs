//! Equations of office documents as text in one line: `x^2`, `(a+b)/c`, `√(x)`.

use roxmltree::Node;

use super::package::{attribute, child, elements, is, path};

/// The linear text of an element of OMML. `depth`: levels that may yet be read.
pub(super) fn linear(node: Node<'_, '_>) -> String {
    let mut whole = String::new();
    write(node, &mut whole);
    whole
}

fn write(node: Node<'_, '_>, whole: &mut String) {
    for part in node.children().filter(Node::is_element) {
        let argument = |name| child(part, name).map(linear).unwrap_or_default();
        match part.tag_name().name() {
            "t" => whole.push_str(part.text().unwrap_or_default()),
            "f" => {
                let (above, below) = (argument("num"), argument("den"));
                *whole += &format!("{}/{}", grouped(&above), grouped(&below));
            }
            "sSup" => *whole += &format!("{}^{}", argument("e"), grouped(&argument("sup"))),
            "sSub" => *whole += &format!("{}_{}", argument("e"), grouped(&argument("sub"))),
            "sSubSup" => {
                *whole += &format!("{}_{}^{}", argument("e"), grouped(&argument("sub")), grouped(&argument("sup")));
            }
            "sPre" => {
                *whole += &format!("_{}^{}{}", grouped(&argument("sub")), grouped(&argument("sup")), argument("e"));
            }
            "rad" => {
                let degree = argument("deg");
                let sign = if degree.is_empty() { "\u{221a}".to_owned() } else { format!("root_{}", grouped(&degree)) };
                *whole += &format!("{sign}({})", argument("e"));
            }
            "nary" => {
                let sign = value(part, &["naryPr", "chr"]).unwrap_or("\u{222b}");
                whole.push_str(sign);
                let (below, above) = (argument("sub"), argument("sup"));
                if !below.is_empty() {
                    *whole += &format!("_{}", grouped(&below));
                }
                if !above.is_empty() {
                    *whole += &format!("^{}", grouped(&above));
                }
                *whole += &format!(" {}", argument("e"));
            }
            "d" => {
                let (begin, end) = (value(part, &["dPr", "begChr"]), value(part, &["dPr", "endChr"]));
                let separator = value(part, &["dPr", "sepChr"]).unwrap_or("|");
                let inner: Vec<_> = elements(part, "e").map(linear).collect();
                *whole += &format!("{}{}{}", begin.unwrap_or("("), inner.join(separator), end.unwrap_or(")"));
            }
            "m" => {
                let rows =
                    elements(part, "mr").map(|row| elements(row, "e").map(linear).collect::<Vec<_>>().join(" & "));
                *whole += &format!("[{}]", rows.collect::<Vec<_>>().join("; "));
            }
            "func" => *whole += &format!("{} {}", argument("fName"), argument("e")),
            "limLow" => *whole += &format!("{}_{}", argument("e"), grouped(&argument("lim"))),
            "limUpp" => *whole += &format!("{}^{}", argument("e"), grouped(&argument("lim"))),
            name if name.ends_with("Pr") => {}
            _ => write(part, whole),
        }
    }
}

fn value<'a>(node: Node<'a, '_>, names: &[&str]) -> Option<&'a str> {
    path(node, names).and_then(|node| attribute(node, "val"))
}

/// In brackets, unless it is a single sign or number.
fn grouped(text: &str) -> String {
    let is_single = text.chars().count() == 1 || text.chars().all(char::is_alphanumeric);
    if is_single { text.to_owned() } else { format!("({text})") }
}

/// Whether an element is an equation, in a line or of its own.
pub(super) fn is_equation(node: Node<'_, '_>) -> bool {
    is(node, "oMath") || is(node, "oMathPara")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_written_in_one_line() {
        let source = "<m><r><t>x</t></r><r><t>=</t></r><f><num><r><t>-b±</t></r><rad><deg/><e><sSup><e><r><t>b</t></r></e><sup><r><t>2</t></r></sup></sSup><r><t>-4ac</t></r></e></rad></num><den><r><t>2a</t></r></den></f></m>";
        let tree = roxmltree::Document::parse(source).unwrap();
        assert_eq!(linear(tree.root_element()), "x=(-b±√(b^2-4ac))/2a");
        let source = "<m><nary><naryPr><chr val='∑'/></naryPr><sub><r><t>i=1</t></r></sub><sup><r><t>n</t></r></sup><e><sSub><e><r><t>a</t></r></e><sub><r><t>i</t></r></sub></sSub></e></nary></m>";
        let tree = roxmltree::Document::parse(source).unwrap();
        assert_eq!(linear(tree.root_element()), "∑_(i=1)^n a_i");
    }
}
