//! The security store of a document: certificates, and what says that they were good.

use lopdf::{Dictionary, Object, Stream, dictionary};

use super::Unsignable;
use super::update::Update;
use crate::file::View;
use crate::make::Dossier;

/// Writes the update of a file with these in its store, beside what it has.
pub(super) fn write(view: &View<'_>, dossier: &Dossier) -> Result<Vec<u8>, Unsignable> {
    let root = view.revision.root().ok_or(Unsignable::Unreadable("the file has no catalog"))?.0;
    let mut update = Update::new(view);
    let mut catalog = update.dictionary(root)?;
    let mut store = view.dictionary(&catalog, b"DSS").unwrap_or_else(|| dictionary! { "Type" => "DSS" });
    for (key, all) in [("Certs", &dossier.certificates), ("CRLs", &dossier.lists), ("OCSPs", &dossier.responses)] {
        extend(view, &mut update, &mut store, key, all);
    }
    let number = update.add(Object::Dictionary(store));
    catalog.set("DSS", (number, 0));
    update.put(root, catalog);
    update.write_plain()
}

fn extend(view: &View<'_>, update: &mut Update<'_, '_>, store: &mut Dictionary, key: &str, all: &[Vec<u8>]) {
    let mut list = view.array(store, key.as_bytes());
    for der in all {
        let mut stream = Stream::new(Dictionary::new(), der.clone());
        // What can't be compressed stays as it is.
        drop(stream.compress());
        list.push((update.add(stream), 0).into());
    }
    if !list.is_empty() {
        store.set(key, list);
    }
}
