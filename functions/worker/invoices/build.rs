//! Packs the rule files: what is published as megabytes of text is a tenth of that in the binary.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// Rules of Peppol, which state no licence. An operator may add them.
const OPTIONAL: [&str; 2] = ["peppol-ubl", "peppol-cii"];
/// How the rules of Factur-X look a code up.
const LOOKUP: [&str; 4] = ["document('", "')/codedb/cl[@id=", "]/enumeration[@value=", "]"];
/// What separates codes in a list. No document has it.
const SEPARATOR: char = '\u{e000}';

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=rules");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo gives no OUT_DIR"))?;
    let packed = |name: &str| Path::new(&out).join(name).with_extension("deflate");
    let mut peppol = String::new();
    for name in OPTIONAL {
        // Without the file, there are no rules in the packed one.
        File::create(packed(name))?;
        if let Ok(source) = fs::read_to_string(Path::new("rules").join(name).with_extension("sch")) {
            peppol = release(&source).unwrap_or("as built").to_owned();
        }
    }
    println!("cargo:rustc-env=PEPPOL_RELEASE={peppol}");
    for entry in fs::read_dir("rules")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "sch")
            && let Some(name) = path.file_stem().and_then(|name| name.to_str())
        {
            let mut source = fs::read_to_string(&path)?;
            if let Ok(codes) = fs::read_to_string(path.with_extension("codes.xml")) {
                source = with_codes(&source, &codes).ok_or_else(|| io::Error::other(format!("the codes of {name}")))?;
            }
            pack(&packed(name), &source)?;
        }
    }
    for entry in fs::read_dir("rules/xsd")? {
        let folder = entry?.path();
        if let Some(name) = folder.file_name().and_then(|name| name.to_str()) {
            pack(&packed(&format!("xsd-{name}")), &schemas(&folder)?)?;
        }
    }
    Ok(())
}

fn pack(target: &Path, source: &str) -> io::Result<()> {
    let mut encoder = DeflateEncoder::new(File::create(target)?, Compression::best());
    encoder.write_all(source.as_bytes())?;
    encoder.finish().map(drop)
}

/// The schemas in a folder, as one document.
fn schemas(folder: &Path) -> io::Result<String> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    let mut all = "<schemas>".to_owned();
    for path in paths {
        let source = fs::read_to_string(&path)?;
        let start = if source.contains("<?xml") { source.find("?>").map_or(0, |end| end + 2) } else { 0 };
        all.push_str(source.get(start..).unwrap_or_default());
    }
    all.push_str("</schemas>");
    Ok(all)
}

/// What the head of a file of Peppol says: `Last update: 2025 May release 3.0.19.`
fn release(source: &str) -> Option<&str> {
    let (_, rest) = source.split_once("release ")?;
    rest.split_whitespace().next().map(|release| release.trim_end_matches('.'))
}

/// The rules with their lists of codes as variables, instead of a second document in which they look codes up. Reports, which have neither
/// ids nor a severity there, are warnings.
fn with_codes(source: &str, codes: &str) -> Option<String> {
    let lists = lists(codes)?;
    let [document, list, value, end] = LOOKUP;
    let (head, rules) = source.split_at(source.find("<pattern")?);
    let mut result = head.to_owned();
    for (id, codes) in lists.iter().filter(|(id, _)| rules.contains(&format!("{list}{id}]"))) {
        let codes: String = codes.iter().map(|code| format!("{code}{SEPARATOR}")).collect();
        write!(result, "<let name=\"codes{id}\" value=\"'{SEPARATOR}{codes}'\"/>").ok()?;
    }
    let mut parts = rules.split(document);
    result.push_str(parts.next()?);
    for part in parts {
        let (id, rest) = part.split_once(list)?.1.split_once(value)?;
        let (variable, rest) = rest.split_once(end)?;
        write!(result, "contains($codes{id},concat('{SEPARATOR}',{variable},'{SEPARATOR}')){rest}").ok()?;
    }
    Some(result.replace("<report test=", "<report id=\"FX-NOT-USED\" flag=\"warning\" test="))
}

/// The codes of each list, by its id. None has a quote or an ampersand.
fn lists(codes: &str) -> Option<BTreeMap<u32, Vec<&str>>> {
    let mut lists: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    let mut open = None;
    for tag in codes.split('<') {
        if let Some(rest) = tag.strip_prefix("cl id=\"") {
            open = Some(rest.split_once('"')?.0.parse().ok()?);
            lists.entry(open?).or_default();
        } else if let Some(rest) = tag.strip_prefix("enumeration value=\"") {
            let code = rest.split_once('"')?.0;
            if code.contains(['\'', '&']) {
                return None;
            }
            lists.get_mut(&open?)?.push(code);
        }
    }
    Some(lists)
}
