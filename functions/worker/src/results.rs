//! The files of a result: names, sizes, and a ZIP if there are several.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use docmill_confine::scratch;
use docmill_domain::hex;
use docmill_domain::job::Output;
use docmill_engine::{Artifact, Failure};
use docmill_formats::Format;
use sha2::{Digest, Sha256};
use tokio::task::spawn_blocking;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A longer name would not fit into the download link.
const MAX_NAME_CHARACTERS: usize = 150;

/// A local file and its description.
#[derive(Debug)]
pub struct Made {
    pub path: PathBuf,
    pub output: Output,
}

/// All files of a result.
#[derive(Debug)]
pub struct Files {
    /// Every file, in order.
    pub each: Vec<Made>,
    /// A ZIP of all files, if there are several.
    pub archive: Option<Made>,
}

impl Files {
    /// The job's `output`.
    pub fn primary(&self) -> Option<&Made> {
        self.archive.as_ref().or(self.each.first())
    }
}

/// Describes the result of the last call. `name`: the client's name for it, or the source's.
pub(crate) async fn finish(artifacts: Vec<Artifact>, name: Option<String>, scratch: &Path) -> Result<Files, Failure> {
    let scratch = scratch.to_owned();
    let finished = spawn_blocking(move || describe(artifacts, name.as_deref(), &scratch)).await;
    let finished = finished.map_err(|_panicked| Failure::internal("measuring the results panicked"))?;
    finished.map_err(|error| Failure::internal(format!("the results could not be read: {error}")))
}

fn describe(artifacts: Vec<Artifact>, name: Option<&str>, scratch: &Path) -> io::Result<Files> {
    let stem = stem(name);
    let several = artifacts.len() > 1;
    let each = artifacts.into_iter().enumerate().map(|(index, artifact)| {
        let extension = artifact.media.extension();
        let filename = artifact.filename.as_deref().map(|name| format!("{}.{extension}", self::stem(Some(name))));
        let own = if several { format!("{stem}-{}.{extension}", index + 1) } else { format!("{stem}.{extension}") };
        made(artifact, filename.unwrap_or(own))
    });
    let each = each.collect::<io::Result<Vec<_>>>()?;
    let archive = if several { Some(archive(&each, &stem, scratch)?) } else { None };
    Ok(Files { each, archive })
}

fn made(artifact: Artifact, filename: String) -> io::Result<Made> {
    let Artifact { path, media, pages, width, height, .. } = artifact;
    let (bytes, sha256) = measure(&path)?;
    let (format, content_type) = (media.extension().to_owned(), media.content_type().to_owned());
    Ok(Made { path, output: Output { format, content_type, bytes, pages, width, height, sha256, filename } })
}

/// A ZIP without compression, since the files are compressed already. Times are fixed, so that equal results have equal archives.
fn archive(each: &[Made], stem: &str, scratch: &Path) -> io::Result<Made> {
    let path = scratch.join("results.zip");
    let mut zip = ZipWriter::new(File::create(&path)?);
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
    let mut names = std::collections::HashSet::new();
    for (index, Made { path, output }) in each.iter().enumerate() {
        let unused = names.insert(output.filename.clone());
        let name = if unused { output.filename.clone() } else { format!("{}-{}", index + 1, output.filename) };
        zip.start_file(name, options)?;
        io::copy(&mut scratch::open_written(path)?, &mut zip)?;
    }
    zip.finish()?;
    let (pages, width, height) = (None, None, None);
    made(Artifact { path, media: Format::Zip, pages, width, height, filename: None }, format!("{stem}.zip"))
}

/// Size and digest.
fn measure(path: &Path) -> io::Result<(u64, String)> {
    let mut digest = Sha256::new();
    let mut file = scratch::open_written(path)?;
    let mut buffer = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((bytes, hex(&digest.finalize())));
        }
        digest.update(&buffer[..read]);
        bytes += read as u64;
    }
}

/// `report.docx` becomes `report`. Without a name, it is `document`.
fn stem(name: Option<&str>) -> String {
    let stem = name.map_or("document", |name| match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && extension.len() <= 5 => stem,
        Some(_) | None => name,
    });
    let plain = stem.chars().map(|character| if matches!(character, '/' | '\\') { '_' } else { character });
    let stem: String = plain.filter(|character| !character.is_control()).take(MAX_NAME_CHARACTERS).collect();
    if stem.trim().is_empty() { "document".to_owned() } else { stem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(directory: &Path, name: &str, content: &str, filename: Option<&str>) -> Artifact {
        let path = directory.join(name);
        std::fs::write(&path, content).unwrap();
        let (pages, width, height) = (Some(1), None, None);
        Artifact { path, media: Format::Pdf, pages, width, height, filename: filename.map(str::to_owned) }
    }

    #[test]
    fn results_are_named_after_their_source() {
        assert_eq!(stem(Some("Report 2026.docx")), "Report 2026");
        assert_eq!(stem(Some("v1.2 notes of meeting")), "v1.2 notes of meeting");
        assert_eq!(stem(Some(".docx")), ".docx");
        assert_eq!(stem(Some("../../etc/passwd")), ".._.._etc_passwd");
        assert_eq!(stem(None), "document");
        assert_eq!(stem(Some(&"n".repeat(60_000))).len(), MAX_NAME_CHARACTERS);
    }

    #[test]
    fn one_file_is_the_result_and_several_are_in_a_zip() {
        let scratch = tempfile::tempdir().unwrap();
        let one = describe(vec![artifact(scratch.path(), "a", "one", None)], Some("x.docx"), scratch.path()).unwrap();
        assert!(one.archive.is_none());
        assert_eq!(one.primary().unwrap().output.filename, "x.pdf");

        let several = || {
            let artifacts = vec![
                artifact(scratch.path(), "a", "one", None),
                artifact(scratch.path(), "b", "two", Some("chapter.pdf")),
                artifact(scratch.path(), "c", "three", Some("chapter.pdf")),
            ];
            describe(artifacts, Some("x.pdf"), scratch.path()).unwrap()
        };
        let files = several();
        let names: Vec<_> = files.each.iter().map(|made| made.output.filename.as_str()).collect();
        assert_eq!(names, ["x-1.pdf", "chapter.pdf", "chapter.pdf"]);
        let primary = files.primary().unwrap();
        assert_eq!(
            (primary.output.filename.as_str(), primary.output.content_type.as_str()),
            ("x.zip", "application/zip")
        );
        let mut zip = zip::ZipArchive::new(File::open(&primary.path).unwrap()).unwrap();
        let mut content = String::new();
        zip.by_name("3-chapter.pdf").unwrap().read_to_string(&mut content).unwrap();
        assert_eq!((zip.len(), content.as_str()), (3, "three"));
        assert_eq!(several().primary().unwrap().output.sha256, primary.output.sha256, "equal results, equal archives");
    }
}
