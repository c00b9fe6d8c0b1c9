use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use futures_util::{Stream, stream};
use jiff::Timestamp;
use reqwest::header::{ACCEPT_ENCODING, HeaderValue, RANGE};
use reqwest::{Response, StatusCode};
use sha2::{Digest, Sha256};
use tokio::fs::{File, OpenOptions};
use tokio::io::AsyncWriteExt;
use uuid::Uuid;

use crate::client::Client;
use crate::error::{Error, ErrorKind, Result};
use crate::models::{Download, Job, Secret, WaitResponse};
use crate::results::{check_name, check_target, is_folder, paths_in, publish, unwritable};
use crate::transport::{Answer, accepted, answer_to};

/// By default, a call waits for this long.
pub(crate) const BOUND: Duration = Duration::from_secs(180);

/// How a result is saved.
#[must_use]
#[derive(Clone, Debug)]
pub struct Save {
    pub(crate) bound: Duration,
    pub(crate) output: Option<u64>,
    pub(crate) overwrite: bool,
}

impl Default for Save {
    fn default() -> Self {
        Self { bound: BOUND, output: None, overwrite: false }
    }
}

impl Save {
    /// Waits for the job's end for this long.
    pub fn within(mut self, bound: Duration) -> Self {
        self.bound = bound;
        self
    }

    /// Takes one of several files of the result, by its index in `job.outputs`.
    pub fn output(mut self, index: u64) -> Self {
        self.output = Some(index);
        self
    }

    /// Replaces files that exist.
    pub fn overwrite(mut self) -> Self {
        self.overwrite = true;
        self
    }
}

/// A saved result: a file, or several in a folder.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Saved {
    /// The job.
    pub job: Job,
    /// Where the file or the folder is.
    pub path: PathBuf,
    /// The size of the file, or of all files.
    pub bytes: u64,
    /// The file's digest in lower-case hexadecimal; empty for a folder.
    pub sha256: String,
    /// All files of a folder; empty for a file.
    pub files: Vec<PathBuf>,
}

impl Client {
    /// Saves what an answer about a completed job links to.
    pub(crate) async fn save_result(&self, read: WaitResponse, path: &Path, save: &Save) -> Result<Saved> {
        if save.output.is_none() && is_folder(path) {
            return self.save_all(read.job, path, save.overwrite).await;
        }
        let (job, download) = self.primary(read, save.output).await?;
        let mut path = path.to_owned();
        if is_folder(&path) {
            path = paths_in(&path, [download.filename.as_str()]).remove(0);
            check_target(&path, save.overwrite)?;
        }
        check_name(&path, &download.filename)?;
        write(ResultReader::new(self, &job.id, save.output, download.clone()), &path, save.overwrite).await?;
        Ok(Saved { job, path, bytes: download.bytes, sha256: download.sha256, files: Vec::new() })
    }

    /// Saves each file of a result in a folder, by its own name.
    async fn save_all(&self, job: Job, folder: &Path, overwrite: bool) -> Result<Saved> {
        let response = self.download(&job.id, None).await?;
        let downloads = if response.downloads.is_empty() { vec![response.download] } else { response.downloads };
        tokio::fs::create_dir_all(folder).await.map_err(|error| unwritable(folder, &error))?;
        let files = paths_in(folder, downloads.iter().map(|download| download.filename.as_str()));
        files.iter().try_for_each(|path| check_target(path, overwrite))?;
        let bytes = downloads.iter().map(|download| download.bytes).sum();
        let are_several = downloads.len() > 1;
        for ((index, download), path) in (0..).zip(downloads).zip(&files) {
            let output = are_several.then_some(index);
            write(ResultReader::new(self, &job.id, output, download), path, overwrite).await?;
        }
        Ok(Saved { job, path: folder.to_owned(), bytes, sha256: String::new(), files })
    }

    /// What an answer about a completed job links to, in memory.
    pub(crate) async fn read_result(&self, read: WaitResponse, save: &Save) -> Result<Bytes> {
        let (job, download) = self.primary(read, save.output).await?;
        let mut failures = 0;
        loop {
            let mut reader = ResultReader::new(self, &job.id, save.output, download.clone());
            match reader.whole().await {
                Err(Error::Integrity { .. }) if failures < self.inner.max_retries => failures += 1,
                outcome => return outcome,
            }
        }
    }

    /// The link that came with the answer, or a new one to one of several files.
    async fn primary(&self, read: WaitResponse, output: Option<u64>) -> Result<(Job, Download)> {
        let download = match (read.download, output) {
            (Some(download), None) => download,
            (_, output) => self.download(&read.job.id, output).await?.download,
        };
        Ok((read.job, download))
    }

    /// Streams the result of a completed job. `output`: one of several files, by its index in `job.outputs`.
    pub async fn open(&self, id: &str, output: Option<u64>) -> Result<ResultReader> {
        let download = self.download(id, output).await?.download;
        Ok(ResultReader::new(self, id, output, download))
    }

    /// Streams what a signed link leads to, with the size and the digest that were announced with it.
    pub fn open_link(&self, url: impl Into<Secret>, bytes: u64, sha256: impl Into<String>) -> ResultReader {
        let download = Download {
            bytes,
            content_type: String::new(),
            expires_at: Timestamp::MAX,
            filename: String::new(),
            index: None,
            sha256: sha256.into(),
            url: url.into(),
        };
        ResultReader::renewable(self, Renewal::Never, download)
    }

    /// At most `most` bytes of what a signed link leads to, from byte `from` on.
    pub async fn read_link(&self, url: &str, from: u64, most: u64) -> Result<Bytes> {
        let range = format!("bytes={from}-{}", from.saturating_add(most).saturating_sub(1));
        let request = self.inner.http.get(url).header(RANGE, range).timeout(self.inner.timeout);
        let Answer { status, mut body, .. } = answer_to(request, url).await.and_then(accepted)?;
        // A server that does not know ranges sends everything.
        let first = if status == StatusCode::PARTIAL_CONTENT { 0 } else { usize::try_from(from).unwrap_or(usize::MAX) };
        body.advance(first.min(body.len()));
        body.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        Ok(body)
    }
}

/// Writes to a temporary file in the same folder, which gets its name when it is complete. A damaged download is repeated.
pub(crate) async fn write(reader: ResultReader, path: &Path, overwrite: bool) -> Result<()> {
    let mut failures = 0;
    loop {
        match write_once(reader.again(), path, overwrite).await {
            Err(Error::Integrity { .. }) if failures < reader.client.inner.max_retries => failures += 1,
            outcome => return outcome,
        }
    }
}

async fn write_once(mut reader: ResultReader, path: &Path, overwrite: bool) -> Result<()> {
    let (temporary, mut file) = TemporaryFile::beside(path).await?;
    while let Some(part) = reader.chunk().await? {
        file.write_all(&part).await.map_err(|error| unwritable(path, &error))?;
    }
    file.flush().await.map_err(|error| unwritable(path, &error))?;
    drop(file.into_std().await);
    publish(&temporary.0, path, overwrite).await
}

/// Is deleted with this value, unless it was renamed.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    async fn beside(path: &Path) -> Result<(Self, File)> {
        let name = path.file_name().ok_or_else(|| Error::Usage(format!("{} is not a file's path", path.display())))?;
        let unique = format!(".{}.{}.part", name.to_string_lossy(), Uuid::now_v7().simple());
        let temporary = path.with_file_name(unique);
        let file = OpenOptions::new().write(true).create_new(true).open(&temporary).await;
        let file = file.map_err(|error| unwritable(path, &error))?;
        Ok((Self(temporary), file))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // After the renaming there is none.
        drop(std::fs::remove_file(&self.0));
    }
}

/// Where a new link comes from, if one has expired.
#[derive(Clone)]
pub(crate) enum Renewal {
    /// A result of a job.
    Job { id: String, output: Option<u64> },
    /// A file of a batch's archive.
    Archive { batch: String, index: usize },
    /// Only the link is known.
    Never,
}

impl Renewal {
    fn id(&self) -> &str {
        match self {
            Self::Job { id, .. } => id,
            Self::Archive { batch, .. } => batch,
            Self::Never => "",
        }
    }

    /// A new link, or the reason why the old one was refused.
    async fn link(&self, client: &Client, refusal: Error) -> Result<Secret> {
        match self {
            Self::Never => Err(refusal),
            Self::Job { id, output } => Ok(client.download(id, *output).await?.download.url),
            Self::Archive { batch, index } => {
                let file = client.archive(batch).await?.into_iter().nth(*index);
                file.map(|file| file.url.into()).ok_or_else(|| Error::Integrity { job_id: batch.clone() })
            }
        }
    }
}

/// Reads a result with as many connections as it takes.
pub struct ResultReader {
    client: Client,
    renewal: Renewal,
    download: Download,
    digest: Sha256,
    offset: u64,
    /// How much of the response was read before, from a server that does not send parts.
    known: u64,
    failures: u32,
    response: Option<Response>,
}

impl ResultReader {
    fn new(client: &Client, job_id: &str, output: Option<u64>, download: Download) -> Self {
        Self::renewable(client, Renewal::Job { id: job_id.to_owned(), output }, download)
    }

    pub(crate) fn renewable(client: &Client, renewal: Renewal, download: Download) -> Self {
        Self {
            client: client.clone(),
            renewal,
            download,
            digest: Sha256::new(),
            offset: 0,
            known: 0,
            failures: 0,
            response: None,
        }
    }

    /// From the beginning.
    fn again(&self) -> Self {
        Self::renewable(&self.client, self.renewal.clone(), self.download.clone())
    }

    /// All of it, in memory.
    async fn whole(&mut self) -> Result<Bytes> {
        let mut content = BytesMut::new();
        while let Some(part) = self.chunk().await? {
            content.extend_from_slice(&part);
        }
        Ok(content.freeze())
    }

    /// What is announced: size, digest, name and content type.
    pub fn announced(&self) -> &Download {
        &self.download
    }

    /// The next part. It goes on where a broken connection stopped, and the end is an error if the bytes are not those of the result.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>> {
        while self.offset < self.download.bytes {
            let mut response = match self.response.take() {
                Some(response) => response,
                None => self.connect().await?,
            };
            match self.next_chunk(&mut response).await {
                Ok(Some(part)) => {
                    self.response = Some(response);
                    let part = self.unknown(part);
                    if !part.is_empty() {
                        self.offset += part.len() as u64;
                        self.digest.update(&part);
                        return Ok(Some(part));
                    }
                }
                Ok(None) => {
                    self.broken(Error::network(self.download.url.reveal(), "the connection ended too early"))?;
                }
                Err(error) => drop(self.broken(error)?),
            }
        }
        // Of archives, only the size is known.
        let sha256 = &self.download.sha256;
        let is_same = sha256.is_empty() || hexadecimal(&self.digest.clone().finalize()) == *sha256;
        if self.offset == self.download.bytes && is_same {
            return Ok(None);
        }
        Err(Error::Integrity { job_id: self.renewal.id().to_owned() })
    }

    /// All parts.
    pub fn into_stream(self) -> impl Stream<Item = Result<Bytes>> + Send {
        stream::try_unfold(self, |mut reader| async move { Ok(reader.chunk().await?.map(|part| (part, reader))) })
    }

    fn unknown(&mut self, mut part: Bytes) -> Bytes {
        let known = usize::try_from(self.known).unwrap_or(usize::MAX).min(part.len());
        self.known -= known as u64;
        part.split_off(known)
    }

    /// Counts a failure. After the last one, it is the outcome.
    fn broken(&mut self, error: Error) -> Result<Error> {
        self.failures += 1;
        if self.failures > self.client.inner.max_retries { Err(error) } else { Ok(error) }
    }

    /// Asks for what is missing, with a new link if the old one is refused.
    async fn connect(&mut self) -> Result<Response> {
        let mut tries = self.client.tries();
        loop {
            match self.request().await {
                Ok(response) => {
                    self.known = if response.status() == StatusCode::PARTIAL_CONTENT { 0 } else { self.offset };
                    return Ok(response);
                }
                Err(error) if error.kind() == Some(ErrorKind::Permission) => {
                    let refusal = self.broken(error)?;
                    self.download.url = self.renewal.link(&self.client, refusal).await?;
                }
                Err(error) => tries.again(error, false).await?,
            }
        }
    }

    async fn next_chunk(&self, response: &mut Response) -> Result<Option<Bytes>> {
        let chunk = tokio::time::timeout(self.client.inner.timeout, response.chunk()).await;
        chunk.map_err(|_| self.stalled())?.map_err(|error| self.no_answer(error))
    }

    fn no_answer(&self, error: reqwest::Error) -> Error {
        Error::network(self.download.url.reveal(), error.without_url())
    }

    fn stalled(&self) -> Error {
        Error::stalled(self.download.url.reveal())
    }

    /// The link is signed: it needs no key, and must not get one.
    async fn request(&mut self) -> Result<Response> {
        let mut request = self.client.inner.http.get(self.download.url.reveal());
        request = request.header(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if self.offset > 0 {
            request = request.header(RANGE, format!("bytes={}-", self.offset));
        }
        let limit = self.client.inner.timeout;
        let response = tokio::time::timeout(limit, request.send()).await.map_err(|_| self.stalled())?;
        let response = response.map_err(|error| self.no_answer(error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        if !status.is_success() {
            accepted(Answer { status, headers, body: Bytes::new() })?;
            return Err(Error::Usage("the result's link leads elsewhere".to_owned()));
        }
        Ok(response)
    }
}

impl std::fmt::Debug for ResultReader {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ResultReader")
            .field("id", &self.renewal.id())
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
