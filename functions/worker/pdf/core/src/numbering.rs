//! Numbers of objects, for a file of its own or after the objects of another document. lopdf's numbering loses pages that the
//! tree names twice, and leaves references to missing objects, which then mean others.

use std::collections::BTreeMap;

use lopdf::{Document, Object, ObjectId};

/// Numbers all objects in their order, from `first` on, with generation 0. References to missing objects become null.
pub fn number_from(document: &mut Document, first: u32) {
    let ids: BTreeMap<ObjectId, ObjectId> =
        document.objects.keys().zip(first..).map(|(old, new)| (*old, (new, 0))).collect();
    let objects = std::mem::take(&mut document.objects);
    document.objects = objects
        .into_iter()
        .filter_map(|(id, mut object)| {
            refer(&mut object, &ids);
            Some((*ids.get(&id)?, object))
        })
        .collect();
    document.trailer.iter_mut().for_each(|(_, value)| refer(value, &ids));
    document.max_id = document.objects.keys().next_back().map_or(first.saturating_sub(1), |last| last.0);
}

/// The parser bounds how deeply objects are nested.
fn refer(object: &mut Object, ids: &BTreeMap<ObjectId, ObjectId>) {
    match object {
        Object::Reference(id) => *object = ids.get(id).map_or(Object::Null, |id| Object::Reference(*id)),
        Object::Array(parts) => parts.iter_mut().for_each(|part| refer(part, ids)),
        Object::Dictionary(dictionary) => dictionary.iter_mut().for_each(|(_, value)| refer(value, ids)),
        Object::Stream(stream) => stream.dict.iter_mut().for_each(|(_, value)| refer(value, ids)),
        Object::Null
        | Object::Boolean(_)
        | Object::Integer(_)
        | Object::Real(_)
        | Object::Name(_)
        | Object::String(..) => {}
    }
}

#[cfg(test)]
mod tests {
    use lopdf::dictionary;

    use super::*;

    #[test]
    fn pages_in_any_order_and_named_twice_stay_where_they_are() {
        let mut document = Document::with_version("1.7");
        for (id, name) in [((9, 0), "first"), ((4, 2), "second"), ((7, 0), "third")] {
            document.objects.insert(id, dictionary! { "Type" => "Page", "Name" => name }.into());
        }
        let kids = [(9, 0), (4, 2), (9, 0), (7, 0), (5, 0)].map(Object::Reference).to_vec();
        document.objects.insert((8, 0), dictionary! { "Type" => "Pages", "Kids" => kids }.into());
        document
            .objects
            .insert((6, 0), dictionary! { "Type" => "Catalog", "Pages" => Object::Reference((8, 0)) }.into());
        document.trailer.set("Root", Object::Reference((6, 0)));
        number_from(&mut document, 11);
        assert_eq!(document.objects.keys().copied().collect::<Vec<_>>(), (11..16).map(|n| (n, 0)).collect::<Vec<_>>());
        assert_eq!(document.max_id, 15);
        let pages = document.catalog().unwrap().get(b"Pages").unwrap().as_reference().unwrap();
        let kids = document.get_dictionary(pages).unwrap().get(b"Kids").unwrap().as_array().unwrap();
        assert_eq!(kids[4], Object::Null);
        let name = |kid: &Object| {
            let page = document.get_dictionary(kid.as_reference().unwrap()).unwrap();
            String::from_utf8(page.get(b"Name").unwrap().as_name().unwrap().to_vec()).unwrap()
        };
        assert_eq!(kids[..4].iter().map(name).collect::<Vec<_>>(), ["first", "second", "first", "third"]);
    }
}
