//! The title of a document.

use super::candidate::Candidate;
use super::whole::LARGER;

/// Single words in large type may be the name of a journal: text with so many words that is so much larger than the body goes before.
const WORDS: f32 = 4.0;
const MUCH_LARGER: f32 = 1.3;

/// The title, on the first page: what the metadata calls so, or else the only block in the largest type. `body`: the size of the text.
/// The metadata of slides name the whole deck, and its first slide is no higher than the others.
pub(super) fn of<'c>(all: &[&'c Candidate], body: f32, named: Option<u64>) -> Option<&'c Candidate> {
    let first = || all.iter().copied().filter(|one| one.local.first > 0.0);
    let largest = |words: f32, larger: f32| {
        let most = all.iter().filter(|one| one.local.words >= words).map(|one| one.style.size).max()?;
        let mut alike = all.iter().copied().filter(|one| one.local.words >= words && one.style.size == most);
        let one = alike.next().filter(|_| alike.next().is_none())?;
        (one.local.first > 0.0 && body > 0.0 && one.size > body * larger).then_some(one)
    };
    let alone = largest(0.0, LARGER);
    if first().any(|one| one.local.landscape > 0.0) {
        return alone;
    }
    let named = first().filter(|one| Some(one.name) == named).max_by_key(|one| one.style.size);
    let is_name = |one: &&Candidate| one.local.words < 2.0;
    named.or_else(|| alone.filter(is_name).and_then(|_| largest(WORDS, MUCH_LARGER))).or(alone)
}
