//! What a slide inherits from its layout and master: which text has bullets.

use docmill_pdf_request::Failure;
use roxmltree::Node;

use crate::own::package::{Package, attribute, child, path, tree};

pub(super) const LEVELS: usize = 9;

/// How paragraphs of a level are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Bullet,
    /// Begins with this number.
    Number(u32),
    None,
}

/// `None`: as in what it inherits from.
pub(super) type Marks = [Option<Mark>; LEVELS];

#[derive(Debug, Default)]
pub(super) struct Layout {
    places: Vec<Place>,
    of_master: Vec<Place>,
    body: Marks,
}

/// A place for text, pictures or other content.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) kind: String,
    index: Option<String>,
    marks: Marks,
}

impl Place {
    /// `None`: the shape is not in a place of the layout.
    pub(super) fn of(shape: Node<'_, '_>) -> Option<Self> {
        let place = path(shape, &["nvSpPr", "nvPr", "ph"])?;
        let styles = path(shape, &["txBody", "lstStyle"]);
        Some(Self {
            kind: attribute(place, "type").unwrap_or("obj").to_owned(),
            index: attribute(place, "idx").map(str::to_owned),
            marks: styles.map(marks).unwrap_or_default(),
        })
    }

    /// Whether it has text in levels.
    fn is_body(&self) -> bool {
        matches!(self.kind.as_str(), "body" | "obj")
    }
}

impl Layout {
    pub(super) fn read(package: &mut Package, part: &str) -> Result<Self, Failure> {
        let mut layout = Self { places: places(package, part)?, ..Self::default() };
        let Some(master) = package.relations(part)?.of_kind("slideMaster").map(str::to_owned) else {
            return Ok(layout);
        };
        layout.of_master = places(package, &master)?;
        if let Some(source) = package.text(&master)? {
            let tree = tree(&source)?;
            let styles = path(tree.root_element(), &["txStyles", "bodyStyle"]);
            layout.body = styles.map(marks).unwrap_or_default();
        }
        Ok(layout)
    }

    /// How paragraphs of a level in this place are marked.
    pub(super) fn mark(&self, place: &Place, level: usize) -> Mark {
        let at = |marks: &Marks| marks.get(level).copied().flatten();
        let by_index = |other: &&Place| place.index.is_some() && other.index == place.index;
        let by_kind = |other: &&Place| other.kind == place.kind;
        let in_layout = self.places.iter().find(by_index).or_else(|| self.places.iter().find(by_kind));
        // Content of any kind is text to the master.
        let kind = in_layout.map_or(place, |place| place);
        let in_master =
            self.of_master.iter().find(|other| other.kind == kind.kind || other.is_body() && kind.is_body());
        let of_body = || at(&self.body).filter(|_| kind.is_body());
        at(&place.marks)
            .or_else(|| in_layout.and_then(|place| at(&place.marks)))
            .or_else(|| in_master.and_then(|place| at(&place.marks)))
            .or_else(of_body)
            .unwrap_or(Mark::None)
    }
}

fn places(package: &mut Package, part: &str) -> Result<Vec<Place>, Failure> {
    let Some(source) = package.text(part)? else { return Ok(Vec::new()) };
    let tree = tree(&source)?;
    let shapes = tree.descendants().filter(|node| node.tag_name().name() == "sp");
    Ok(shapes.filter_map(Place::of).collect())
}

/// The marks of a list of styles by level.
pub(super) fn marks(styles: Node<'_, '_>) -> Marks {
    let mut marks = Marks::default();
    for (level, place) in marks.iter_mut().enumerate() {
        *place = child(styles, &format!("lvl{}pPr", level + 1)).and_then(mark);
    }
    marks
}

/// The mark that a paragraph's properties ask for.
pub(super) fn mark(properties: Node<'_, '_>) -> Option<Mark> {
    properties.children().find_map(|part| match part.tag_name().name() {
        "buNone" => Some(Mark::None),
        "buChar" | "buBlip" => Some(Mark::Bullet),
        "buAutoNum" => Some(Mark::Number(attribute(part, "startAt").and_then(|start| start.parse().ok()).unwrap_or(1))),
        _ => None,
    })
}
