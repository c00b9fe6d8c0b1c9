//! Small documents with a word to redact, each in another place.

use docmill_formats::Format;
use image::{DynamicImage, GrayImage, Luma};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

/// The text to redact, and the text that stays.
pub(super) const SECRET: &str = "Griffinshire";
pub(super) const PUBLIC: &str = "Harvest";

/// A document of one page, 300 by 200 points, under construction.
pub(super) struct Made {
    pub(super) document: Document,
    pub(super) page: ObjectId,
    pub(super) catalog: ObjectId,
}

/// A page with this content after a line that stays.
pub(super) fn made(content: &str) -> Made {
    let mut document = Document::with_version("1.7");
    let root = document.new_object_id();
    let font = document.add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" });
    let content = format!("BT /F 18 Tf 20 160 Td ({PUBLIC}) Tj ET\n{content}\n");
    let content = document.add_object(Stream::new(Dictionary::new(), content.into_bytes()));
    let page = document.add_object(dictionary! {
        "Type" => "Page", "Parent" => root, "Contents" => content,
        "MediaBox" => vec![0.into(), 0.into(), 300.into(), 200.into()],
        "Resources" => dictionary! { "Font" => dictionary! { "F" => font } },
    });
    document.objects.insert(root, dictionary! { "Type" => "Pages", "Count" => 1, "Kids" => vec![page.into()] }.into());
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => root });
    document.trailer.set("Root", catalog);
    Made { document, page, catalog }
}

pub(super) fn text(text: &str) -> Object {
    Object::string_literal(text)
}

pub(super) fn rect(corners: [i64; 4]) -> Object {
    corners.map(Object::from).to_vec().into()
}

impl Made {
    pub(super) fn bytes(mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.document.save_to(&mut bytes).unwrap();
        bytes
    }

    pub(super) fn stream(&mut self, dict: Dictionary, content: impl Into<Vec<u8>>) -> ObjectId {
        let mut stream = Stream::new(dict, content.into());
        stream.allows_compression = false;
        self.document.add_object(stream)
    }

    /// Adds a resource of the page.
    pub(super) fn resource(mut self, kind: &str, name: &str, value: impl Into<Object>) -> Self {
        let page = self.document.get_dictionary_mut(self.page).unwrap();
        let resources = page.get_mut(b"Resources").unwrap().as_dict_mut().unwrap();
        let mut entries = resources.get(kind.as_bytes()).and_then(Object::as_dict).cloned().unwrap_or_default();
        entries.set(name, value.into());
        resources.set(kind, entries);
        self
    }

    pub(super) fn page(mut self, key: &str, value: impl Into<Object>) -> Self {
        self.document.get_dictionary_mut(self.page).unwrap().set(key, value.into());
        self
    }

    pub(super) fn catalog(mut self, key: &str, value: impl Into<Object>) -> Self {
        self.document.get_dictionary_mut(self.catalog).unwrap().set(key, value.into());
        self
    }

    /// The page's font.
    pub(super) fn font(&self) -> Object {
        let page = self.document.get_dictionary(self.page).unwrap();
        let fonts = page.get(b"Resources").unwrap().as_dict().unwrap().get(b"Font").unwrap().as_dict().unwrap();
        fonts.get(b"F").unwrap().clone()
    }

    pub(super) fn form(&mut self, content: &str, extra: Dictionary) -> ObjectId {
        let mut dict = dictionary! {
            "Type" => "XObject", "Subtype" => "Form", "BBox" => rect([0, 0, 300, 200]),
            "Resources" => dictionary! { "Font" => dictionary! { "F" => self.font() } },
        };
        dict.extend(&extra);
        self.stream(dict, content)
    }

    pub(super) fn annotation(mut self, mut annotation: Dictionary) -> Self {
        annotation.set("Type", "Annot");
        annotation.set("P", self.page);
        let id = self.document.add_object(annotation);
        self.page("Annots", vec![id.into()])
    }

    /// A text field, and the form that it belongs to.
    pub(super) fn field(self, mut field: Dictionary) -> Self {
        let font = self.font();
        field.set("Subtype", "Widget");
        field.set("DA", text("/F 12 Tf 0 g"));
        let made = self.annotation(field);
        let page = made.document.get_dictionary(made.page).unwrap();
        let fields = page.get(b"Annots").unwrap().clone();
        let form = dictionary! { "Fields" => fields, "DR" => dictionary! { "Font" => dictionary! { "F" => font } } };
        made.catalog("AcroForm", form)
    }
}

/// The word as a picture, black on white.
pub(super) fn picture() -> GrayImage {
    static PICTURE: std::sync::LazyLock<GrayImage> = std::sync::LazyLock::new(|| {
        let files = tempfile::tempdir().unwrap();
        let path = files.path().join("word.pdf");
        let mut word = made("");
        let content = format!("BT /F 30 Tf 20 15 Td ({SECRET}) Tj ET");
        let content = word.stream(Dictionary::new(), content);
        let word = word.page("Contents", content).page("MediaBox", rect([0, 0, 240, 48]));
        std::fs::write(&path, word.bytes()).unwrap();
        let drawn = crate::run(
            docmill_pdf_request::Tool::PdfToImages,
            vec![crate::source(&path, Format::Pdf)],
            serde_json::json!({"dpi": 150}),
        );
        image::load_from_memory(&drawn.files()[0]).unwrap().to_luma8()
    });
    PICTURE.clone()
}

/// The entries of a picture of this size.
pub(super) fn picture_dict(picture: &GrayImage, space: impl Into<Object>, bits: i64) -> Dictionary {
    dictionary! {
        "Type" => "XObject", "Subtype" => "Image", "Width" => i64::from(picture.width()),
        "Height" => i64::from(picture.height()), "ColorSpace" => space.into(), "BitsPerComponent" => bits,
    }
}

/// Rows of bits, 1 for white.
pub(super) fn bits(picture: &GrayImage) -> Vec<u8> {
    picture
        .rows()
        .flat_map(|row| {
            let row: Vec<&Luma<u8>> = row.collect();
            row.chunks(8)
                .map(|pixels| {
                    pixels.iter().enumerate().fold(0, |byte, (at, p)| byte | u8::from(p.0[0] > 127) << (7 - at))
                })
                .collect::<Vec<u8>>()
        })
        .collect()
}

pub(super) fn jpeg(picture: &GrayImage) -> Vec<u8> {
    let mut data = std::io::Cursor::new(Vec::new());
    DynamicImage::ImageLuma8(picture.clone()).to_rgb8().write_to(&mut data, image::ImageFormat::Jpeg).unwrap();
    data.into_inner()
}

/// A page that shows a picture: 240 by 48 points, or as `matrix` says.
pub(super) fn with_picture(dict: Dictionary, data: Vec<u8>, matrix: &str) -> Made {
    let mut made = made(&format!("q {matrix} cm /P Do Q"));
    let picture = made.stream(dict, data);
    made.resource("XObject", "P", picture)
}

pub(super) const PLACED: &str = "240 0 0 48 20 60";
