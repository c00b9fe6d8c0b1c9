//! An update that is appended to a file. Everything before it stays as it is, byte for byte.

use std::collections::BTreeMap;
use std::io::Write as _;

use lopdf::encryption::encrypt_object;
use lopdf::{Dictionary, Object, ObjectId, StringFormat, Writer, dictionary};

use super::Unsignable;
use crate::cms::keys::Hash;
use crate::file::{Entry, View, dict_of};

/// What the last trailer says, and the new one repeats.
const KEPT: [&[u8]; 3] = [b"Root", b"Info", b"Encrypt"];
/// The width of a number in a byte range that is not known yet.
const NUMBER_WIDTH: usize = 10;
/// Bytes of a file's identifier.
const IDENTIFIER_BYTES: usize = 16;

/// The objects that an update changes or adds.
#[derive(Debug)]
pub(crate) struct Update<'v, 'b> {
    view: &'v View<'b>,
    next: u32,
    objects: BTreeMap<u32, Object>,
}

/// A signature dictionary whose signature comes later.
#[derive(Debug)]
pub(crate) struct Blank {
    pub(crate) number: u32,
    /// Without `ByteRange` and `Contents`.
    pub(crate) dict: Dictionary,
    /// Bytes of the signature.
    pub(crate) reserved: usize,
}

/// The bytes to append.
#[derive(Debug)]
pub(crate) struct Appended {
    pub(crate) bytes: Vec<u8>,
    /// Where the gap for the signature is in the whole file, with its brackets.
    pub(crate) gap: std::ops::Range<usize>,
}

impl<'v, 'b> Update<'v, 'b> {
    pub(crate) fn new(view: &'v View<'b>) -> Self {
        Self { view, next: view.free_number(), objects: BTreeMap::new() }
    }

    /// The number of a new object.
    pub(crate) fn number(&mut self) -> u32 {
        self.next = self.next.saturating_add(1);
        self.next - 1
    }

    pub(crate) fn put(&mut self, number: u32, object: impl Into<Object>) {
        self.objects.insert(number, object.into());
    }

    pub(crate) fn add(&mut self, object: impl Into<Object>) -> u32 {
        let number = self.number();
        self.put(number, object);
        number
    }

    /// Takes objects over that were numbered from this update's next number on.
    pub(crate) fn adopt(&mut self, objects: impl IntoIterator<Item = (ObjectId, Object)>) {
        for (id, object) in objects {
            self.next = self.next.max(id.0.saturating_add(1));
            self.put(id.0, object);
        }
    }

    /// An object as it will be.
    pub(crate) fn object(&self, number: u32) -> Option<Object> {
        self.objects.get(&number).cloned().or_else(|| self.view.object(number))
    }

    /// The same of a dictionary.
    pub(crate) fn dictionary(&self, number: u32) -> Result<Dictionary, Unsignable> {
        self.object(number).and_then(dict_of).ok_or(Unsignable::Unreadable("an object is no dictionary"))
    }

    /// A reference to an object as it will be.
    pub(crate) fn reference(&self, number: u32) -> Object {
        Object::Reference((number, self.generation(number)))
    }

    /// Adds a reference to a list of a dictionary. The list may be an object of its own.
    pub(crate) fn push(&mut self, owner: u32, key: &[u8], entry: u32) -> Result<(), Unsignable> {
        let mut dict = self.dictionary(owner)?;
        let value = dict.get(key).ok().cloned();
        let own = value.as_ref().and_then(|value| value.as_reference().ok()).map(|id| id.0);
        let items = match own {
            Some(number) => self.object(number),
            None => value,
        };
        let Some(Object::Array(mut items)) = items.or_else(|| Some(Vec::new().into())) else {
            return Err(Unsignable::Unreadable("a list is not an array"));
        };
        items.push(self.reference(entry));
        match own {
            Some(number) => self.put(number, items),
            None => {
                dict.set(key, items);
                self.put(owner, dict);
            }
        }
        Ok(())
    }

    fn generation(&self, number: u32) -> u16 {
        match self.view.entry(number) {
            Entry::At { generation, .. } => generation,
            Entry::Free | Entry::Packed { .. } => 0,
        }
    }

    /// Writes the update for the end of the file.
    pub(crate) fn write(mut self, blank: Blank) -> Result<Appended, Unsignable> {
        let mut out = self.write_objects()?;
        let gap = self.write_blank(&mut out, blank)?;
        self.finish(&mut out)?;
        let end = out.place();
        out.fill_range(&gap, end)?;
        Ok(Appended { bytes: out.bytes, gap: gap.contents })
    }

    /// The same without a signature.
    pub(crate) fn write_plain(mut self) -> Result<Vec<u8>, Unsignable> {
        let mut out = self.write_objects()?;
        self.finish(&mut out)?;
        Ok(out.bytes)
    }

    fn write_objects(&mut self) -> Result<Out, Unsignable> {
        let mut out = Out { start: self.view.bytes().len(), bytes: b"\n".to_vec(), places: BTreeMap::new() };
        for (number, mut object) in std::mem::take(&mut self.objects) {
            let id = (number, self.generation(number));
            self.encrypt(id, &mut object)?;
            out.begin(id);
            out.object(&object)?;
            out.end();
        }
        Ok(out)
    }

    /// Writes the table of the update's objects, and the end of the file.
    fn finish(&mut self, out: &mut Out) -> Result<(), Unsignable> {
        let table = if self.is_stream() { self.write_stream(out)? } else { self.write_table(out)? };
        out.text(&format!("startxref\n{table}\n%%EOF\n"));
        Ok(())
    }

    fn encrypt(&self, id: ObjectId, object: &mut Object) -> Result<(), Unsignable> {
        let Some(key) = self.view.key() else { return Ok(()) };
        encrypt_object(key, id, object).map_err(|_| Unsignable::Unreadable("the update can't be encrypted"))
    }

    /// Writes a signature dictionary with a gap. `Contents` is the only string that is never encrypted.
    fn write_blank(&self, out: &mut Out, blank: Blank) -> Result<Gap, Unsignable> {
        let id = (blank.number, self.generation(blank.number));
        let mut object = Object::Dictionary(blank.dict);
        self.encrypt(id, &mut object)?;
        out.begin(id);
        out.object(&object)?;
        if !out.bytes.ends_with(b">>") {
            return Err(Unsignable::Unreadable("a dictionary does not end"));
        }
        out.bytes.truncate(out.bytes.len() - 2);
        out.text("/ByteRange [0 ");
        let numbers = out.bytes.len();
        out.text(&" ".repeat(3 * (NUMBER_WIDTH + 1)));
        out.text("]/Contents ");
        let first = out.place();
        out.text(&format!("<{}>", "0".repeat(2 * blank.reserved)));
        let contents = first..out.place();
        out.text(">>");
        out.end();
        Ok(Gap { numbers, contents })
    }

    /// Whether the file's last table is a stream: then so must be the next.
    fn is_stream(&self) -> bool {
        self.view.revision.trailer().is_some_and(|trailer| trailer.has_type(b"XRef"))
    }

    /// What both kinds of tables say at their end.
    fn trailer(&self, out: &Out) -> Dictionary {
        let last = self.view.revision.trailer().cloned().unwrap_or_default();
        let mut trailer = dictionary! { "Size" => i64::from(self.next) };
        for key in KEPT {
            if let Ok(value) = last.get(key) {
                trailer.set(key, value.clone());
            }
        }
        let previous = self.view.revision.sections.first().map_or(0, |section| section.start);
        trailer.set("Prev", i64::try_from(previous).unwrap_or_default());
        let mut fresh = Hash::Sha256.digest(&[&out.bytes]);
        fresh.truncate(IDENTIFIER_BYTES);
        let fresh = Object::String(fresh, StringFormat::Hexadecimal);
        // The first part stays with the file: it can be part of its encryption.
        let first = self.view.array(&last, b"ID").into_iter().next().unwrap_or_else(|| fresh.clone());
        trailer.set("ID", vec![first, fresh]);
        trailer
    }

    fn write_table(&self, out: &mut Out) -> Result<usize, Unsignable> {
        let place = out.place();
        let trailer = self.trailer(out);
        out.text("xref\n");
        for (number, offset) in out.places.clone() {
            out.text(&format!("{number} 1\n{offset:010} {:05} n \n", self.generation(number)));
        }
        out.text("trailer\n");
        out.object(&Object::Dictionary(trailer))?;
        out.text("\n");
        Ok(place)
    }

    fn write_stream(&mut self, out: &mut Out) -> Result<usize, Unsignable> {
        let own = self.number();
        let mut head = self.trailer(out);
        let place = out.place();
        out.begin((own, 0));
        let (mut index, mut rows) = (Vec::new(), Vec::new());
        for (number, offset) in &out.places {
            index.extend([Object::from(i64::from(*number)), Object::from(1)]);
            rows.push(1);
            rows.extend((*offset as u64).to_be_bytes());
            rows.extend(self.generation(*number).to_be_bytes());
        }
        head.set("Type", "XRef");
        head.set("W", vec![1.into(), 8.into(), 2.into()]);
        head.set("Index", index);
        head.set("Length", i64::try_from(rows.len()).unwrap_or_default());
        out.object(&Object::Dictionary(head))?;
        out.text("\nstream\n");
        out.bytes.extend(rows);
        out.text("\nendstream");
        out.end();
        Ok(place)
    }
}

/// What a signature dictionary leaves open.
#[derive(Debug)]
struct Gap {
    /// Where the three numbers of its byte range belong, in the update.
    numbers: usize,
    contents: std::ops::Range<usize>,
}

/// The update's bytes, and where its objects are in the whole file.
#[derive(Debug)]
struct Out {
    start: usize,
    bytes: Vec<u8>,
    places: BTreeMap<u32, usize>,
}

impl Out {
    fn place(&self) -> usize {
        self.start + self.bytes.len()
    }

    fn text(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn begin(&mut self, id: ObjectId) {
        self.places.insert(id.0, self.place());
        self.text(&format!("{} {} obj\n", id.0, id.1));
    }

    fn end(&mut self) {
        self.text("\nendobj\n");
    }

    fn object(&mut self, object: &Object) -> Result<(), Unsignable> {
        Writer::write_object(&mut self.bytes, object).map_err(|_| Unsignable::Unreadable("an object can't be written"))
    }

    /// Writes the byte range: all but the gap.
    fn fill_range(&mut self, gap: &Gap, end: usize) -> Result<(), Unsignable> {
        let Gap { numbers, contents } = gap;
        let rest = end.saturating_sub(contents.end);
        let mut place = self.bytes.get_mut(*numbers..).unwrap_or_default();
        let width = NUMBER_WIDTH;
        write!(place, "{:<width$} {:<width$} {:<width$}", contents.start, contents.end, rest)
            .map_err(|_| Unsignable::Unreadable("the file is too large"))
    }
}
