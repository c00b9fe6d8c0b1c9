//! The theme that Word and PowerPoint need: black on white, in one font.

use docmill_package::NewPackage;

use crate::parts::{self, kind};
use crate::xml::Xml;

/// Adds a theme by this name, and relates a part to it.
pub(crate) fn add(package: &mut NewPackage, part: &str, name: &str) {
    package.add(name, "application/vnd.openxmlformats-officedocument.theme+xml", theme());
    package.relate(part, &kind("theme"), name);
}

fn theme() -> String {
    let mut xml = Xml::part();
    xml.open("a:theme", &[("xmlns:a", parts::DRAWING), ("name", "Plain")]).open("a:themeElements", &[]);
    xml.open("a:clrScheme", &[("name", "Plain")]);
    for (name, color) in [
        ("dk1", "000000"),
        ("lt1", "FFFFFF"),
        ("dk2", "1F2937"),
        ("lt2", "F3F4F6"),
        ("accent1", "1F6FEB"),
        ("accent2", "D1572C"),
        ("accent3", "6B7280"),
        ("accent4", "C98A00"),
        ("accent5", "2E7D4F"),
        ("accent6", "7C4DBC"),
        ("hlink", "0563C1"),
        ("folHlink", "954F72"),
    ] {
        let element = format!("a:{name}");
        xml.open(&element, &[]).empty("a:srgbClr", &[("val", color)]).close(&element);
    }
    xml.close("a:clrScheme").open("a:fontScheme", &[("name", "Plain")]);
    for element in ["a:majorFont", "a:minorFont"] {
        xml.open(element, &[]).empty("a:latin", &[("typeface", "Arial")]).empty("a:ea", &[("typeface", "")]);
        xml.empty("a:cs", &[("typeface", "")]).close(element);
    }
    xml.close("a:fontScheme").open("a:fmtScheme", &[("name", "Plain")]);
    let fill = "<a:solidFill><a:schemeClr val=\"phClr\"/></a:solidFill>";
    let line = |width: u32| format!("<a:ln w=\"{width}\">{fill}</a:ln>");
    xml.open("a:fillStyleLst", &[]).raw(&fill.repeat(3)).close("a:fillStyleLst");
    xml.open("a:lnStyleLst", &[]).raw(&[6350, 12700, 19050].map(line).concat()).close("a:lnStyleLst");
    let effect = "<a:effectStyle><a:effectLst/></a:effectStyle>";
    xml.open("a:effectStyleLst", &[]).raw(&effect.repeat(3)).close("a:effectStyleLst");
    xml.open("a:bgFillStyleLst", &[]).raw(&fill.repeat(3)).close("a:bgFillStyleLst");
    xml.close("a:fmtScheme").close("a:themeElements").close("a:theme");
    xml.finish()
}
