//! sign-pdf: prepares a PDF for a signature. The key is not here: the worker signs, and writes the signature into the gap that is left.

mod evidence;
mod glyphs;
mod look;

use std::fs::File;
use std::io::Write as _;

use docmill_pdf_core::Libraries;
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::space::PageSpace;
use docmill_pdf_request::{Artifact, ErrorCode, Failure, Outcome, Request, Source};
use docmill_pdf_signatures::sign::{Certify, Draft, Empty, Page, Position, Spot, Unsignable, Wanted};
use serde::Deserialize;
use serde_json::json;

pub(super) use self::evidence::keep_evidence;
use self::look::Appearance;

const RESULT: &str = "prepared.pdf";
/// Bytes of a signature with its certificates, and of its time stamp.
const SIGNATURE_BYTES: usize = 16 << 10;
const TIME_STAMP_BYTES: usize = 16 << 10;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    timestamp_url: Option<String>,
    field: Option<String>,
    appearance: Option<Appearance>,
    certify: Certification,
    reason: Option<String>,
    location: Option<String>,
    contact: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Certification {
    #[default]
    None,
    NoChanges,
    Forms,
    Annotations,
}

impl From<Certification> for Certify {
    fn from(certification: Certification) -> Self {
        match certification {
            Certification::None => Self::No,
            Certification::NoChanges => Self::NoChanges,
            Certification::Forms => Self::Forms,
            Certification::Annotations => Self::Annotations,
        }
    }
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = super::options(request)?;
    super::watermark::pdf_comes_first(request)?;
    let picture = options.appearance.as_ref().and_then(Appearance::source);
    if let Some(unused) = (1..request.sources.len()).find(|index| Some(*index) != picture) {
        return Err(refuse(format!("Source {unused} is not shown: name it in `appearance.source`, or leave it out.")));
    }
    let source = request.sources.first().ok_or_else(|| Failure::internal("no source"))?;
    let bytes = std::fs::read(&source.path).map_err(|error| Failure::io(&error))?;
    check_password(libraries, source, &bytes)?;
    let draft = Draft::open(&bytes, source.password.as_deref().unwrap_or_default()).map_err(refused)?;
    let spot = draft.spot(options.field.as_deref()).map_err(refused)?;
    let (position, place) = place(&draft, &spot, options.appearance.as_ref())?;
    let mut warnings = Vec::new();
    let look = match (&options.appearance, place) {
        (Some(appearance), Some(place)) => {
            let (look, told) = look::draw(libraries, request, appearance, draft.free_number(), place)?;
            warnings.extend(told);
            Some(look)
        }
        (None, _) | (_, None) => None,
    };
    let time_stamp = if options.timestamp_url.is_some() { TIME_STAMP_BYTES } else { 0 };
    let wanted = Wanted {
        spot: spot.clone(),
        position,
        look,
        certify: options.certify.into(),
        reason: options.reason.as_deref(),
        location: options.location.as_deref(),
        contact: options.contact.as_deref(),
        time: request.now,
        reserved: SIGNATURE_BYTES + time_stamp,
    };
    let prepared = draft.prepare(wanted).map_err(refused)?;
    super::within_output((bytes.len() + prepared.update.len()) as u64, &request.limits)?;
    write(request, &[&bytes, &prepared.update]).map_err(|error| Failure::io(&error))?;
    let name = match spot {
        Spot::New { name } => Some(name),
        Spot::Empty(_) => options.field,
    };
    let report = json!({"field": name, "gap": [prepared.gap.start, prepared.gap.end]});
    let artifact = Artifact::new(RESULT, docmill_formats::Format::Pdf);
    Ok(Outcome { artifacts: vec![artifact], report: Some(report), warnings })
}

fn write(request: &Request, parts: &[&[u8]]) -> std::io::Result<()> {
    let mut file = File::create(request.directory.join(RESULT))?;
    parts.iter().try_for_each(|part| file.write_all(part))?;
    file.flush()
}

/// qpdf says what is wrong with a password.
fn check_password(libraries: &Libraries, source: &Source, bytes: &[u8]) -> Result<(), Failure> {
    if memchr::memmem::find(bytes, b"/Encrypt").is_none() {
        return Ok(());
    }
    match libraries.qpdf()?.pages(&source.path, source.password.as_deref()) {
        Err(failure) if matches!(failure.code, ErrorCode::PasswordRequired | ErrorCode::WrongPassword) => Err(failure),
        Ok(_) | Err(_) => Ok(()),
    }
}

fn refused(why: Unsignable) -> Failure {
    match why {
        Unsignable::Unreadable(cause) => {
            let message = "This PDF is damaged, so it can't be signed as it is.";
            Failure::new(ErrorCode::CorruptDocument, message, format!("sign: {cause}"))
        }
        Unsignable::Refused(message) => refuse(message),
    }
}

fn refuse(message: impl Into<String>) -> Failure {
    Failure::new(ErrorCode::SigningFailed, message, "sign: the document does not allow it")
}

/// How large an appearance is as a viewer shows it, and how its page is turned.
#[derive(Clone, Copy, Debug)]
struct Place {
    width: f32,
    height: f32,
    rotation: f32,
}

/// Where a new field is, and the place of the appearance.
fn place(
    draft: &Draft<'_>,
    spot: &Spot,
    appearance: Option<&Appearance>,
) -> Result<(Position, Option<Place>), Failure> {
    let page = draft.page(appearance.map_or(0, Appearance::page)).map_err(refused)?;
    let nowhere = Position { page, rectangle: [0.0; 4] };
    let Some(appearance) = appearance else { return Ok((nowhere, None)) };
    match (spot, appearance.area()) {
        (Spot::Empty(_), Some(_)) => {
            Err(refuse("The field in `field` has its place already. Leave out `appearance.box` and `appearance.page`."))
        }
        (Spot::Empty(field), None) if !field.is_visible() => {
            Err(refuse("The field in `field` has no place where something can be seen. Leave out `appearance`."))
        }
        (Spot::Empty(field), None) => Ok((nowhere, Some(of_field(field)))),
        (Spot::New { .. }, None) => Err(refuse("`appearance` needs a `box`, or name an empty field in `field`.")),
        (Spot::New { .. }, Some(area)) => {
            let space = space(&page);
            let (width, height) = space.size();
            let [left, top, right, bottom] = area;
            let shown = Rectangle { left, bottom: height - bottom, right, top: height - top };
            let Some(shown) = shown.intersection(Rectangle::of_size(width, height)) else {
                return Err(refuse(format!(
                    "`appearance.box` is not on the page, which is {width} by {height} points large. Give left, top, right and bottom."
                )));
            };
            let own = space.shown_to_page().apply_to(shown);
            let position = Position { page, rectangle: [own.left, own.bottom, own.right, own.top] };
            Ok((position, Some(Place { width: shown.width(), height: shown.height(), rotation: page.rotation as f32 })))
        }
    }
}

fn of_field(field: &Empty) -> Place {
    let [left, bottom, right, top] = field.rectangle;
    let (width, height) = (right - left, top - bottom);
    let is_upright = field.rotation % 180 == 0;
    let (width, height) = if is_upright { (width, height) } else { (height, width) };
    Place { width, height, rotation: field.rotation as f32 }
}

fn space(page: &Page) -> PageSpace {
    let rectangle = |sides: [f32; 4]| {
        let [left, bottom, right, top] = sides;
        let own = Rectangle { left, bottom, right, top };
        own.intersection(own)
    };
    let [media, crop] = [page.media, page.crop].map(|sides| sides.and_then(rectangle));
    PageSpace::with_boxes(media, crop, page.rotation, page.unit)
}
