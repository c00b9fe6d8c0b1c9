//! Which character codes of each font a document shows. All content is read, even if unused: the answer may include too
//! many codes, but never too few. There is no answer where that is unknown.

use std::collections::{HashMap, HashSet};

use docmill_pdf_core::content;
use docmill_pdf_core::objects::{DEPTH, Lookup, unpacked};
use docmill_pdf_core::tokens::{self, Token, Tokens};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

/// The most bytes that the content of one page or form may unpack to.
const CONTENT_BYTES: usize = 64 << 20;
const SAVED_STATES: usize = 512;
const FONTS: usize = 4096;

/// A set of codes of one or two bytes.
#[derive(Clone, Debug, Default)]
pub struct Codes(Vec<u64>);

impl Codes {
    /// Adds a code.
    pub fn insert(&mut self, code: u16) {
        let word = usize::from(code / 64);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        if let Some(word) = self.0.get_mut(word) {
            *word |= 1 << (code % 64);
        }
    }

    /// Every code of a simple font.
    pub(crate) fn of_one_byte() -> Self {
        Self(vec![u64::MAX; 4])
    }

    /// Whether the code is in the set.
    pub fn contains(&self, code: u16) -> bool {
        self.0.get(usize::from(code / 64)).is_some_and(|word| word >> (code % 64) & 1 == 1)
    }

    /// All codes, the lowest first.
    pub fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        (0..=u16::MAX).take(self.0.len() * 64).filter(|code| self.contains(*code))
    }
}

/// Which codes of which fonts are shown.
#[derive(Debug, Default)]
pub struct Uses {
    /// The codes of each font, by the font's object.
    pub shown: HashMap<ObjectId, Codes>,
    /// Fonts that may be used for any text: those of forms, and of graphics states.
    pub open: HashSet<ObjectId>,
    /// Descriptors and font files that parts of other objects refer to: who uses them is not known.
    pub hidden: HashSet<ObjectId>,
}

/// `None` if any content can't be read, or shows text in a font that is chosen elsewhere.
pub fn find(document: &Document) -> Option<Uses> {
    search(document, Survey::default())
}

/// The same, without what an XFA form would show instead of the pages: its fonts may show any other codes.
pub fn find_on_pages(document: &Document) -> Option<Uses> {
    search(document, Survey { ignores_xfa: true, ..Survey::default() })
}

fn search<'d>(document: &'d Document, mut survey: Survey<'d>) -> Option<Uses> {
    for object in document.objects.values() {
        survey.look(document, object, 0)?;
    }
    let Survey { by_name, mut uses, .. } = survey;
    for object in document.objects.values() {
        if let Object::Stream(stream) = object
            && is_content(document, stream)
        {
            let own = document.child(&stream.dict, b"Resources");
            Reader { document, by_name: &by_name, uses: &mut uses, is_page: false }
                .read(&unpacked(stream, CONTENT_BYTES)?, own)?;
        }
        let Object::Dictionary(dict) = object else { continue };
        if dict.has(b"Contents") {
            let page = content::of_page(document, dict, CONTENT_BYTES)?;
            let resources = inherited(document, dict);
            Reader { document, by_name: &by_name, uses: &mut uses, is_page: true }.read(&page, resources)?;
        }
        if document.name(dict, b"Subtype") == Some(b"Type3") {
            let resources = document.child(dict, b"Resources");
            for (_, glyph) in document.child(dict, b"CharProcs").into_iter().flatten() {
                let Some(Object::Stream(glyph)) = document.resolve(glyph) else { continue };
                let mut reader = Reader { document, by_name: &by_name, uses: &mut uses, is_page: false };
                reader.read(&unpacked(glyph, CONTENT_BYTES)?, resources)?;
            }
        }
    }
    Some(uses)
}

/// What is collected before the content is read.
#[derive(Default)]
struct Survey<'d> {
    /// The fonts of all resources by name: content without resources of its own may use those of others.
    by_name: HashMap<&'d [u8], Vec<ObjectId>>,
    uses: Uses,
    ignores_xfa: bool,
}

impl<'d> Survey<'d> {
    fn look(&mut self, document: &'d Document, object: &'d Object, depth: usize) -> Option<()> {
        if let Object::Array(elements) = object {
            return elements.iter().try_for_each(|element| self.look(document, element, depth + 1));
        }
        let dict = object.as_dict().ok().or_else(|| object.as_stream().ok().map(|stream| &stream.dict));
        dict.map_or(Some(()), |dict| self.look_at(document, dict, depth))
    }

    fn look_at(&mut self, document: &'d Document, dict: &'d Dictionary, depth: usize) -> Option<()> {
        if dict.has(b"XFA") && !self.ignores_xfa {
            return None;
        }
        match dict.get(b"Font").ok().and_then(|font| document.resolve(font)) {
            // Of resources, by name.
            Some(Object::Dictionary(fonts)) => {
                for (name, font) in fonts {
                    if let Ok(id) = font.as_reference() {
                        let fonts = self.by_name.entry(name).or_default();
                        if !fonts.contains(&id) {
                            fonts.push(id);
                        }
                    }
                }
                (self.by_name.len() <= FONTS).then_some(())?;
            }
            // A graphics state with its size.
            Some(Object::Array(font)) => self.uses.open.extend(font.first().and_then(|font| font.as_reference().ok())),
            _ => {}
        }
        if let Some(fonts) = document.child(dict, b"DR").and_then(|resources| document.child(resources, b"Font")) {
            self.uses.open.extend(fonts.iter().filter_map(|(_, font)| font.as_reference().ok()));
        }
        if depth > 0 {
            let files = [b"FontDescriptor".as_slice(), b"FontFile", b"FontFile2", b"FontFile3", b"DescendantFonts"];
            for id in files.iter().filter_map(|key| dict.get(key).ok()?.as_reference().ok()) {
                self.uses.hidden.insert(id);
            }
        }
        dict.iter().try_for_each(|(_, value)| self.look(document, value, depth + 1))
    }
}

fn is_content(document: &Document, stream: &Stream) -> bool {
    let dict = &stream.dict;
    match document.name(dict, b"Subtype") {
        Some(b"Image") => false,
        Some(b"Form") => true,
        _ => dict.has(b"PatternType") || dict.has(b"BBox") || dict.has(b"Resources"),
    }
}

/// A page's resources, its own or those of the nodes above it.
fn inherited<'d>(document: &'d Document, page: &'d Dictionary) -> Option<&'d Dictionary> {
    let mut node = page;
    for _ in 0..DEPTH {
        if let Some(resources) = document.child(node, b"Resources") {
            return Some(resources);
        }
        node = document.child(node, b"Parent")?;
    }
    None
}

struct Reader<'r> {
    document: &'r Document,
    by_name: &'r HashMap<&'r [u8], Vec<ObjectId>>,
    uses: &'r mut Uses,
    /// A page begins without a font. Anything else may be drawn with the font of what draws it.
    is_page: bool,
}

/// The fonts that text may be shown in.
#[derive(Clone)]
enum Current {
    None,
    Fonts(Vec<(ObjectId, bool)>),
}

impl Reader<'_> {
    fn read(&mut self, content: &[u8], resources: Option<&Dictionary>) -> Option<()> {
        let fonts = resources.and_then(|resources| self.document.child(resources, b"Font"));
        let mut current = Current::None;
        let mut saved = Vec::new();
        let mut strings = Vec::new();
        let mut name = None;
        for token in Tokens::new(content) {
            match token {
                Token::Name(raw) => name = Some(raw),
                Token::Literal(raw) => strings.push(tokens::literal(raw)),
                Token::Hex(raw) => strings.push(tokens::hex(raw).into()),
                Token::Number(_) | Token::Other => {}
                Token::Operator(operator) => {
                    match operator {
                        b"q" if saved.len() >= SAVED_STATES => return None,
                        b"q" => saved.push(current.clone()),
                        b"Q" => current = saved.pop().unwrap_or(current),
                        b"Tf" => current = name.map_or(Current::None, |name| self.choose(name, fonts)),
                        b"Tj" | b"TJ" | b"'" | b"\"" => match &current {
                            Current::None if self.is_page => {}
                            Current::None => return None,
                            Current::Fonts(fonts) => self.show(fonts, &strings),
                        },
                        _ => {}
                    }
                    strings.clear();
                    name = None;
                }
            }
        }
        Some(())
    }

    fn choose(&self, name: &[u8], fonts: Option<&Dictionary>) -> Current {
        let name = tokens::name(name);
        let ids = match fonts.and_then(|fonts| fonts.get(&name).ok()) {
            Some(font) => font.as_reference().ok().into_iter().collect(),
            None => self.by_name.get(&*name).cloned().unwrap_or_default(),
        };
        let is_wide = |id| {
            let font = self.document.get_dictionary(id);
            font.is_ok_and(|font| self.document.name(font, b"Subtype") == Some(b"Type0"))
        };
        Current::Fonts(ids.into_iter().map(|id| (id, is_wide(id))).collect())
    }

    fn show(&mut self, fonts: &[(ObjectId, bool)], strings: &[std::borrow::Cow<'_, [u8]>]) {
        for (id, is_wide) in fonts {
            let codes = self.uses.shown.entry(*id).or_default();
            for text in strings {
                if *is_wide {
                    let (pairs, rest) = text.as_chunks();
                    let rest = rest.iter().map(|high| [*high, 0]);
                    pairs.iter().copied().chain(rest).for_each(|pair| codes.insert(u16::from_be_bytes(pair)));
                } else {
                    text.iter().for_each(|byte| codes.insert(u16::from(*byte)));
                }
            }
        }
    }
}
