//! Where results go, and whether a file's name fits what is in it.

use std::path::{Path, PathBuf};

use tokio::fs::OpenOptions;

use crate::error::{Error, Result};
use crate::request::extension;

/// Extensions that say what a file is. Any other is as good as none.
const KNOWN: [&str; 28] = [
    "pdf", "docx", "doc", "odt", "rtf", "txt", "xlsx", "xls", "ods", "csv", "pptx", "ppt", "odp", "html", "md", "json",
    "jsonl", "xml", "png", "jpg", "webp", "tiff", "gif", "bmp", "svg", "zip", "eml", "msg",
];

/// The format that a name's extension stands for.
fn format_of(name: &Path) -> Option<String> {
    let extension = extension(&name.to_string_lossy())?;
    let format = match extension.as_str() {
        "jpeg" => "jpg",
        "tif" => "tiff",
        "htm" => "html",
        "markdown" => "md",
        "text" => "txt",
        other => other,
    };
    KNOWN.contains(&format).then(|| format.to_owned())
}

/// Whether a path names a folder: it ends in a slash, or is one.
pub(crate) fn is_folder(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.ends_with('/') || text.ends_with(std::path::MAIN_SEPARATOR) || path.is_dir()
}

/// Compares the format that a path's extension says with that of the result.
pub(crate) fn check_name(path: &Path, filename: &str) -> Result<()> {
    let (Some(wanted), Some(made)) = (format_of(path), format_of(Path::new(filename))) else { return Ok(()) };
    let path = path.display();
    if wanted == made {
        return Ok(());
    }
    Err(Error::Usage(if made == "zip" {
        format!("{path} can't hold several files: give a folder, such as \"pages/\", or a name that ends in .zip")
    } else {
        format!(
            "{path} says {wanted}, but the result is a {made}: name it .{made}, or add the tool that makes a {wanted} with `then`"
        )
    }))
}

/// Says why a file can't be made at a path, for example because there is one.
pub(crate) fn check_target(path: &Path, overwrite: bool) -> Result<()> {
    if !overwrite && path.symlink_metadata().is_ok() {
        return Err(taken(path));
    }
    let folder = match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => return Err(Error::Usage(format!("{} is not a file's path", path.display()))),
    };
    if folder.is_dir() {
        return Ok(());
    }
    Err(Error::Usage(format!("{} can't be written: there is no folder {}", path.display(), folder.display())))
}

fn taken(path: &Path) -> Error {
    let path = path.display();
    Error::Usage(format!("{path} exists already: choose another name, or allow it with `Save::overwrite`"))
}

/// Gives a whole file its name.
pub(crate) async fn publish(temporary: &Path, path: &Path, overwrite: bool) -> Result<()> {
    if !overwrite {
        // Of all that want this name, only one can create it.
        match OpenOptions::new().write(true).create_new(true).open(path).await {
            Ok(claimed) => drop(claimed.into_std().await),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return Err(taken(path)),
            Err(error) => return Err(unwritable(path, &error)),
        }
    }
    if let Err(error) = tokio::fs::rename(temporary, path).await {
        if !overwrite {
            // The error that counts is the first one.
            drop(tokio::fs::remove_file(path).await);
        }
        return Err(unwritable(path, &error));
    }
    Ok(())
}

pub(crate) fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::Usage(format!("{} can't be written: {error}", path.display()))
}

/// A path of each name, without anything that leads to another folder, and no two the same.
pub(crate) fn paths_in<'a>(folder: &Path, names: impl IntoIterator<Item = &'a str>) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for (index, name) in names.into_iter().enumerate() {
        let name = name.replace('\\', "/");
        let plain = Path::new(&name).file_name().map(|name| name.to_string_lossy().into_owned());
        let plain = plain.unwrap_or_else(|| format!("result-{}", index + 1));
        let mut path = folder.join(&plain);
        if paths.contains(&path) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let extension = path.extension().map(|extension| format!(".{}", extension.to_string_lossy()));
            path.set_file_name(format!("{stem}-{}{}", index + 1, extension.unwrap_or_default()));
        }
        paths.push(path);
    }
    paths
}
