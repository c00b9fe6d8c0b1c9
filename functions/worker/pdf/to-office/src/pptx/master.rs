//! The master and the layout of all slides, and their theme: black on white, with a title and a body.

use docmill_package::NewPackage;

use super::{LAYOUT, NAMESPACES, SLIDES};
use crate::geometry::Area;
use crate::parts::kind;
use crate::theme;
use crate::xml::Xml;

pub(super) const MASTER: &str = "ppt/slideMasters/slideMaster1.xml";
const THEME: &str = "ppt/theme/theme1.xml";
/// The group of all shapes of a slide.
pub(super) const GROUP: &str = "<p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr>\
    <p:grpSpPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"0\" cy=\"0\"/><a:chOff x=\"0\" y=\"0\"/><a:chExt cx=\"0\" cy=\"0\"/></a:xfrm></p:grpSpPr>";

/// Adds master, layout and theme for slides of this size in points.
pub(super) fn add(package: &mut NewPackage, (width, height): (f64, f64)) {
    let title = Area { left: width * 0.06, top: height * 0.05, right: width * 0.94, bottom: height * 0.2 };
    let body = Area { top: height * 0.24, bottom: height * 0.94, ..title };
    let layout = package.relate(MASTER, &kind("slideLayout"), LAYOUT);
    package.relate(LAYOUT, &kind("slideMaster"), MASTER);

    let mut xml = Xml::part();
    xml.open("p:sldMaster", NAMESPACES).open("p:cSld", &[]).open("p:bg", &[]);
    xml.open("p:bgPr", &[]).open("a:solidFill", &[]).empty("a:schemeClr", &[("val", "bg1")]).close("a:solidFill");
    xml.empty("a:effectLst", &[]).close("p:bgPr").close("p:bg");
    shapes(&mut xml, &title, &body);
    xml.close("p:cSld");
    let colors = ["bg1", "tx1", "bg2", "tx2"].into_iter().zip(["lt1", "dk1", "lt2", "dk2"]);
    let accents = ["accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hlink", "folHlink"];
    let colors: Vec<(&str, &str)> = colors.chain(accents.into_iter().map(|name| (name, name))).collect();
    xml.empty("p:clrMap", &colors).open("p:sldLayoutIdLst", &[]);
    xml.empty("p:sldLayoutId", &[("id", "2147483649"), ("r:id", &layout)]).close("p:sldLayoutIdLst");
    xml.open("p:txStyles", &[]);
    for (element, size) in [("p:titleStyle", "2800"), ("p:bodyStyle", "1800"), ("p:otherStyle", "1800")] {
        xml.open(element, &[]).open("a:lvl1pPr", &[("algn", "l")]).empty("a:buNone", &[]);
        xml.open("a:defRPr", &[("sz", size)]).open("a:solidFill", &[]).empty("a:schemeClr", &[("val", "tx1")]);
        xml.close("a:solidFill").empty("a:latin", &[("typeface", "+mn-lt")]).close("a:defRPr");
        xml.close("a:lvl1pPr").close(element);
    }
    xml.close("p:txStyles").close("p:sldMaster");
    package.add(MASTER, &format!("{SLIDES}.slideMaster+xml"), xml.finish());

    let mut xml = Xml::part();
    xml.open("p:sldLayout", &[NAMESPACES, &[("type", "obj")]].concat());
    xml.open("p:cSld", &[("name", "Title and Content")]);
    shapes(&mut xml, &title, &body);
    xml.close("p:cSld").open("p:clrMapOvr", &[]).empty("a:masterClrMapping", &[]).close("p:clrMapOvr");
    xml.close("p:sldLayout");
    package.add(LAYOUT, &format!("{SLIDES}.slideLayout+xml"), xml.finish());
    theme::add(package, MASTER, THEME);
}

/// The placeholders of a title and a body.
fn shapes(xml: &mut Xml, title: &Area, body: &Area) {
    xml.open("p:spTree", &[]).raw(GROUP);
    for (id, name, area) in [("2", "Title", title), ("3", "Body", body)] {
        xml.open("p:sp", &[]).open("p:nvSpPr", &[]).empty("p:cNvPr", &[("id", id), ("name", name)]);
        xml.open("p:cNvSpPr", &[]).empty("a:spLocks", &[("noGrp", "1")]).close("p:cNvSpPr").open("p:nvPr", &[]);
        if name == "Title" {
            xml.empty("p:ph", &[("type", "title")]);
        } else {
            xml.empty("p:ph", &[("type", "body"), ("idx", "1")]);
        }
        xml.close("p:nvPr").close("p:nvSpPr").open("p:spPr", &[]);
        super::shapes::transform(xml, "a:xfrm", area);
        xml.open("a:prstGeom", &[("prst", "rect")]).empty("a:avLst", &[]).close("a:prstGeom").close("p:spPr");
        xml.open("p:txBody", &[]).empty("a:bodyPr", &[]).empty("a:lstStyle", &[]).open("a:p", &[]);
        xml.empty("a:endParaRPr", &[]).close("a:p").close("p:txBody").close("p:sp");
    }
    xml.close("p:spTree");
}
