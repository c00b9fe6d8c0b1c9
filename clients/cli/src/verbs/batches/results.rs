//! `docmill batches download`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::Value;

use super::text;
use crate::api::transfer::Advance;
use crate::api::{Api, Call, encoded};
use crate::args::Globals;
use crate::failure::Outcome;
use crate::report::{self, Report};
use crate::run::place;

/// Results that are downloaded at the same time.
const DOWNLOADS: usize = 8;
/// Links work for ten minutes, so few are asked for at once.
const PAGE: usize = 100;

/// Downloads each result into the folder, under the name that the service gives it.
pub(super) async fn download(api: &Api, globals: &Globals, path: &str, folder: &Path) -> Outcome<()> {
    let report = Report::new(globals, 1, false);
    let progress = report.progress("downloading");
    let (mut taken, mut cursor, mut saved) = (HashSet::new(), String::new(), 0);
    loop {
        let answer = api.call(Call::get(format!("{path}/download?limit={PAGE}{cursor}"))).await?;
        let rows = answer.body["results"].as_array().cloned().unwrap_or_default();
        for row in rows.iter().filter(|row| row["errorCode"].is_string()) {
            report.say(&format!(
                "item {}: {} [{}]",
                text(row, "index"),
                text(row, "errorMessage"),
                text(row, "errorCode")
            ));
        }
        let wanted: Vec<_> = rows.iter().filter(|row| row["url"].is_string()).collect();
        let targets: Vec<_> = wanted.iter().map(|row| folder.join(own_name(row, &mut taken))).collect();
        saved += targets.len();
        let saving = stream::iter(wanted.into_iter().zip(&targets)).map(async |(row, target)| {
            if !is_there(row, target) {
                api.download(row, target, &Advance::default()).await?;
            }
            if globals.json {
                report.json(&serde_json::json!({"type": "download", "index": row["index"], "jobId": row["jobId"],
                    "output": target.display().to_string(), "bytes": row["bytes"]}));
            }
            Outcome::Ok(())
        });
        saving.buffer_unordered(DOWNLOADS).try_collect::<()>().await?;
        progress.stage(format!("{saved} results"));
        let Some(next) = answer.body["nextCursor"].as_str() else { break };
        cursor = format!("&cursor={}", encoded(next));
    }
    progress.finish();
    if !globals.json {
        report::to_stdout(&format!("{saved} results in {}", folder.display()));
    }
    Ok(())
}

/// A name that no other item has: the second `report.pdf` is `report (7).pdf`, after the index of its item.
fn own_name(row: &Value, taken: &mut HashSet<String>) -> PathBuf {
    let index = row["index"].as_u64().unwrap_or(0);
    let name = place::safe(row["filename"].as_str().unwrap_or_default(), usize::try_from(index).unwrap_or(0));
    // Some file systems don't tell capitals from small letters.
    if taken.insert(name.to_lowercase()) {
        return PathBuf::from(name);
    }
    let part = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
    let path = Path::new(&name);
    let suffix = part(path.extension()).map(|suffix| format!(".{suffix}")).unwrap_or_default();
    let mut stem = part(path.file_stem()).unwrap_or_default();
    loop {
        stem = format!("{stem} ({index})");
        let name = format!("{stem}{suffix}");
        if taken.insert(name.to_lowercase()) {
            return PathBuf::from(name);
        }
    }
}

/// An earlier run may have downloaded it.
fn is_there(row: &Value, target: &Path) -> bool {
    target.metadata().is_ok_and(|found| row["bytes"].as_u64() == Some(found.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_result_has_a_name_of_its_own() {
        let mut taken = HashSet::new();
        let names = ["a.pdf", "A.pdf", "../a.pdf", "b", "a (5).pdf", "a.pdf"];
        let names: Vec<_> = names
            .iter()
            .enumerate()
            .map(|(index, name)| own_name(&json!({"index": index, "filename": name}), &mut taken))
            .collect();
        assert_eq!(names, ["a.pdf", "A (1).pdf", "a (2).pdf", "b", "a (5).pdf", "a (5) (5).pdf"].map(PathBuf::from));
    }
}
