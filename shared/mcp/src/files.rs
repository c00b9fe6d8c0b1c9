//! Files of the user's machine, for servers that run there.

use std::fmt::Debug;
use std::path::Path;

use async_trait::async_trait;
use serde_json::{Map, Value, json};

/// A source's member that names a file of this machine.
pub(crate) const PATH: &str = "path";

/// How files come and go.
#[async_trait]
pub trait LocalFiles: Debug + Send + Sync {
    /// Uploads the file and returns the upload's id. The error is for the user.
    async fn upload(&self, path: &Path) -> Result<String, String>;

    /// Saves a file of a result, which has a signed `url` and its `bytes`, as a new file. The error is for the user.
    async fn save(&self, file: &Value, path: &Path) -> Result<(), String>;
}

/// Uploads each file that a source of `input` names by its path, and names the upload instead.
pub(crate) async fn upload_sources(input: &mut Map<String, Value>, files: &dyn LocalFiles) -> Result<(), String> {
    upload_source(input, files).await?;
    let listed = input.get_mut("sources").and_then(Value::as_array_mut);
    for source in listed.into_iter().flatten().filter_map(Value::as_object_mut) {
        upload_source(source, files).await?;
    }
    Ok(())
}

async fn upload_source(source: &mut Map<String, Value>, files: &dyn LocalFiles) -> Result<(), String> {
    let Some(path) = source.remove(PATH) else { return Ok(()) };
    let Some(path) = path.as_str().map(Path::new) else { return Err("`path` must be a file's path.".into()) };
    let upload = files.upload(path).await?;
    source.insert("uploadId".into(), json!(upload));
    // Tells formats apart that look alike, such as text and CSV.
    if let Some(name) = path.file_name().and_then(|name| name.to_str()) {
        source.entry("filename").or_insert_with(|| json!(name));
    }
    Ok(())
}
