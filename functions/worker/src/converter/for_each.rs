//! A step that runs for each file of the step before.

use std::path::Path;

use docmill_confine::scratch;
use docmill_domain::job::{JobErrorCode, Warning};
use docmill_engine::{Artifact, Conversion, Failure};
use docmill_fonts::OwnFonts;
use futures_util::{StreamExt, TryStreamExt, stream};

use super::{Converter, Place, Step, Workspace, as_sources};

/// Files in work at the same time. The engine has one of them, while the check has another.
const AT_ONCE: usize = 2;

impl Converter {
    /// Converts each file. They keep their names, and a failure names the file's row.
    pub(super) async fn step_for_each(
        &self,
        step: Step<'_>,
        files: Vec<Artifact>,
        fonts: &OwnFonts,
        at: Workspace<'_>,
    ) -> Result<Conversion, Failure> {
        let count = files.len();
        let made = files.into_iter().enumerate().map(|(index, file)| async move {
            let made = self.file_of_many(step, index, &file, fonts, at).await;
            made.map_err(|failure| in_row(failure, index + 1, count))
        });
        let mut made = stream::iter(made).buffered(AT_ONCE);
        let mut all = Joined { bytes: 0, most_bytes: at.limits.output_bytes, conversion: None };
        let mut done = 0;
        while let Some(one) = made.try_next().await? {
            all.add(one)?;
            done += 1;
            at.progress.note(step.index, done, count);
        }
        all.conversion.ok_or_else(|| Failure::internal("a step without files"))
    }

    /// Converts a file, and removes it with everything that its conversion has left: many rows need no more room than their results.
    async fn file_of_many(
        &self,
        step: Step<'_>,
        index: usize,
        file: &Artifact,
        fonts: &OwnFonts,
        at: Workspace<'_>,
    ) -> Result<Conversion, Failure> {
        let sources = as_sources(std::slice::from_ref(file), None, step.call.engine, at.limits).await?;
        let own = at.scratch.join(format!("{}-{index}", step.name));
        let mut place = Place::new(&own, "call");
        let mut conversion = self.step(step, sources, fonts, &mut place, at).await?;
        let kept = at.scratch.join(format!("{}-files", step.name));
        tokio::fs::create_dir_all(&kept).await.map_err(Failure::internal)?;
        for (number, artifact) in conversion.artifacts.iter_mut().enumerate() {
            let to = kept.join(format!("{index}-{number}.{}", artifact.media.extension()));
            tokio::fs::rename(&artifact.path, &to).await.map_err(Failure::internal)?;
            artifact.path = to;
        }
        tokio::fs::remove_file(&file.path).await.map_err(Failure::internal)?;
        match tokio::task::spawn_blocking(move || scratch::remove(&own)).await {
            Ok(Ok(())) => {}
            // It goes with the job's directory at the latest.
            Ok(Err(error)) => tracing::warn!(%error, "what a row's conversion left could not be removed"),
            Err(_panicked) => return Err(Failure::internal("the removal of a row's directory panicked")),
        }
        Ok(named_after(file, conversion))
    }
}

/// The results of all files so far.
struct Joined {
    bytes: u64,
    most_bytes: u64,
    conversion: Option<Conversion>,
}

impl Joined {
    fn add(&mut self, one: Conversion) -> Result<(), Failure> {
        for artifact in &one.artifacts {
            self.bytes += size(&artifact.path)?;
        }
        if self.bytes > self.most_bytes {
            let most = self.most_bytes >> 20;
            let message = format!("The files of all rows together are larger than {most} MiB. Use fewer rows.");
            return Err(Failure::new(JobErrorCode::RenderFailed, message, "results beyond the limit"));
        }
        match &mut self.conversion {
            None => self.conversion = Some(Conversion { report: None, ..one }),
            Some(all) => {
                all.artifacts.extend(one.artifacts);
                one.warnings.into_iter().for_each(|warning| note(&mut all.warnings, warning));
            }
        }
        Ok(())
    }
}

fn size(path: &Path) -> Result<u64, Failure> {
    std::fs::metadata(path).map(|data| data.len()).map_err(Failure::internal)
}

/// Documents of one template mostly have the same warnings.
fn note(warnings: &mut Vec<Warning>, warning: Warning) {
    if !warnings.contains(&warning) {
        warnings.push(warning);
    }
}

/// A file's name goes over to what is made of it. Several get a number each.
fn named_after(file: &Artifact, mut conversion: Conversion) -> Conversion {
    let Some(name) = &file.filename else { return conversion };
    let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
    let several = conversion.artifacts.len() > 1;
    for (number, artifact) in (1..).zip(&mut conversion.artifacts) {
        let extension = artifact.media.extension();
        let name = if several { format!("{stem}-{number}.{extension}") } else { format!("{stem}.{extension}") };
        artifact.filename = Some(name);
    }
    conversion
}

/// The user counts rows from 1. Our own faults concern no row.
fn in_row(failure: Failure, row: usize, rows: usize) -> Failure {
    if failure.code == JobErrorCode::Internal {
        return failure;
    }
    Failure { message: format!("Row {row} of {rows}: {}", failure.message), ..failure }
}
