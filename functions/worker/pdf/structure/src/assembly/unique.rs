//! Names that no other source has.

/// `name`, or the first free one of `name+2`, `name+3` … The suffix of UTF-16 text is in UTF-16.
pub(super) fn unique(name: &[u8], taken: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let wide = name.starts_with(&[0xFE, 0xFF]);
    let mut new = name.to_vec();
    let mut number = 2_u32;
    while taken(&new) {
        let tail = format!("+{number}").into_bytes();
        let tail = if wide { tail.into_iter().flat_map(|byte| [0, byte]).collect() } else { tail };
        new = [name, &tail].concat();
        number += 1;
    }
    new
}
