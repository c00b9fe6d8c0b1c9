//! Presentations: a heading for each slide that has a title, then what is on it, then the speaker's notes.

mod layout;
mod shapes;
mod text;

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use docmill_pdf_request::Failure;
use docmill_pdf_text::HeadersFooters;

use self::layout::Layout;
use self::shapes::Slide;
use super::builder::Builder;
use super::package::{Package, attribute, child, core_title, elements, main_part, path, tree};
use super::text::Text;
use crate::model::{Role, Why};

pub(super) fn read(path: &Path, headers_footers: HeadersFooters, builder: &mut Builder<'_, '_>) -> Result<(), Failure> {
    let mut package = Package::open(path)?;
    if let Some(title) = core_title(&mut package)? {
        builder.title(&title);
    }
    let main = main_part(&mut package, "ppt/presentation.xml")?;
    let relations = package.relations(&main)?;
    let source = package.required(&main)?;
    let tree = tree(&source)?;
    let slides = child(tree.root_element(), "sldIdLst").into_iter().flat_map(|list| elements(list, "sldId"));
    // The slide's own id has no prefix.
    let related = |slide: roxmltree::Node<'_, '_>| {
        slide
            .attributes()
            .find(|attribute| attribute.name() == "id" && attribute.namespace().is_some())
            .and_then(|id| relations.part(id.value()).map(str::to_owned))
    };
    let mut layouts = HashMap::new();
    for (number, part) in slides.filter_map(related).enumerate() {
        slide(&mut package, &part, number == 0, headers_footers, &mut layouts, builder)?;
        if builder.is_full() {
            break;
        }
    }
    Ok(())
}

fn slide(
    package: &mut Package,
    part: &str,
    is_first: bool,
    headers_footers: HeadersFooters,
    layouts: &mut HashMap<String, Rc<Layout>>,
    builder: &mut Builder<'_, '_>,
) -> Result<(), Failure> {
    let Some(source) = package.text(part)? else { return Ok(()) };
    let tree = tree(&source)?;
    let root = tree.root_element();
    if matches!(attribute(root, "show"), Some("0" | "false")) {
        builder.hide(&text::all(root), Why::Invisible);
        return Ok(());
    }
    let relations = package.relations(part)?;
    let layout = match relations.of_kind("slideLayout") {
        Some(part) => match layouts.get(part) {
            Some(layout) => Rc::clone(layout),
            None => {
                let layout = Rc::new(Layout::read(package, part)?);
                layouts.insert(part.to_owned(), Rc::clone(&layout));
                layout
            }
        },
        None => Rc::default(),
    };
    let Some(shapes) = path_to_shapes(root) else { return Ok(()) };
    Slide { builder, package, relations: &relations, layout: &layout, is_first, headers_footers }.read(shapes)?;
    match relations.of_kind("notesSlide") {
        Some(part) => notes(package, part, builder),
        None => Ok(()),
    }
}

fn path_to_shapes<'a, 'i>(root: roxmltree::Node<'a, 'i>) -> Option<roxmltree::Node<'a, 'i>> {
    path(root, &["cSld", "spTree"])
}

/// What the speaker has written for a slide, below a heading of its own.
fn notes(package: &mut Package, part: &str, builder: &mut Builder<'_, '_>) -> Result<(), Failure> {
    let Some(source) = package.text(part)? else { return Ok(()) };
    let relations = package.relations(part)?;
    let tree = tree(&source)?;
    let Some(shapes) = path_to_shapes(tree.root_element()) else { return Ok(()) };
    let is_body = |shape: &roxmltree::Node<'_, '_>| {
        path(*shape, &["nvSpPr", "nvPr", "ph"]).is_some_and(|place| attribute(place, "type") == Some("body"))
    };
    let bodies = elements(shapes, "sp").filter(is_body).filter_map(|shape| child(shape, "txBody"));
    let paragraphs: Vec<Text> =
        bodies.flat_map(|body| elements(body, "p")).map(|paragraph| text::paragraph(paragraph, &relations)).collect();
    if paragraphs.iter().all(Text::is_blank) {
        return Ok(());
    }
    builder.block(Role::Heading { level: 3 }, Text::plain("Notes"));
    for paragraph in paragraphs {
        builder.block(Role::Paragraph, paragraph);
    }
    Ok(())
}
