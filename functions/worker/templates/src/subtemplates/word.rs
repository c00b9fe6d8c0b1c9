//! Brings a Word document into another one: its body, with what that refers to.

use std::collections::HashMap;
use std::io::Cursor;

use docmill_package::markup::{appended, applied, attributes, is_well_formed, root, scan};
use docmill_package::{Changes, Memory, Package, Packing, relations, types};

use super::parts::{Parts, TYPE};
use super::stretch::{Names, Stretch};
use super::{lists, notes, styles};
use crate::package;
use crate::problem::Failure;

/// The part with the text.
pub(super) const MAIN: &str = "word/document.xml";

/// A document that includes others, while it changes.
pub(super) struct Document {
    package: Package<Memory>,
    /// The parts that include others.
    hosts: Vec<String>,
    /// Parts that have changed, or are new.
    texts: HashMap<String, String>,
    added: Vec<(String, Vec<u8>)>,
    /// Bytes that the result may unpack to.
    most: usize,
    /// Bytes that the documents which are brought may yet unpack to.
    left: usize,
    /// How many documents were brought.
    brought: usize,
}

impl Document {
    pub(super) fn new(package: Package<Memory>, hosts: Vec<String>, most: usize) -> Self {
        Self { package, hosts, texts: HashMap::new(), added: Vec::new(), most, left: most, brought: 0 }
    }

    /// The body of a document whose names are those of this one.
    pub(super) fn bring(&mut self, bytes: &[u8]) -> Result<String, Failure> {
        self.brought += 1;
        let mut other = Parts::open(bytes.to_vec(), self.left)?;
        let source = other.needed(MAIN)?;
        let markup = scan(&source)?;
        let body = markup.named("body").next().map(|(_, body)| body.open.end..body.close.start.max(body.open.end));
        let range = body.ok_or_else(|| Failure::Corrupt("it has no body".to_owned()))?;
        // What its own document does not declare would not be declared in this one either.
        if source.contains(is_forbidden) || !is_well_formed(source.get(range.clone()).unwrap_or_default(), &source) {
            return Err(Failure::Corrupt("its XML is malformed".to_owned()));
        }
        let body = Stretch { source: &source, markup: &markup, range };

        let mut names = Names { relation: format!("docmillSub{}_", self.brought), ..Names::default() };
        let (footnotes, endnotes) = (other.related(MAIN, "footnotes")?, other.related(MAIN, "endnotes")?);
        let footnotes = notes::Notes::read(&notes::FOOTNOTES, footnotes, &body)?;
        let endnotes = notes::Notes::read(&notes::ENDNOTES, endnotes, &body)?;
        let style_sheet = other.related(MAIN, "styles")?.map(|(_, text)| text).unwrap_or_default();
        let numbering = other.related(MAIN, "numbering")?.map(|(_, text)| text);

        let mut used = styles::used(&body);
        let mut listed = body.values(&["numId"], "w:val");
        for notes in [&footnotes, &endnotes] {
            used.extend(notes.styles()?);
            listed.extend(notes.lists()?);
        }
        if let Some(copied) = styles::choose(&style_sheet, &self.part("styles")?, used, self.brought, &mut names)? {
            listed.extend(copied.lists());
            if let Some(numbering) = &numbering {
                self.lists(numbering, &listed, &mut names)?;
            }
            let new = copied.renamed(&names);
            self.change("styles", &style_sheet, |text| Ok(appended(text, &new)?))?;
        } else if let Some(numbering) = &numbering {
            self.lists(numbering, &listed, &mut names)?;
        }
        for notes in [footnotes, endnotes] {
            self.notes(notes, &mut other, &mut names)?;
        }
        let entries = other.copied(MAIN, &body.relations(), &names.relation, self.brought)?;
        for host in self.hosts.clone() {
            self.relate(&host, &entries)?;
            let text = self.text(&host)?.unwrap_or_default();
            let text = with_namespaces(&text, &source)?;
            self.texts.insert(host, text);
        }
        let made = body.renamed(&names);
        let (added, types, left) = other.finish();
        self.left = left;
        self.added.extend(added);
        self.declare(&types)?;
        Ok(made)
    }

    fn lists(&mut self, numbering: &str, used: &[String], names: &mut Names) -> Result<(), Failure> {
        let own = self.part("numbering")?;
        if let Some(new) = lists::chosen(numbering, &own, used, names)? {
            self.change("numbering", numbering, |text| lists::inserted(text, &new))?;
        }
        Ok(())
    }

    fn notes(&mut self, notes: notes::Notes<'_>, other: &mut Parts, names: &mut Names) -> Result<(), Failure> {
        let kind = notes.kind;
        let own = self.part(kind.part)?;
        let Some(copy) = notes.chosen(&own, names)? else { return Ok(()) };
        self.change(kind.part, &copy.source, |text| Ok(appended(text, &copy.xml)?))?;
        let entries = other.copied(&copy.part, &copy.relations, &names.relation, self.brought)?;
        let target = self.path(kind.part)?;
        self.relate(&target, &entries)
    }

    /// The package with everything that was brought; `None` if nothing was.
    pub(super) fn finish(mut self) -> Result<Option<Package<Memory>>, Failure> {
        if self.brought == 0 {
            return Ok(None);
        }
        let new: Vec<_> = self.texts.keys().filter(|name| !self.package.has(name)).cloned().collect();
        for name in new {
            let text = self.texts.remove(&name).unwrap_or_default();
            self.added.push((name, text.into_bytes()));
        }
        let changes = Changes { texts: self.texts, added: self.added.into_iter().collect(), ..Changes::default() };
        let bytes = self.package.write(changes, Packing::AsBefore, Cursor::new(Vec::new()))?.into_inner();
        package::open(bytes, self.most).map(Some)
    }

    fn text(&mut self, part: &str) -> Result<Option<String>, Failure> {
        match self.texts.get(part) {
            Some(text) => Ok(Some(text.clone())),
            None => Ok(self.package.text(part)?),
        }
    }

    /// Where the part with this kind of relationship is, or will be.
    fn path(&mut self, kind: &str) -> Result<String, Failure> {
        let related = self.text(&relations::part_of(MAIN))?;
        let related = related.map_or(Ok(Vec::new()), |source| relations::internal(MAIN, &source))?;
        let known = related.into_iter().find(|relation| relation.kind == kind);
        Ok(known.map_or_else(|| format!("word/{kind}.xml"), |relation| relation.target))
    }

    /// The part with this kind of relationship, or empty.
    fn part(&mut self, kind: &str) -> Result<String, Failure> {
        let path = self.path(kind)?;
        Ok(self.text(&path)?.unwrap_or_default())
    }

    /// Changes the part with this kind of relationship, or makes it, with the namespaces of the other document's part.
    fn change(
        &mut self,
        kind: &str,
        other: &str,
        changed: impl FnOnce(&str) -> Result<String, Failure>,
    ) -> Result<(), Failure> {
        let path = self.path(kind)?;
        let text = match self.text(&path)? {
            Some(text) => text,
            None => {
                self.relate(
                    MAIN,
                    &format!("<Relationship Id=\"docmill_{kind}\" Type=\"{TYPE}/{kind}\" Target=\"/{path}\"/>"),
                )?;
                let kind = format!("application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}+xml");
                self.declare(&types::of_part(&path, &kind))?;
                without_content(other)?
            }
        };
        let text = with_namespaces(&text, other)?;
        self.texts.insert(path, changed(&text)?);
        Ok(())
    }

    /// Adds relationships to a part.
    fn relate(&mut self, part: &str, entries: &str) -> Result<(), Failure> {
        if entries.is_empty() {
            return Ok(());
        }
        let name = relations::part_of(part);
        let text = self.text(&name)?.unwrap_or_else(|| relations::EMPTY.to_owned());
        let text = appended(&text, entries)?;
        self.texts.insert(name, text);
        Ok(())
    }

    /// Adds to the list of types.
    fn declare(&mut self, entries: &str) -> Result<(), Failure> {
        if entries.is_empty() {
            return Ok(());
        }
        let text = self.text(types::PART)?.ok_or_else(|| Failure::Corrupt("it has no list of types".to_owned()))?;
        let text = appended(&text, entries)?;
        self.texts.insert(types::PART.to_owned(), text);
        Ok(())
    }
}

/// A part's root alone.
fn without_content(text: &str) -> Result<String, Failure> {
    let markup = scan(text)?;
    let root = root(&markup)?;
    Ok(applied(text, vec![(root.open.end..root.close.start.max(root.open.end), String::new())]))
}

/// Characters that XML 1.0 (section 2.2) does not allow.
fn is_forbidden(character: char) -> bool {
    character.is_control() && !matches!(character, '\t' | '\n' | '\r' | '\u{7f}'..='\u{9f}')
}

/// A part that also declares the namespaces of another one.
fn with_namespaces(text: &str, other: &str) -> Result<String, Failure> {
    const IGNORABLE: &str = "mc:Ignorable";
    let (markup, other_markup) = (scan(text)?, scan(other)?);
    let (root, other_root) = (root(&markup)?, root(&other_markup)?);
    let own: HashMap<_, _> = attributes(text, root.open.clone()).into_iter().collect();
    let (mut new, mut edits) = (String::new(), Vec::new());
    for (name, place) in attributes(other, other_root.open.clone()) {
        let theirs = other.get(place).unwrap_or_default();
        match own.get(name).map(|place| (place, text.get(place.clone()).unwrap_or_default())) {
            Some((place, ours)) if name == IGNORABLE => {
                let missing =
                    theirs.split_whitespace().filter(|prefix| !ours.split_whitespace().any(|own| own == *prefix));
                let all: Vec<_> = ours.split_whitespace().chain(missing).collect();
                edits.push((place.clone(), all.join(" ")));
            }
            None if name.starts_with("xmlns:") || name == IGNORABLE => new += &format!(" {name}=\"{theirs}\""),
            Some((_, ours)) if name.starts_with("xmlns:") && ours != theirs => {
                return Err(Failure::Corrupt(format!(
                    "`{name}` is another namespace than in the template that includes it"
                )));
            }
            Some(_) | None => {}
        }
    }
    let end = root.open.start + 1 + root.name.len();
    edits.push((end..end, new));
    Ok(applied(text, edits))
}
