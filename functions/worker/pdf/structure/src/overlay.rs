//! Draws over or under a page's own content.

use std::collections::HashMap;

use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::objects::Lookup;
use docmill_pdf_core::space::PageSpace;
use docmill_pdf_core::transform::wrap_contents;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use serde::Deserialize;

/// Where drawings are beside the page's own content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// They hide it.
    #[default]
    Over,
    /// It hides them.
    Under,
}

/// An object to draw, and its place.
#[derive(Clone, Copy, Debug)]
pub struct Drawing {
    /// The object to draw.
    pub form: ObjectId,
    /// From its own units to the page's.
    pub matrix: Matrix,
    /// The mark of content that an element of the structure has.
    pub mark: Option<i64>,
}

/// The meaning of the drawings for screen readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Not part of the document.
    Artifact,
    /// Content that the page already had in another form.
    Content,
}

/// Draws objects on a page in its own units. The page must have its inherited entries.
pub fn draw(document: &mut Document, page: ObjectId, drawings: &[Drawing], layer: Layer, role: Role) {
    let Ok(dictionary) = document.get_dictionary(page) else { return };
    let own = dictionary.get(b"Contents").cloned().ok();
    let mut resources = document.child(dictionary, b"Resources").cloned().unwrap_or_default();
    let mut objects = document.child(&resources, b"XObject").cloned().unwrap_or_default();
    let (mut content, mut names) = (String::new(), HashMap::new());
    for drawing in drawings {
        // Tiles are one object many times.
        let name = names.entry(drawing.form).or_insert_with(|| {
            let name = free_name(&objects);
            objects.set(name.clone(), drawing.form);
            name
        });
        let drawn = format!("q {} cm /{name} Do Q\n", drawing.matrix.operands());
        content.push_str(
            &drawing.mark.map_or_else(|| drawn.clone(), |mark| format!("/Span <</MCID {mark}>> BDC\n{drawn}EMC\n")),
        );
    }
    if role == Role::Artifact {
        content = format!("/Artifact BMC\n{content}EMC\n");
    }
    resources.set("XObject", objects);
    if let Ok(page) = document.get_dictionary_mut(page) {
        page.set("Resources", resources);
    }
    match layer {
        // The page's own content may change the graphics state.
        Layer::Over => wrap_contents(document, page, own, "q\n", &format!("\nQ\n{content}")),
        Layer::Under => wrap_contents(document, page, own, &format!("q\n{content}Q\n"), "\n"),
    }
}

/// Replaces a page's content by a picture of the whole page. Annotations stay.
pub fn show_picture(document: &mut Document, page: ObjectId, picture: Stream) {
    let picture = document.add_object(picture);
    let Ok(dictionary) = document.get_dictionary(page) else { return };
    let space = PageSpace::of(document, dictionary);
    let (width, height) = space.size();
    let matrix = Matrix([width, 0.0, 0.0, height, 0.0, 0.0]).then(space.shown_to_page());
    let content = format!("q {} cm /Picture Do Q\n", matrix.operands());
    let content = document.add_object(Stream::new(Dictionary::new(), content.into_bytes()));
    if let Ok(page) = document.get_dictionary_mut(page) {
        page.set("Contents", content);
        page.set("Resources", dictionary! { "XObject" => dictionary! { "Picture" => picture } });
        // The content for the structure's marks is gone.
        page.remove(b"StructParents");
    }
}

fn free_name(objects: &Dictionary) -> String {
    let mut number = objects.len();
    loop {
        let name = format!("Docmill{number}");
        if !objects.has(name.as_bytes()) {
            return name;
        }
        number += 1;
    }
}

/// An object that draws another one as a group with this opacity. `bounds`: the other's bounds in its own units.
pub fn translucent(document: &mut Document, form: ObjectId, bounds: Object, opacity: f32) -> ObjectId {
    let state = dictionary! { "Type" => "ExtGState", "ca" => opacity, "CA" => opacity };
    let head = dictionary! {
        "Type" => "XObject", "Subtype" => "Form", "BBox" => bounds,
        "Resources" => dictionary! {
            "ExtGState" => dictionary! { "G" => state }, "XObject" => dictionary! { "X" => form },
        },
    };
    document.add_object(Stream::new(head, b"/G gs /X Do".to_vec()))
}
