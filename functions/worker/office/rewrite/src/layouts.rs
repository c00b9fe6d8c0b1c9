//! Slide layouts that no slide uses. LibreOffice 25.2 makes a master page of each: with the eleven of a common template, a short
//! presentation takes more than twice the time.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use docmill_package::relations;
use quick_xml::events::BytesStart;

use super::edit::{Edit, Edited, Tag, apply, attributes, scan};

use super::{Losses, MOST_BYTES, Package, part, short_part};

const MASTERS: &str = "ppt/slideMasters";
const LAYOUTS: &str = "ppt/slideLayouts";
const LAYOUT: &str = "slideLayout";

/// The ids of unused layouts, by the name of their master's file.
pub(super) type Unused = BTreeMap<String, BTreeSet<String>>;

/// Finds the layouts to leave out. Masters without a layout in use stay as they are.
pub(super) fn unused(package: &mut Package) -> io::Result<Unused> {
    let (mut used, mut masters) = (BTreeSet::new(), Vec::new());
    for name in package.names() {
        // Each layout refers to its master, and each master to its layouts: neither is a use.
        if !name.ends_with(".rels") || relations::is_of(&name, LAYOUTS) {
            continue;
        }
        let Some(xml) = short_part(package, &name, MOST_BYTES)? else { return Ok(Unused::new()) };
        let mut layouts = relations::all(MASTERS, &xml)?;
        layouts.retain(|relation| relation.kind == LAYOUT);
        match master_of(&name) {
            Some(master) => masters.push((master.to_owned(), layouts)),
            None => used.extend(layouts.iter().map(|layout| layout.file_name().to_owned())),
        }
    }
    let mut unused = Unused::new();
    for (master, layouts) in masters {
        let all = layouts.len();
        let others = layouts.into_iter().filter(|layout| !used.contains(layout.file_name()));
        let others: BTreeSet<_> = others.map(|layout| layout.id).collect();
        // A master stays as it is if its list has an entry that is not recognized.
        let listed = entries(&part(package, &format!("{MASTERS}/{master}"))?, &others)?.len();
        if !others.is_empty() && others.len() < all && others.len() == listed {
            unused.insert(master, others);
        }
    }
    Ok(unused)
}

/// The unused layouts of a master, if this part is one or lists a master's relations.
pub(super) fn in_part<'a>(unused: &'a Unused, part: &str) -> Option<&'a BTreeSet<String>> {
    let master = part.strip_prefix(MASTERS).and_then(|name| name.strip_prefix('/'));
    unused.get(master_of(part).or(master)?)
}

fn master_of(relations: &str) -> Option<&str> {
    if !relations::is_of(relations, MASTERS) {
        return None;
    }
    relations.rsplit_once('/')?.1.strip_suffix(".rels")
}

/// Removes unused layouts from a master or its relations.
pub(super) fn edited(part: &str, xml: &str, unused: &BTreeSet<String>) -> io::Result<Edited> {
    let removals = if master_of(part).is_some() {
        let relations = relations::all(part, xml)?.into_iter().filter(|relation| unused.contains(&relation.id));
        relations.map(|relation| Edit::removal(relation.range)).collect()
    } else {
        entries(xml, unused)?
    };
    Ok(Edited { xml: apply(xml, removals), losses: Losses::default() })
}

/// Removals of a master's list entries of these layouts.
fn entries(xml: &str, unused: &BTreeSet<String>) -> io::Result<Vec<Edit>> {
    let is_unused = |tag: &BytesStart<'_>| {
        let is_entry = tag.local_name().as_ref() == "sldLayoutId";
        is_entry && attributes(tag).iter().any(|(name, value)| name.ends_with(":id") && unused.contains(value))
    };
    let mut removals = Vec::new();
    scan(xml, |range, tag| {
        if let Tag::Empty(tag) = tag
            && is_unused(&tag)
        {
            removals.push(Edit::removal(range));
        }
    })?;
    Ok(removals)
}
