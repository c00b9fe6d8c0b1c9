//! Finished PDF files: what an engine claims is checked here, and test output is marked here.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use docmill::domain::job::JobErrorCode;
use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, IncrementalDocument, LoadOptions, Object, ObjectId, Stream, dictionary};

use crate::engine::{Failure, Limits};
use crate::tree;

const HEAD_1_7: [u8; 8] = *b"%PDF-1.7";

/// Larger marked files are not rewritten.
const REWRITTEN_BYTES: u64 = 64 << 20;
/// Name of the watermark among a page's resources.
const MARK: &str = "DocmillTest";
/// What the watermark says, and its width in Helvetica Bold, in em.
const MARK_TEXT: &str = "TEST";
const MARK_EM: f32 = 2.556;
/// Height of a capital letter of Helvetica, in em.
const CAPITAL_EM: f32 = 0.718;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inspection {
    pub pages: u32,
    pub bytes: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum PdfError {
    #[error("not a PDF file")]
    NotPdf,
    #[error("damaged or truncated PDF file")]
    Damaged,
    #[error("a PDF file without pages")]
    NoPages,
    #[error("{pages} pages, where {limit} are allowed")]
    TooManyPages { pages: u32, limit: u32 },
    #[error("{bytes} bytes, where {limit} are allowed")]
    TooLarge { bytes: u64, limit: u64 },
    #[error("reading or writing the PDF file: {0}")]
    Io(#[from] io::Error),
    #[error("structure of the PDF file: {0}")]
    Structure(#[from] lopdf::Error),
}

impl From<PdfError> for Failure {
    fn from(error: PdfError) -> Self {
        let cause = error.to_string();
        match error {
            PdfError::NotPdf | PdfError::Damaged | PdfError::NoPages | PdfError::Structure(_) => Self::new(
                JobErrorCode::RenderFailed,
                "The conversion produced no usable PDF: check that the document opens and has content.",
                cause,
            ),
            PdfError::TooManyPages { pages, limit } => Self::new(
                JobErrorCode::PageLimitExceeded,
                format!("The result has {pages} pages, and {limit} are allowed: ask for a page range, or split it."),
                cause,
            ),
            PdfError::TooLarge { limit, .. } => Self::new(
                JobErrorCode::RenderFailed,
                format!("The result is larger than {} MiB: reduce its pictures, or split it.", limit >> 20),
                cause,
            ),
            PdfError::Io(_) => Self::new(JobErrorCode::Internal, "Something went wrong on our side.", cause),
        }
    }
}

/// Checks that `path`, to which nobody writes any more, holds a whole PDF file with at least one page and within the limits.
pub fn inspect(path: &Path, limits: &Limits) -> Result<Inspection, PdfError> {
    let mut file = tree::open_written(path).map_err(|_| PdfError::NotPdf)?;
    let bytes = file.metadata()?.len();
    if bytes > limits.output_bytes {
        return Err(PdfError::TooLarge { bytes, limit: limits.output_bytes });
    }
    if !starts_like_pdf(&mut file)? {
        return Err(PdfError::NotPdf);
    }
    // Reads the file once and parses its cross references, catalogue and page tree root alone.
    let metadata = Document::load_metadata_from(BufReader::new(file)).map_err(|_| PdfError::Damaged)?;
    if metadata.xref_recovery.is_some() || metadata.encrypted {
        return Err(PdfError::Damaged);
    }
    match metadata.page_count {
        0 => Err(PdfError::NoPages),
        pages if pages > limits.pages => Err(PdfError::TooManyPages { pages, limit: limits.pages }),
        pages => Ok(Inspection { pages, bytes }),
    }
}

fn starts_like_pdf(file: &mut File) -> io::Result<bool> {
    let mut head = Vec::with_capacity(5);
    Read::take(&mut *file, 5).read_to_end(&mut head)?;
    file.rewind()?;
    Ok(head == b"%PDF-")
}

/// Declares a PDF of an earlier version to be one of 1.7, of which all earlier ones are a part.
pub fn declare_1_7(path: &Path) -> io::Result<()> {
    let mut file = File::options().read(true).write(true).open(path)?;
    let mut head = [0; HEAD_1_7.len()];
    file.read_exact(&mut head)?;
    if head.starts_with(b"%PDF-1.") && head < HEAD_1_7 {
        file.rewind()?;
        file.write_all(&HEAD_1_7)?;
    }
    Ok(())
}

/// Draws a large semi-transparent diagonal "TEST" over every page, in place.
///
/// The marks are appended as an incremental update: the file's own bytes are kept as they are, and only its structure,
/// not the content of its streams, is held in memory beside them.
pub fn watermark_test(path: &Path) -> Result<(), PdfError> {
    let bytes = std::fs::read(path)?;
    let structure = LoadOptions { filter: Some(drop_stream_content), ..LoadOptions::default() };
    let previous = Document::load_mem_with_options(&bytes, structure)?;
    let pages: Vec<ObjectId> = previous.page_iter().collect();
    let mut marked = IncrementalDocument::create_from(bytes, previous);
    let shared = SharedObjects::add(&mut marked.new_document)?;
    for page in pages {
        mark_page(&mut marked, page, &shared)?;
    }
    replace(path, &mut marked)?;
    forget_unmarked(path)
}

/// Rewrites the file without the revision that has no mark, which could be had back by cutting the file short. That takes
/// several times the file's size in memory: very large ones keep both.
fn forget_unmarked(path: &Path) -> Result<(), PdfError> {
    if std::fs::metadata(path)?.len() <= REWRITTEN_BYTES {
        Document::load(path)?.save(path)?;
    }
    Ok(())
}

/// Streams are only referred to, never read: a byte of each is left, since the reader fetches empty ones again.
/// The reader takes what is returned from object streams, and what is left in place elsewhere.
fn drop_stream_content(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    if let Object::Stream(stream) = object
        && !stream.dict.has_type(b"ObjStm")
        && !stream.dict.has_type(b"XRef")
    {
        stream.content = vec![b' '];
    }
    Some((id, object.clone()))
}

fn replace(path: &Path, marked: &mut IncrementalDocument) -> Result<(), PdfError> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut file = BufWriter::new(tempfile::NamedTempFile::new_in(directory)?);
    marked.save_to(&mut file)?;
    file.flush()?;
    let file = file.into_inner().map_err(|error| error.into_error())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Objects that all marked pages share.
struct SharedObjects {
    /// Saves the graphics state before the page's own content, which may leave it changed.
    save: ObjectId,
    /// The word, in a unit of one em, centred on the origin.
    word: ObjectId,
}

impl SharedObjects {
    fn add(document: &mut Document) -> Result<Self, lopdf::Error> {
        let save = document.add_object(Stream::new(Dictionary::new(), b"q\n".to_vec()));
        let font = document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica-Bold",
        });
        let transparency = document.add_object(dictionary! { "Type" => "ExtGState", "ca" => 0.3, "CA" => 0.3 });
        let resources = dictionary! {
            "Font" => dictionary! { "F" => font },
            "ExtGState" => dictionary! { "G" => transparency },
        };
        let half = MARK_EM / 2.0;
        let form = dictionary! {
            "Type" => "XObject", "Subtype" => "Form", "Resources" => resources,
            "BBox" => vec![(-half).into(), Object::Real(-0.5), half.into(), Object::Real(0.75)],
        };
        let word = document.add_object(Stream::new(form, word_content()?));
        Ok(Self { save, word })
    }
}

fn word_content() -> Result<Vec<u8>, lopdf::Error> {
    let operations = vec![
        Operation::new("gs", vec!["G".into()]),
        Operation::new("rg", vec![0.8.into(), 0.1.into(), 0.1.into()]),
        Operation::new("BT", vec![]),
        Operation::new("Tf", vec!["F".into(), 1.into()]),
        Operation::new("Td", vec![(-MARK_EM / 2.0).into(), (-CAPITAL_EM / 2.0).into()]),
        Operation::new("Tj", vec![Object::string_literal(MARK_TEXT)]),
        Operation::new("ET", vec![]),
    ];
    Content { operations }.encode()
}

fn mark_page(marked: &mut IncrementalDocument, page: ObjectId, shared: &SharedObjects) -> Result<(), PdfError> {
    let previous = marked.get_prev_documents();
    let (visible, rotation) = (visible_box(previous, page), rotation(previous, page));
    let matrices = [diagonal(visible, rotation), upright(visible, rotation)];
    let own = own_contents(previous, page);
    marked.add_xobject(page, MARK, shared.word)?;
    let draw = marked.new_document.add_object(Stream::new(Dictionary::new(), draw_content(matrices)?));
    let contents: Vec<Object> = std::iter::once(shared.save.into()).chain(own).chain([draw.into()]).collect();
    marked.new_document.get_dictionary_mut(page)?.set("Contents", contents);
    Ok(())
}

/// The page's content streams, in order.
fn own_contents(document: &Document, page: ObjectId) -> Vec<Object> {
    document.get_page_contents(page).into_iter().map(Object::Reference).collect()
}

/// An artifact: a tagged PDF's reading order does not contain it.
fn draw_content(matrices: [[f32; 6]; 2]) -> Result<Vec<u8>, lopdf::Error> {
    let mut operations = vec![Operation::new("Q", vec![]), Operation::new("BMC", vec!["Artifact".into()])];
    for matrix in matrices {
        operations.extend([
            Operation::new("q", vec![]),
            Operation::new("cm", matrix.into_iter().map(Object::Real).collect()),
            Operation::new("Do", vec![MARK.into()]),
            Operation::new("Q", vec![]),
        ]);
    }
    operations.push(Operation::new("EMC", vec![]));
    // A content stream may end without white space, and is joined to its neighbours.
    let mut content = b"\n".to_vec();
    content.extend(Content { operations }.encode()?);
    Ok(content)
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Rectangle {
    left: f32,
    bottom: f32,
    right: f32,
    top: f32,
}

impl Rectangle {
    const LETTER: Self = Self { left: 0.0, bottom: 0.0, right: 612.0, top: 792.0 };

    /// The corners may be given in any order. `None` if they enclose nothing.
    fn parse(document: &Document, array: &Object) -> Option<Self> {
        let corners: Vec<f32> = array
            .as_array()
            .ok()?
            .iter()
            .filter_map(|number| document.dereference(number).ok()?.1.as_float().ok())
            .collect();
        let [x1, y1, x2, y2] = corners.try_into().ok()?;
        Self { left: x1.min(x2), bottom: y1.min(y2), right: x1.max(x2), top: y1.max(y2) }.not_empty()
    }

    fn not_empty(self) -> Option<Self> {
        (self.right > self.left && self.top > self.bottom).then_some(self)
    }

    fn intersection(self, other: Self) -> Option<Self> {
        Self {
            left: self.left.max(other.left),
            bottom: self.bottom.max(other.bottom),
            right: self.right.min(other.right),
            top: self.top.min(other.top),
        }
        .not_empty()
    }
}

/// What of the page a viewer shows, in the page's own units.
fn visible_box(document: &Document, page: ObjectId) -> Rectangle {
    let rectangle = |key| inherited(document, page, key).and_then(|array| Rectangle::parse(document, array));
    let media = rectangle(b"MediaBox".as_slice()).unwrap_or(Rectangle::LETTER);
    rectangle(b"CropBox".as_slice()).and_then(|crop| crop.intersection(media)).unwrap_or(media)
}

/// Degrees by which a viewer turns the page clockwise.
fn rotation(document: &Document, page: ObjectId) -> i64 {
    inherited(document, page, b"Rotate").and_then(|degrees| degrees.as_i64().ok()).unwrap_or(0).rem_euclid(360)
}

/// An attribute of a page, or of the nearest ancestor that has it.
fn inherited<'a>(document: &'a Document, page: ObjectId, key: &[u8]) -> Option<&'a Object> {
    /// Far deeper than any page tree; ends the walk in one that is circular.
    const DEPTH: usize = 64;
    let mut node = document.get_dictionary(page).ok()?;
    for _ in 0..DEPTH {
        if let Ok(value) = node.get_deref(key, document) {
            return Some(value);
        }
        node = node.get_deref(b"Parent", document).ok()?.as_dict().ok()?;
    }
    None
}

/// The transformation that puts the word along the rising diagonal of the page as a viewer shows it.
fn diagonal(visible: Rectangle, rotation: i64) -> [f32; 6] {
    let (width, height) = (visible.right - visible.left, visible.top - visible.bottom);
    let (shown_width, shown_height) = if rotation % 180 == 90 { (height, width) } else { (width, height) };
    let along = 0.7 * shown_width.hypot(shown_height) / MARK_EM;
    // A long narrow page has a long diagonal and no room for letters of that size.
    let size = along.min(0.8 * width.min(height));
    let angle = shown_height.atan2(shown_width) + (rotation as f32).to_radians();
    let (sine, cosine) = angle.sin_cos();
    let (x, y) = ((visible.left + visible.right) / 2.0, (visible.bottom + visible.top) / 2.0);
    [size * cosine, size * sine, -size * sine, size * cosine, x, y]
}

/// The transformation that puts the word, small and upright, into the lower left corner of the page as a viewer shows it:
/// programs that extract text take slanted letters apart.
fn upright(visible: Rectangle, rotation: i64) -> [f32; 6] {
    const SIZE: f32 = 12.0;
    let corner = match rotation {
        90 => (visible.right, visible.bottom),
        180 => (visible.right, visible.top),
        270 => (visible.left, visible.top),
        _ => (visible.left, visible.bottom),
    };
    let (right, up) = (SIZE * (MARK_EM / 2.0 + 0.5), SIZE);
    let (sine, cosine) = (rotation as f32).to_radians().sin_cos();
    let (x, y) = (corner.0 + cosine * right - sine * up, corner.1 + sine * right + cosine * up);
    [SIZE * cosine, SIZE * sine, -SIZE * sine, SIZE * cosine, x, y]
}

#[cfg(test)]
mod tests;
