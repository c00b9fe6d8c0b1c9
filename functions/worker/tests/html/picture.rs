//! Pictures of pages.

use std::time::{Duration, Instant};

use docmill_browser::{BrowserSettings, HtmlBrowser};
use docmill_domain::job::{JobErrorCode, Warning};
use docmill_domain::tool::Slug;
use docmill_engine::{Engine, Failure, Limits, Operation, Source, Task};
use docmill_fonts::NO_FONTS;
use docmill_formats::Format;
use image::{Rgba, RgbaImage};
use serde_json::{Value, json};

use crate::support::{checked, launcher, policy};

struct Picture {
    media: Format,
    image: RgbaImage,
    warnings: Vec<Warning>,
}

impl Picture {
    fn at(&self, x: u32, y: u32) -> [u8; 4] {
        let Rgba(pixel) = *self.image.get_pixel(x, y);
        pixel
    }
}

fn engine() -> HtmlBrowser {
    HtmlBrowser::new(BrowserSettings::default(), launcher(), policy(None))
}

async fn take(engine: &HtmlBrowser, html: &str, options: Value) -> Result<Picture, Failure> {
    let scratch = tempfile::tempdir().unwrap();
    let (deadline, limits) = (Instant::now() + Duration::from_secs(60), Limits::default());
    let (operation, sources) = (Operation::Tool(Slug::HTML_TO_IMAGE), vec![Source::html(html.to_owned())]);
    let task = Task {
        operation,
        sources,
        options: &options,
        scratch: scratch.path(),
        deadline,
        limits: &limits,
        fonts: &NO_FONTS,
        account: None,
    };
    let conversion = checked(engine.convert(task).await?, scratch.path(), &limits).await?;
    let artifact = &conversion.artifacts[0];
    let image = image::open(&artifact.path).unwrap().into_rgba8();
    assert_eq!((artifact.width, artifact.height), (Some(image.width()), Some(image.height())));
    Ok(Picture { media: artifact.media, image, warnings: conversion.warnings.clone() })
}

const WHITE: [u8; 4] = [255; 4];
const BLUE: [u8; 4] = [0, 0, 255, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];
const BLACK: [u8; 4] = [0, 0, 0, 255];
const NOTHING: [u8; 4] = [0; 4];

const PAGE: &str = "<style>body{margin:0}#box{margin:50px;width:100px;height:80px;background:#00f}
    @media print{#box{background:#f00}} @media (prefers-color-scheme:dark){body{background:#000}}</style>
    <div id=box></div><div style='height:2000px'></div><div id=end style='height:10px;background:#0f0'></div>";

#[tokio::test]
async fn a_picture_shows_the_window_as_on_a_screen() {
    let engine = engine();
    let picture = take(&engine, PAGE, json!({"width": 400, "height": 300})).await.unwrap();
    assert_eq!((picture.media, picture.image.dimensions()), (Format::Png, (400, 300)));
    assert_eq!((picture.at(10, 10), picture.at(60, 60)), (WHITE, BLUE));
    assert_eq!(picture.warnings, []);
    let usual = take(&engine, PAGE, json!({"emulate": ["dark"]})).await.unwrap();
    assert_eq!((usual.image.dimensions(), usual.at(10, 10)), ((1280, 800), BLACK));
    let sharp = take(&engine, PAGE, json!({"width": 200, "height": 150, "deviceScale": 2})).await.unwrap();
    assert_eq!((sharp.image.dimensions(), sharp.at(110, 110)), ((400, 300), BLUE));
}

#[tokio::test]
async fn whole_pages_and_single_elements_are_taken() {
    let engine = engine();
    let whole = take(&engine, PAGE, json!({"fullPage": true, "width": 400, "height": 300})).await.unwrap();
    assert_eq!(whole.image.dimensions(), (400, 2190));
    assert_eq!((whole.at(60, 60), whole.at(5, 2185)), (BLUE, GREEN));
    let element = take(&engine, PAGE, json!({"selector": "#box", "fullPage": true})).await.unwrap();
    assert_eq!((element.image.dimensions(), element.at(0, 0), element.at(99, 79)), ((100, 80), BLUE, BLUE));
    assert_eq!(element.warnings[0].detail.as_deref(), Some("fullPage"));
    let below = take(&engine, PAGE, json!({"selector": "#end", "width": 400, "height": 300})).await.unwrap();
    assert_eq!((below.image.dimensions(), below.at(0, 0)), ((400, 10), GREEN));
    for (selector, said) in [("#none", "matches no element"), ("##", "not valid CSS"), ("style", "has no size")] {
        let failure = take(&engine, PAGE, json!({"selector": selector})).await.err().unwrap();
        assert_eq!(failure.code, JobErrorCode::RenderFailed);
        assert!(failure.message.contains(said), "{}", failure.message);
    }
}

#[tokio::test]
async fn formats_have_their_backgrounds_and_limits() {
    let engine = engine();
    for (format, media, corner) in
        [("png", Format::Png, NOTHING), ("webp", Format::Webp, NOTHING), ("jpeg", Format::Jpeg, WHITE)]
    {
        let options = json!({"format": format, "omitBackground": true, "width": 200, "height": 200, "quality": 100});
        let picture = take(&engine, PAGE, options).await.unwrap();
        assert_eq!((picture.media, picture.at(1, 1)), (media, corner), "{format}");
        let [red, green, blue, alpha] = picture.at(100, 90);
        assert!(red < 6 && green < 6 && blue > 249 && alpha == 255, "{format}");
        let unused: Vec<_> = picture.warnings.iter().filter_map(|warning| warning.detail.as_deref()).collect();
        let expected: &[&str] = match format {
            "png" => &["quality"],
            "jpeg" => &["omitBackground"],
            _ => &[],
        };
        assert_eq!(unused, expected);
    }
    // The browser returns nothing here.
    let tall = "<div style='height:16400px;background:#00f'></div>";
    let failure = take(&engine, tall, json!({"format": "webp", "fullPage": true})).await.err().unwrap();
    assert!(failure.message.contains("16383") && failure.message.contains("`png`"), "{}", failure.message);
    let picture = take(&engine, tall, json!({"format": "jpeg", "fullPage": true, "width": 100})).await.unwrap();
    assert!(picture.image.height() >= 16_400 && picture.at(50, 16_390)[2] > 200);
    let endless = "<div style='height:900000px'></div>";
    let failure = take(&engine, endless, json!({"fullPage": true})).await.err().unwrap();
    assert_eq!(failure.code, JobErrorCode::RenderFailed);
    assert!(failure.message.contains("deviceScale"), "{}", failure.message);
}
