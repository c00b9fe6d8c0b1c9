//! Moving, scaling and rotating the content of pages.

use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::matrix::Matrix;
use super::objects::Lookup;
use super::rectangle::Rectangle;
use super::space::PageSpace;

/// Coordinates of an annotation besides its rectangle.
const POINTS: [&[u8]; 5] = [b"QuadPoints", b"Vertices", b"L", b"CL", b"Path"];

/// Scales a page to a paper size, in the page's own orientation, and puts it in the middle.
pub fn fit_page(document: &mut Document, id: ObjectId, size: (f32, f32)) {
    let Ok(page) = document.get_dictionary(id) else { return };
    let space = PageSpace::of(document, page);
    let (PageSpace { visible, rotation, .. }, shown) = (space, space.size());
    let wide = shown.0 > shown.1;
    let size = if wide == (size.0 > size.1) { size } else { (size.1, size.0) };
    let paper = if rotation % 180 == 0 { size } else { (size.1, size.0) };
    let paper = Rectangle::of_size(paper.0, paper.1);
    let origin = Matrix::translation(-visible.left, -visible.bottom);
    let matrix = origin.then(Matrix::fit((visible.width(), visible.height()), paper));
    let annotations = document.array(page, b"Annots").to_vec();
    let contents = page.get(b"Contents").cloned().ok();
    for annotation in &annotations {
        if let Ok(annotation) = annotation.as_reference() {
            move_annotation(document, annotation, matrix);
        }
    }
    let Rectangle { left, bottom, .. } = visible;
    let before =
        format!("q {} cm {left} {bottom} {} {} re W n\n", matrix.operands(), visible.width(), visible.height());
    wrap_contents(document, id, contents, &before, "\nQ\n");
    if let Ok(page) = document.get_dictionary_mut(id) {
        for key in [b"CropBox".as_slice(), b"TrimBox", b"BleedBox", b"ArtBox", b"UserUnit"] {
            page.remove(key);
        }
        page.set("MediaBox", paper.to_object());
    }
}

/// Puts content before and after a page's own.
pub fn wrap_contents(document: &mut Document, page: ObjectId, own: Option<Object>, before: &str, after: &str) {
    let own = match own {
        Some(own) => match document.resolve(&own) {
            Some(Object::Array(streams)) => streams.clone(),
            Some(_) => vec![own],
            None => Vec::new(),
        },
        None => Vec::new(),
    };
    let before = document.add_object(Stream::new(Dictionary::new(), before.as_bytes().to_vec()));
    let after = document.add_object(Stream::new(Dictionary::new(), after.as_bytes().to_vec()));
    let contents: Vec<Object> = std::iter::once(before.into()).chain(own).chain([after.into()]).collect();
    if let Ok(page) = document.get_dictionary_mut(page) {
        page.set("Contents", contents);
    }
}

/// Moves an annotation with its page.
pub fn move_annotation(document: &mut Document, id: ObjectId, matrix: Matrix) {
    let Ok(annotation) = document.get_dictionary(id) else { return };
    let mut changed = annotation.clone();
    if let Some(rectangle) = annotation.get(b"Rect").ok().and_then(|corners| Rectangle::parse(document, corners)) {
        changed.set("Rect", matrix.apply_to(rectangle).to_object());
    }
    for key in POINTS {
        if annotation.has(key) {
            let numbers: Vec<f32> =
                document.array(annotation, key).iter().filter_map(|number| document.number(number)).collect();
            changed.set(key, moved_points(&numbers, matrix));
        }
    }
    let strokes: Vec<Object> = document
        .array(annotation, b"InkList")
        .iter()
        .filter_map(|stroke| document.resolve(stroke)?.as_array().ok())
        .map(|stroke| stroke.iter().filter_map(|number| document.number(number)).collect::<Vec<f32>>())
        .map(|stroke| moved_points(&stroke, matrix).into())
        .collect();
    if !strokes.is_empty() {
        changed.set("InkList", strokes);
    }
    document.objects.insert(id, changed.into());
}

fn moved_points(numbers: &[f32], matrix: Matrix) -> Vec<Object> {
    numbers
        .as_chunks()
        .0
        .iter()
        .flat_map(|[x, y]| {
            let (x, y) = matrix.apply(*x, *y);
            [Object::Real(x), Object::Real(y)]
        })
        .collect()
}
