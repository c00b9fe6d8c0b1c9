//! Files of stored templates that no version names.
//!
//! An addition stores files before it writes its version, and a deletion writes first and deletes files then. If either ends too
//! early, files are left that nobody can see.

use std::collections::BTreeMap;
use std::time::Duration;

use docmill_aws::files::TemplateFile;
use docmill_domain::template::TemplateName;
use docmill_store::StoreError;
use docmill_store::health::TemplateSweep;
use futures_util::{StreamExt, stream};

use crate::{AT_ONCE, Obstacle, Repairs, Run, Sweeper};

/// No addition takes this long. Younger files are kept, whether a version names them or not.
///
/// Timeline: A stores the files of a template's first version, the sweeper finds that no version names them, and A writes the
/// version. The files are young, so the sweeper does not delete them.
const ADDITION: Duration = Duration::from_secs(24 * 3600);
/// How long after the last file the first one is looked at again: few files are left, and each look reads every template.
const PAUSE: Duration = Duration::from_secs(6 * 3600);

impl Sweeper {
    /// Looks at page after page. The next run continues where this one ends.
    pub(crate) async fn delete_unnamed_template_files(&self, run: Run) -> Result<Repairs, Obstacle> {
        let (health, mut repairs) = (&self.context.health, Repairs::default());
        let noted = health.template_sweep().await?;
        let mut from = match noted {
            Some(noted) if noted.due > run.now => return Ok(repairs),
            Some(noted) => noted.from,
            None => None,
        };
        while !run.is_over() {
            let page = self.context.files.template_files(from, run.now.minus(ADDITION)).await?;
            repairs += self.delete_unnamed(page.files).await;
            from = page.next;
            let due = if from.is_some() { run.now } else { run.now.plus(PAUSE) };
            health.record_template_sweep(&TemplateSweep { due, from: from.clone() }).await?;
            if from.is_none() {
                break;
            }
        }
        Ok(repairs)
    }

    /// A template that can't be read keeps its files, and does not delay others.
    async fn delete_unnamed(&self, files: Vec<TemplateFile>) -> Repairs {
        let mut templates: BTreeMap<(String, TemplateName), Vec<TemplateFile>> = BTreeMap::new();
        for file in files {
            templates.entry((file.account.clone(), file.name.clone())).or_default().push(file);
        }
        let unnamed = templates.into_iter().map(|((account, name), files)| self.unnamed(account, name, files));
        let unnamed: Vec<_> = stream::iter(unnamed).buffer_unordered(AT_ONCE).collect().await;
        let (mut repairs, mut keys) = (Repairs::default(), Vec::new());
        for found in unnamed {
            match found {
                Ok(found) => keys.extend(found),
                Err(error) => {
                    tracing::error!(%error, "a template could not be read");
                    repairs.errors += 1;
                }
            }
        }
        if let Err(error) = self.context.files.delete_all(&keys).await {
            tracing::error!(%error, "files of templates could not be deleted");
            repairs.errors += 1;
        }
        repairs
    }

    /// The keys of those files that no version of the template names. The versions are read after the files were listed.
    async fn unnamed(
        &self,
        account: String,
        name: TemplateName,
        files: Vec<TemplateFile>,
    ) -> Result<Vec<String>, StoreError> {
        let versions = self.context.templates.named(&account, &name).await?;
        let is_named = |file: &TemplateFile| versions.each().iter().any(|version| version.file == file.file);
        Ok(files.into_iter().filter(|file| !is_named(file)).map(|file| file.key).collect())
    }
}
