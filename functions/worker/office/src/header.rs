//! The version in the header of a PDF.

use std::io::{self, Read, Seek, Write};
use std::path::Path;

use docmill_confine::scratch;

const HEAD_1_7: [u8; 8] = *b"%PDF-1.7";

/// Changes the declared version of an earlier PDF to 1.7, which includes all earlier ones. The check of the result handles
/// anything else.
pub(super) fn declare_1_7(path: &Path) -> io::Result<()> {
    let Ok(mut file) = scratch::open_to_change(path) else { return Ok(()) };
    let mut head = Vec::with_capacity(HEAD_1_7.len());
    Read::take(&mut file, HEAD_1_7.len() as u64).read_to_end(&mut head)?;
    if head.starts_with(b"%PDF-1.") && head.as_slice() < HEAD_1_7.as_slice() {
        file.rewind()?;
        file.write_all(&HEAD_1_7)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_version_is_declared_1_7() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.pdf");
        for (given, declared) in
            [("%PDF-1.5\nrest", "%PDF-1.7\nrest"), ("%PDF-2.0\n", "%PDF-2.0\n"), ("%PDF", "%PDF"), ("", "")]
        {
            std::fs::write(&path, given).unwrap();
            declare_1_7(&path).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), declared);
        }
    }

    #[test]
    fn a_link_is_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let (other, link) = (directory.path().join("other"), directory.path().join("x.pdf"));
        std::fs::write(&other, "%PDF-1.4\n").unwrap();
        std::os::unix::fs::symlink(&other, &link).unwrap();
        declare_1_7(&link).unwrap();
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "%PDF-1.4\n");
    }
}
