//! Writes links.

use serde_json::Value;

use super::{Filler, Writing, exhausted};
use crate::data::{Missed, Scope, evaluate};
use crate::links::{self, Address};
use crate::options::Missing;
use crate::problem::{Failure, Fault};
use crate::rich;
use crate::tag::Link;
use crate::tree::{Anchor, Held, Target};
use crate::value::text_of;

const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const XLINK: &str = "http://www.w3.org/1999/xlink";

impl Filler<'_> {
    /// Writes the address of a link that the template has.
    pub(super) fn address(
        &mut self,
        writing: &mut Writing<'_>,
        index: usize,
        held: &Held,
        value: &Value,
    ) -> Result<(), Failure> {
        match text_of(value).and_then(|text| Address::parse(&text)) {
            Ok(Some(address)) => match held {
                Held::Attribute => self.write_value(writing, address.as_str(), &Target::Html),
                Held::Relation(_) => {
                    let id = writing.relate(address);
                    self.write(writing, &id)
                }
            },
            Ok(None) => self.fault(writing, index, Fault::unusable("The address of this link is empty.")),
            Err(fault) => self.fault(writing, index, fault),
        }
    }

    /// Writes a link of the data.
    pub(super) fn link(
        &mut self,
        writing: &mut Writing<'_>,
        index: usize,
        (link, anchor): (&Link, &Anchor),
        value: &Value,
        scope: &Scope<'_>,
    ) -> Result<(), Failure> {
        let text = match link.text.as_ref().map(|text| evaluate(text, scope, self.formats)).transpose() {
            Ok(text) => text,
            Err(Missed::Exhausted) => return Err(exhausted()),
            Err(Missed::Faulty(fault)) => return self.fault(writing, index, fault),
            Err(Missed::Unknown(path)) if self.missing == Missing::Error => {
                return self.fault(writing, index, scope.unknown(&path));
            }
            // Without a text, the address is shown.
            Err(Missed::Unknown(_)) => None,
        };
        let own = text.as_ref().map(|found| text_of(&found.value)).transpose();
        match own.and_then(|own| Ok((own, links::Link::of(value)?))) {
            Ok((own, Some(link))) => {
                let text = own.filter(|text| !text.trim().is_empty()).unwrap_or(link.text);
                self.anchored(writing, anchor, link.address, &text)
            }
            Ok((_, None)) => Ok(()),
            Err(fault) => self.fault(writing, index, fault),
        }
    }

    fn anchored(
        &mut self,
        writing: &mut Writing<'_>,
        anchor: &Anchor,
        address: Address,
        text: &str,
    ) -> Result<(), Failure> {
        let plain = Target::xml(" ", " ");
        match anchor {
            Anchor::Field { looks, properties } => {
                let runs = rich::link(address.as_str(), text, looks);
                self.write(writing, &format!("</w:t></w:r>{runs}<w:r>{properties}<w:t xml:space=\"preserve\">"))
            }
            Anchor::Run { properties, before, after } => {
                let id = writing.relate(address);
                let link = format!("<a:hlinkClick xmlns:r=\"{RELATIONS}\" r:id=\"{id}\"/>");
                self.write(writing, &format!("</a:t></a:r><a:r>{before}{link}{after}<a:t>"))?;
                self.write_value(writing, text, &plain)?;
                self.write(writing, &format!("</a:t></a:r><a:r>{properties}<a:t>"))
            }
            Anchor::Element { prefix } => {
                self.write(
                    writing,
                    &format!("<{prefix}:a xmlns:xlink=\"{XLINK}\" xlink:type=\"simple\" xlink:href=\""),
                )?;
                self.write_value(writing, address.as_str(), &Target::Html)?;
                self.write(writing, "\">")?;
                self.write_value(writing, text, &plain)?;
                self.write(writing, &format!("</{prefix}:a>"))
            }
            Anchor::Html => {
                self.write(writing, "<a href=\"")?;
                self.write_value(writing, address.as_str(), &Target::Html)?;
                self.write(writing, "\">")?;
                self.write_value(writing, text, &Target::Html)?;
                self.write(writing, "</a>")
            }
            Anchor::Markdown => {
                self.write(writing, "[")?;
                self.write_value(writing, text, &Target::Markdown)?;
                self.write(writing, &format!("](<{}>)", address.as_str()))
            }
            // A mistake was reported.
            Anchor::Nowhere => Ok(()),
        }
    }
}
