//! The documents by name: text, pictures, and what documents say elsewhere.

use lopdf::{Dictionary, Object, StringFormat, dictionary};

use super::sources::{Made, PLACED, PUBLIC, SECRET, bits, jpeg, made, picture, picture_dict, rect, text, with_picture};

pub(super) type Case = (&'static str, fn() -> Vec<u8>);

/// Content that shows the word in a usual way.
fn shown() -> String {
    format!("BT /F 18 Tf 20 100 Td ({SECRET} of old) Tj ET")
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02X}")).collect()
}

/// The word with a code for each letter, in a font that says what they are.
fn encoded(entries: impl FnOnce(&mut Made) -> Dictionary) -> Vec<u8> {
    let codes: String = (1..=SECRET.len()).map(|code| format!("{code:02X}")).collect();
    let mut made = made(&format!("BT /E 18 Tf 20 100 Td <{codes}> Tj ET"));
    let mut font = dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" };
    font.extend(&entries(&mut made));
    made.resource("Font", "E", font).bytes()
}

fn letters() -> Object {
    let names = SECRET.chars().map(|letter| Object::Name(letter.to_string().into_bytes()));
    let differences: Vec<Object> = std::iter::once(1.into()).chain(names).collect();
    dictionary! { "Type" => "Encoding", "Differences" => differences }.into()
}

fn to_unicode(pairs: &[(u8, &str)]) -> String {
    let units = |text: &str| text.encode_utf16().map(|unit| format!("{unit:04X}")).collect::<String>();
    let pairs: String = pairs.iter().map(|(code, text)| format!("<{code:02X}> <{}>\n", units(text))).collect();
    format!(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n1 begincodespacerange \
         <00> <FF> endcodespacerange\n{} beginbfchar\n{pairs}endbfchar endcmap end end",
        pairs.lines().count()
    )
}

/// A font whose letters are drawn: a bar each.
fn drawn_font() -> Vec<u8> {
    let mut made = made(&format!("BT /D 18 Tf 20 100 Td ({SECRET}) Tj ET"));
    let mut procs = Dictionary::new();
    let bar = made.stream(Dictionary::new(), "600 0 0 0 500 700 d1 0 0 500 700 re f");
    let mut differences: Vec<Object> = Vec::new();
    for letter in SECRET.chars() {
        procs.set(letter.to_string(), bar);
        differences.extend([Object::from(i64::from(letter as u32)), Object::Name(letter.to_string().into_bytes())]);
    }
    let widths = vec![Object::from(600); 256];
    made.resource(
        "Font",
        "D",
        dictionary! {
            "Type" => "Font", "Subtype" => "Type3", "FontBBox" => rect([0, 0, 600, 700]), "CharProcs" => procs,
            "FontMatrix" => vec![Object::Real(0.001), 0.into(), 0.into(), Object::Real(0.001), 0.into(), 0.into()],
            "Encoding" => dictionary! { "Type" => "Encoding", "Differences" => differences },
            "FirstChar" => 0, "LastChar" => 255, "Widths" => widths, "Resources" => Dictionary::new(),
        },
    )
    .bytes()
}

fn nested(depth: usize) -> Made {
    let mut made = made("q 1 0 0 1 0 0 cm /X Do Q");
    let mut form = made.form(&shown(), Dictionary::new());
    for _ in 0..depth {
        let resources = dictionary! { "XObject" => dictionary! { "X" => form } };
        form = made.form(
            "q 0.9 0 0 0.9 5 5 cm /X Do Q",
            dictionary! { "Resources" => resources, "Matrix" => rect([1, 0, 0, 1]).as_array().cloned().map(|mut m| { m.extend([2.into(), 2.into()]); m }).unwrap() },
        );
    }
    made.resource("XObject", "X", form)
}

fn layered(on: bool) -> Vec<u8> {
    let mut made = made(&format!("/OC /L BDC {} EMC", shown()));
    let layer = made.document.add_object(dictionary! { "Type" => "OCG", "Name" => text(SECRET) });
    let state: Vec<Object> = vec![layer.into()];
    let settings = dictionary! { if on { "ON" } else { "OFF" } => state, "Order" => vec![layer.into()] };
    made.resource("Properties", "L", layer)
        .catalog("OCProperties", dictionary! { "OCGs" => vec![layer.into()], "D" => settings })
        .bytes()
}

fn tagged() -> Vec<u8> {
    let mut made = made(&format!("/P <</MCID 0>> BDC {} EMC", shown()));
    let root = made.document.new_object_id();
    let words = || {
        Object::String(
            SECRET.encode_utf16().fold(vec![0xfe, 0xff], |mut b, u| {
                b.extend(u.to_be_bytes());
                b
            }),
            StringFormat::Hexadecimal,
        )
    };
    let element = made.document.add_object(dictionary! {
        "Type" => "StructElem", "S" => "P", "P" => root, "Pg" => made.page, "K" => vec![0.into()],
        "ActualText" => words(), "Alt" => words(), "E" => words(), "T" => words(),
    });
    let parents = dictionary! { "Nums" => vec![0.into(), vec![element.into()].into()] };
    made.document.objects.insert(
        root,
        dictionary! { "Type" => "StructTreeRoot", "K" => vec![element.into()], "ParentTree" => parents }.into(),
    );
    made.catalog("StructTreeRoot", root)
        .catalog("MarkInfo", dictionary! { "Marked" => true })
        .page("StructParents", 0)
        .bytes()
}

pub(super) const TEXT: &[Case] = &[
    ("plain text", || made(&shown()).bytes()),
    ("kerned text", || made("BT /F 18 Tf 20 100 Td [(Gri) -20 (ffi) 15 (nsh) -8 (ire)] TJ ET").bytes()),
    ("letter by letter", || {
        let letters: String = SECRET.chars().map(|letter| format!("({letter}) Tj 11 0 Td ")).collect();
        made(&format!("BT /F 18 Tf 20 100 Td {letters} ET")).bytes()
    }),
    ("letters out of order", || {
        let letter = |(at, letter): (usize, char)| format!("1 0 0 1 {} 100 Tm ({letter}) Tj ", 20 + at * 11);
        let letters: String = SECRET.chars().enumerate().collect::<Vec<_>>().into_iter().rev().map(letter).collect();
        made(&format!("BT /F 18 Tf {letters} ET")).bytes()
    }),
    ("hexadecimal", || made(&format!("BT /F 18 Tf 20 100 Td <{}> Tj ET", hex(SECRET))).bytes()),
    ("next line and spacing", || {
        made(&format!("BT /F 18 Tf 20 TL 20 120 Td 1 2 ({SECRET}) \" ({SECRET}) ' ET")).bytes()
    }),
    ("spaced letters", || made(&format!("BT /F 14 Tf 7 Tc 20 100 Td ({SECRET}) Tj ET")).bytes()),
    ("ligature", || {
        let differences = vec![1.into(), "f_f_i".into()];
        let mut font = dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" };
        font.set("Encoding", dictionary! { "Differences" => differences });
        let mut made = made("BT /L 18 Tf 20 100 Td (Gri\\001nshire) Tj ET");
        let map = made.stream(
            Dictionary::new(),
            to_unicode(&[
                (1, "ffi"),
                (b'G', "G"),
                (b'r', "r"),
                (b'i', "i"),
                (b'n', "n"),
                (b's', "s"),
                (b'h', "h"),
                (b'e', "e"),
            ]),
        );
        font.set("ToUnicode", map);
        made.resource("Font", "L", font).bytes()
    }),
    ("hyphenated", || {
        made("BT /F 18 Tf 20 TL 150 120 Td (of Griffin-) Tj T* -130 0 Td (shire and more) Tj ET").bytes()
    }),
    ("turned by 90 degrees", || made(&format!("BT /F 18 Tf 0 1 -1 0 250 20 Tm ({SECRET}) Tj ET")).bytes()),
    ("turned by 30 degrees", || made(&format!("BT /F 18 Tf 0.866 0.5 -0.5 0.866 60 30 Tm ({SECRET}) Tj ET")).bytes()),
    ("turned page", || made(&shown()).page("Rotate", 90).bytes()),
    ("cropped and turned page", || {
        made(&shown()).page("Rotate", 270).page("CropBox", rect([10, 10, 280, 190])).bytes()
    }),
    ("invisible", || made(&format!("BT 3 Tr /F 18 Tf 20 100 Td ({SECRET}) Tj ET")).bytes()),
    ("white", || made(&format!("1 g {} 0 g", shown())).bytes()),
    ("tiny", || made(&format!("BT /F 0.5 Tf 20 100 Td ({SECRET}) Tj ET")).bytes()),
    ("beyond the page", || {
        made(&format!("BT /F 18 Tf 20 100 Td ({SECRET}) Tj ET")).page("CropBox", rect([0, 140, 300, 200])).bytes()
    }),
    ("clipped away", || made(&format!("q 0 0 5 5 re W n {} Q", shown())).bytes()),
    ("behind a rectangle", || made(&format!("{} 0.5 g 10 90 200 40 re f 0 g", shown())).bytes()),
    ("a clip of text", || made(&format!("q BT 7 Tr /F 18 Tf 20 100 Td ({SECRET}) Tj ET 0 0 300 140 re f Q")).bytes()),
    ("in a form", || nested(0).bytes()),
    ("in a form in forms", || nested(3).bytes()),
    ("a form without resources", || {
        let mut made = made("/X Do");
        let form = made.form(&shown(), Dictionary::new());
        made.document.get_object_mut(form).unwrap().as_stream_mut().unwrap().dict.remove(b"Resources");
        made.resource("XObject", "X", form).bytes()
    }),
    ("a drawn font", drawn_font),
    ("codes with names", || encoded(|_| dictionary! { "Encoding" => letters() })),
    ("codes with a map", || {
        encoded(|made| {
            let word: Vec<String> = SECRET.chars().map(String::from).collect();
            let pairs: Vec<(u8, &str)> = (1..).zip(word.iter().map(String::as_str)).collect();
            let map = made.stream(Dictionary::new(), to_unicode(&pairs));
            dictionary! { "Encoding" => letters(), "ToUnicode" => map }
        })
    }),
    ("one code for the word", || {
        let mut made = made("BT /E 18 Tf 20 100 Td (x) Tj ET");
        let map = made.stream(Dictionary::new(), to_unicode(&[(b'x', SECRET)]));
        let font =
            dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "ToUnicode" => map };
        made.resource("Font", "E", font).bytes()
    }),
    ("bytes that show something else", || {
        let names = (b'a'..=b'z').chain(b'A'..=b'Z').flat_map(|code| [Object::from(i64::from(code)), "bullet".into()]);
        let font = dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica",
            "Encoding" => dictionary! { "Differences" => names.collect::<Vec<Object>>() },
        };
        made(&format!("BT /E 18 Tf 20 100 Td ({SECRET}) Tj ET")).resource("Font", "E", font).bytes()
    }),
    ("a hidden layer", || layered(false)),
    ("a shown layer", || layered(true)),
    ("words of a mark", || {
        made(&format!("/Span <</ActualText ({SECRET})>> BDC BT /F 18 Tf 20 100 Td (x) Tj ET EMC")).bytes()
    }),
    ("words of a list of properties", || {
        let list = dictionary! { "ActualText" => text(SECRET), "Alt" => text(SECRET) };
        made(&format!("/Span /M BDC {} EMC", shown())).resource("Properties", "M", list).bytes()
    }),
    ("tags", tagged),
    ("a tiling pattern", || {
        let mut made = made("/Pattern cs /T scn 0 0 300 140 re f");
        let font = made.font();
        let pattern = made.stream(
            dictionary! {
                "PatternType" => 1, "PaintType" => 1, "TilingType" => 1, "BBox" => rect([0, 0, 300, 140]),
                "XStep" => 300, "YStep" => 140, "Resources" => dictionary! { "Font" => dictionary! { "F" => font } },
            },
            shown(),
        );
        made.resource("Pattern", "T", pattern).bytes()
    }),
    ("a comment", || made(&format!("% {SECRET}\n0 g")).bytes()),
];

fn gray() -> Dictionary {
    picture_dict(&picture(), "DeviceGray", 8)
}

pub(super) const PICTURES: &[Case] = &[
    ("grey", || with_picture(gray(), picture().into_raw(), PLACED).bytes()),
    ("color", || {
        let rgb = picture().pixels().flat_map(|p| [p.0[0], p.0[0], 200]).collect();
        with_picture(picture_dict(&picture(), "DeviceRGB", 8), rgb, PLACED).bytes()
    }),
    ("bits", || with_picture(picture_dict(&picture(), "DeviceGray", 1), bits(&picture()), PLACED).bytes()),
    ("inverted", || {
        let mut dict = gray();
        dict.set("Decode", rect([1, 0, 1, 0]).as_array().unwrap()[..2].to_vec());
        with_picture(dict, picture().pixels().map(|p| 255 - p.0[0]).collect(), PLACED).bytes()
    }),
    ("a palette", || {
        let space: Vec<Object> = vec![
            "Indexed".into(),
            "DeviceRGB".into(),
            1.into(),
            Object::String(vec![0, 0, 90, 255, 255, 230], StringFormat::Hexadecimal),
        ];
        let indices = picture().pixels().map(|p| u8::from(p.0[0] > 127)).collect();
        with_picture(picture_dict(&picture(), space, 8), indices, PLACED).bytes()
    }),
    ("JPEG with a comment and a preview", || {
        let mut dict = picture_dict(&picture(), "DeviceRGB", 8);
        dict.set("Filter", "DCTDecode");
        let mut data = jpeg(&picture());
        let preview = jpeg(&picture());
        let exif = [b"Exif\0\0".as_slice(), SECRET.as_bytes(), &preview].concat();
        let segment = [&[0xff, 0xe1][..], &u16::try_from(exif.len() + 2).unwrap().to_be_bytes(), &exif].concat();
        data.splice(2..2, segment);
        data.extend_from_slice(SECRET.as_bytes());
        with_picture(dict, data, PLACED).bytes()
    }),
    ("a soft mask", || {
        let mut made = made(&format!("q {PLACED} cm /P Do Q"));
        let mask = made.stream(gray(), picture().pixels().map(|p| 255 - p.0[0]).collect::<Vec<u8>>());
        let mut dict = gray();
        dict.set("SMask", mask);
        let black = vec![0u8; picture().len()];
        let picture = made.stream(dict, black);
        made.resource("XObject", "P", picture).bytes()
    }),
    ("a stencil", || {
        let mut dict = picture_dict(&picture(), "DeviceGray", 1);
        dict.remove(b"ColorSpace");
        dict.set("ImageMask", true);
        with_picture(dict, bits(&picture()), PLACED).bytes()
    }),
    ("in the content", || {
        let picture = picture();
        let mut made = made("");
        let head = format!(
            "BT /F 18 Tf 20 160 Td ({PUBLIC}) Tj ET q {PLACED} cm BI /W {} /H {} /CS /G /BPC 8 ID ",
            picture.width(),
            picture.height()
        );
        let content = [head.as_bytes(), picture.as_raw(), b"\nEI Q"].concat();
        let content = made.stream(Dictionary::new(), content);
        made.page("Contents", content).bytes()
    }),
    ("half clipped", || {
        let mut made = made(&format!("q 20 60 60 48 re W n {PLACED} cm /P Do Q"));
        let id = made.stream(gray(), picture().into_raw());
        made.resource("XObject", "P", id).bytes()
    }),
    ("tilted", || with_picture(gray(), picture().into_raw(), "239 12 -2.4 47.8 20 50").bytes()),
    ("in a form", || {
        let mut made = made("/X Do");
        let id = made.stream(gray(), picture().into_raw());
        let resources = dictionary! { "XObject" => dictionary! { "P" => id } };
        let form = made.form(&format!("q {PLACED} cm /P Do Q"), dictionary! { "Resources" => resources });
        made.resource("XObject", "X", form).bytes()
    }),
    ("JPEG 2000", || fixture("jpeg2000.pdf")),
    ("CCITT", || fixture("ccitt.pdf")),
    ("JBIG2", || fixture("jbig2.pdf")),
];

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(crate::fixture(&format!("redact/{name}"))).unwrap()
}

fn xmp() -> String {
    format!("<x:xmpmeta xmlns:x='adobe:ns:meta/'><a>{SECRET}</a></x:xmpmeta>")
}

pub(super) const ELSEWHERE: &[Case] = &[
    ("a comment on the page", || {
        let mut made = made("");
        let look =
            made.form(&format!("BT /F 18 Tf 5 5 Td ({SECRET}) Tj ET"), dictionary! { "BBox" => rect([0, 0, 200, 30]) });
        made.annotation(dictionary! {
            "Subtype" => "FreeText", "Rect" => rect([20, 80, 220, 110]), "Contents" => text(SECRET),
            "RC" => text(SECRET), "AP" => dictionary! { "N" => look }, "DA" => text("/F 18 Tf"),
        })
        .bytes()
    }),
    ("a note with a pop-up", || {
        let mut made = made("");
        let popup = made.document.add_object(dictionary! { "Type" => "Annot", "Subtype" => "Popup", "Rect" => rect([100, 100, 200, 150]), "Contents" => text(SECRET) });
        made.annotation(dictionary! {
            "Subtype" => "Text", "Rect" => rect([20, 80, 40, 100]), "Contents" => text(SECRET), "Popup" => popup, "Subj" => text(SECRET), "NM" => text(SECRET),
        })
        .bytes()
    }),
    ("a hidden comment", || {
        made("").annotation(dictionary! { "Subtype" => "Square", "F" => 2, "Rect" => rect([20, 80, 40, 100]), "Contents" => text(SECRET) }).bytes()
    }),
    ("a link's address", || {
        let action = dictionary! { "S" => "URI", "URI" => text(&format!("mailto:{SECRET}@example.org")) };
        made(&shown())
            .annotation(dictionary! { "Subtype" => "Link", "Rect" => rect([20, 20, 40, 40]), "A" => action })
            .bytes()
    }),
    ("a field", || {
        let mut made = made("");
        let look = made.form(
            &format!("/Tx BMC BT /F 12 Tf 5 5 Td ({SECRET}) Tj ET EMC"),
            dictionary! { "BBox" => rect([0, 0, 200, 20]) },
        );
        made.field(dictionary! { "FT" => "Tx", "T" => text("name"), "V" => text(SECRET), "DV" => text(SECRET), "Rect" => rect([20, 80, 220, 100]), "AP" => dictionary! { "N" => look } }).bytes()
    }),
    ("a field without appearance", || {
        made("").field(dictionary! { "FT" => "Tx", "T" => text("name"), "V" => text(SECRET), "Rect" => rect([20, 80, 220, 100]) }).bytes()
    }),
    ("a hidden field", || {
        made("").field(dictionary! { "FT" => "Tx", "T" => text("name"), "F" => 2, "V" => text(SECRET), "Rect" => rect([20, 80, 220, 100]) }).bytes()
    }),
    ("the name and the choices of a field", || {
        made("")
            .field(dictionary! {
                "FT" => "Ch", "T" => text(SECRET), "TU" => text(SECRET), "Ff" => 1 << 17, "V" => text("other"),
                "Opt" => vec![text(SECRET), text("other")], "Rect" => rect([20, 80, 220, 100]),
            })
            .bytes()
    }),
    ("the states of a button", || {
        let mut made = made("");
        let look = made.form("0 0 9 9 re f", dictionary! { "BBox" => rect([0, 0, 9, 9]) });
        made.field(dictionary! {
            "FT" => "Btn", "T" => text("box"), "V" => SECRET, "AS" => SECRET, "Rect" => rect([20, 80, 30, 90]),
            "AP" => dictionary! { "N" => dictionary! { SECRET => look, "Off" => look } },
        })
        .bytes()
    }),
    ("a bookmark and destinations", || {
        let mut made = made("");
        let root = made.document.new_object_id();
        let item = made.document.add_object(
            dictionary! { "Title" => text(&format!("About {SECRET}")), "Parent" => root, "Dest" => text(SECRET) },
        );
        made.document.objects.insert(root, dictionary! { "First" => item, "Last" => item, "Count" => 1 }.into());
        let target: Vec<Object> = vec![made.page.into(), "Fit".into()];
        let names = dictionary! { "Names" => vec![text(SECRET), target.clone().into()] };
        made.catalog("Outlines", root)
            .catalog("Names", dictionary! { "Dests" => names })
            .catalog("Dests", dictionary! { SECRET => target })
            .bytes()
    }),
    ("metadata", || {
        let mut made = made("");
        let packet = made.stream(dictionary! { "Type" => "Metadata", "Subtype" => "XML" }, xmp());
        let info = made.document.add_object(dictionary! { "Title" => text(SECRET), SECRET => text("x") });
        made.document.trailer.set("Info", info);
        made.catalog("Metadata", packet).bytes()
    }),
    ("metadata of a picture", || {
        let mut made = made("q 9 0 0 9 20 60 cm /P Do Q");
        let packet = made.stream(dictionary! { "Type" => "Metadata", "Subtype" => "XML" }, xmp());
        let blank = image::GrayImage::new(8, 8);
        let mut dict = picture_dict(&blank, "DeviceGray", 8);
        dict.set("Metadata", packet);
        let id = made.stream(dict, blank.into_raw());
        made.resource("XObject", "P", id).bytes()
    }),
    ("an attachment", || {
        let mut made = made("");
        let file = made.stream(dictionary! { "Type" => "EmbeddedFile" }, SECRET);
        let spec = dictionary! { "Type" => "Filespec", "F" => text(SECRET), "EF" => dictionary! { "F" => file } };
        let names = dictionary! { "Names" => vec![text("a.txt"), spec.into()] };
        made.catalog("Names", dictionary! { "EmbeddedFiles" => names }).bytes()
    }),
    ("a script", || {
        let action = dictionary! { "S" => "JavaScript", "JS" => text(&format!("app.alert('{SECRET}')")) };
        let names = dictionary! { "Names" => vec![text("s"), action.clone().into()] };
        made("").catalog("OpenAction", action).catalog("Names", dictionary! { "JavaScript" => names }).bytes()
    }),
    ("an earlier revision", || {
        let mut bytes = made(&shown()).bytes();
        let mut later = lopdf::IncrementalDocument::load_from(&bytes[..]).unwrap();
        let page = later.get_prev_documents().page_iter().next().unwrap();
        later.opt_clone_object_to_new_document(page).unwrap();
        let blank = format!("BT /F 18 Tf 20 160 Td ({PUBLIC}) Tj ET");
        let content = later.new_document.add_object(lopdf::Stream::new(Dictionary::new(), blank.into_bytes()));
        later.new_document.get_dictionary_mut(page).unwrap().set("Contents", content);
        bytes.clear();
        later.save_to(&mut bytes).unwrap();
        bytes
    }),
    ("private data, a preview, an unused object, labels", || {
        let mut made = made("");
        made.document.add_object(text(SECRET));
        let private = made.stream(Dictionary::new(), SECRET);
        let labels = dictionary! { "Nums" => vec![0.into(), dictionary! { "P" => text(SECRET) }.into()] };
        let pieces = dictionary! { "App" => dictionary! { "Private" => private } };
        made.page("PieceInfo", pieces).page("Thumb", private).catalog("PageLabels", labels).bytes()
    }),
    ("names", || {
        made(&format!("/{SECRET} gs /{SECRET} BMC 0 g EMC"))
            .resource("ExtGState", SECRET, dictionary! { "LW" => 2 })
            .bytes()
    }),
];
