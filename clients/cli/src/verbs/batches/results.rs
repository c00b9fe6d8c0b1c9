//! `docmill batches download`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::Value;

use super::text;
use crate::api::transfer::Advance;
use crate::api::{Api, Call, encoded};
use crate::args::Globals;
use crate::failure::{Failure, Outcome};
use crate::made::Made;
use crate::report::{self, Report};
use crate::run::place;

/// Results that are downloaded at the same time.
const DOWNLOADS: usize = 8;
/// Links work for ten minutes, so few are asked for at once.
const PAGE: usize = 100;

/// Downloads each result into the folder, under the name that the service gives it.
pub(super) async fn download(api: &Api, globals: &Globals, path: &str, folder: &Path) -> Outcome<()> {
    let report = Report::new(globals, 1, false);
    let made = Made::open(false)?;
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
            let target = if is_there(row, target) {
                target.clone()
            } else {
                let own = made.of(format!("{path} {}", row["index"]), "");
                let target = own.free(target.clone());
                api.download(row, &target, &Advance::default()).await?;
                own.note(&target);
                target
            };
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

/// Downloads the files of the batch's archive into the folder.
pub(super) async fn download_archive(api: &Api, globals: &Globals, path: &str, folder: &Path) -> Outcome<()> {
    let answer = api.call(Call::get(format!("{path}/download?limit=1"))).await?;
    let archive = &answer.body["archive"];
    let Some(files) = archive["files"].as_array() else {
        return Err(Failure::usage(
            "The batch has no archive. It has one from its end until its results expire, if it was created with --archive.",
        ));
    };
    let report = Report::new(globals, 1, false);
    let made = Made::open(false)?;
    let progress = report.progress("downloading");
    for (index, file) in files.iter().enumerate() {
        progress.stage(format!("{} of {} files", index + 1, files.len()));
        let mut target = folder.join(place::safe(file["filename"].as_str().unwrap_or_default(), index));
        if !is_there(file, &target) {
            target = made.of(path, "").free(target);
            // Links work for ten minutes, which several large files may take.
            let fresh = api.call(Call::get(format!("{path}/download?limit=1"))).await?;
            api.download(fresh.body["archive"]["files"].get(index).unwrap_or(file), &target, &Advance::default())
                .await?;
            made.of(path, "").note(&target);
        }
        if globals.json {
            report.json(&serde_json::json!({"type": "archive", "output": target.display().to_string(),
                "bytes": file["bytes"], "results": file["results"]}));
        }
    }
    progress.finish();
    let results: u64 = files.iter().filter_map(|file| file["results"].as_u64()).sum();
    if !globals.json {
        report::to_stdout(&format!("{results} results in {} files in {}", files.len(), folder.display()));
    }
    match archive["leftOut"].as_u64() {
        Some(left_out) if left_out > 0 => {
            report.say(&format!("{left_out} results had expired or were deleted before the archive was made"));
        }
        Some(_) | None => {}
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
