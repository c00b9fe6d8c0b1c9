//! qpdf in this process: it reads, repairs, decrypts, encrypts and rewrites files.

mod ffi;
pub mod fields;
mod objects;
pub mod survey;

use std::ffi::CString;
use std::fmt;
use std::path::Path;

use docmill_pdf_request::{ErrorCode, Failure};
use serde_json::{Value, json};

/// The library, loaded once.
pub struct Qpdf(ffi::Functions);

impl fmt::Debug for Qpdf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Qpdf")
    }
}

/// The output of a successful job, and whether there were warnings.
#[derive(Debug)]
pub struct Report {
    /// What the job printed.
    pub text: String,
    /// The input was damaged, and could be repaired.
    pub repaired: bool,
}

/// What a file says about its encryption.
#[derive(Debug)]
pub struct Encryption {
    /// `/R`.
    pub revision: i64,
    /// The bits of `/P`.
    pub permissions: i64,
}

impl Qpdf {
    /// Loads the installed library.
    ///
    /// # Errors
    /// If it is missing, or too old.
    pub fn load() -> Result<Self, String> {
        ffi::Functions::load().map(Self)
    }

    /// Runs a job in the JSON form of `qpdf --job-json-help`. Passwords must only be passed in this way.
    ///
    /// # Errors
    /// If the job fails: the file is damaged, or needs another password.
    pub fn run(&self, job: &Value) -> Result<Report, Failure> {
        let json = CString::new(job.to_string()).map_err(|_| Failure::internal("a job with a zero byte"))?;
        let ended = self.0.run(&json);
        if !ended.ran {
            return Err(Failure::internal("qpdf: a faulty job"));
        }
        match ended.exit {
            0 | 3 => Ok(Report { text: String::from_utf8_lossy(&ended.info).into_owned(), repaired: ended.exit == 3 }),
            _ => Err(failure(&String::from_utf8_lossy(&ended.messages), job.get("password").is_some())),
        }
    }

    /// The number of pages, and whether the file is damaged.
    ///
    /// # Errors
    /// As for [`Self::run`].
    pub fn pages(&self, file: &Path, password: Option<&str>) -> Result<(u32, bool), Failure> {
        let job = with_password(json!({ "inputFile": file, "showNpages": "" }), password);
        let report = self.run(&job)?;
        // qpdf prints what the document says of itself, however large that is.
        let pages = report.text.trim().parse().map_err(|_| damaged("qpdf: an impossible number of pages"))?;
        Ok((pages, report.repaired))
    }

    /// Whether a file is encrypted. Unreadable files are not.
    pub fn is_encrypted(&self, file: &Path) -> bool {
        let job = json!({ "inputFile": file, "isEncrypted": "" }).to_string();
        CString::new(job).is_ok_and(|job| self.0.run(&job).exit == 0)
    }

    /// The encryption of an encrypted file.
    ///
    /// # Errors
    /// As for [`Self::run`], or if qpdf says something unexpected.
    pub fn encryption(&self, file: &Path, password: Option<&str>) -> Result<Encryption, Failure> {
        let job = with_password(json!({ "inputFile": file, "showEncryption": "" }), password);
        let report = self.run(&job)?;
        // Both stand before the password, which may contain any text.
        let number = |name| report.text.lines().find_map(|line| line.strip_prefix(name)?.parse::<i64>().ok());
        let numbers = number("R = ").zip(number("P = "));
        let (revision, permissions) = numbers.ok_or_else(|| damaged("qpdf: no encryption"))?;
        Ok(Encryption { revision, permissions })
    }

    /// Rewrites a file without encryption and with sound cross references, for the passes that follow. Files before PDF 1.2 may have names
    /// with any `#`, which is written as later ones do.
    ///
    /// # Errors
    /// As for [`Self::run`].
    pub fn normalize(&self, input: &Path, password: Option<&str>, output: &Path) -> Result<Report, Failure> {
        let job = json!({
            "inputFile": input, "outputFile": output, "decrypt": "", "deterministicId": "",
            "objectStreams": "disable", "decodeLevel": "none", "compressStreams": "n", "minVersion": "1.2",
        });
        self.run(&with_password(job, password))
    }
}

fn with_password(mut job: Value, password: Option<&str>) -> Value {
    if let (Some(job), Some(password)) = (job.as_object_mut(), password) {
        job.insert("password".to_owned(), password.into());
    }
    job
}

/// Maps qpdf's message to a failure for the job's owner. The message itself may quote the document, so it is dropped.
fn failure(messages: &str, with_password: bool) -> Failure {
    let says = |text: &str| messages.contains(text);
    if says("invalid password") {
        return if with_password {
            Failure::new(ErrorCode::WrongPassword, "The password does not open this PDF.", "qpdf: invalid password")
        } else {
            Failure::new(
                ErrorCode::PasswordRequired,
                "This PDF is protected. Send its password in `password`, beside the source.",
                "qpdf: password required",
            )
        };
    }
    if says("unsupported encryption") || says("unknown encryption") || says("unsupported security handler") {
        return Failure::new(
            ErrorCode::UnsupportedFormat,
            "This PDF is protected in a way that is not supported, such as with a certificate. Remove the protection first.",
            "qpdf: unsupported encryption",
        );
    }
    if says("std::bad_alloc") {
        let message = "This PDF needs more memory than a job has. Send it in smaller parts.";
        return Failure::new(ErrorCode::RenderFailed, message, "qpdf: no memory");
    }
    if says("No space left") {
        return Failure::internal("qpdf: no room");
    }
    damaged("qpdf: unreadable file")
}

fn damaged(cause: &'static str) -> Failure {
    Failure::new(ErrorCode::CorruptDocument, "This PDF is damaged and could not be repaired.", cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_code_of_their_cause() {
        let code = |messages: &[u8], with_password| failure(&String::from_utf8_lossy(messages), with_password).code;
        assert_eq!(code(b"\xFF.pdf: invalid password", false), ErrorCode::PasswordRequired);
        assert_eq!(code(b"\xFF.pdf: invalid password", true), ErrorCode::WrongPassword);
        assert_eq!(code(b"unsupported encryption filter", false), ErrorCode::UnsupportedFormat);
        assert_eq!(code(b"std::bad_alloc", false), ErrorCode::RenderFailed);
        assert_eq!(code(b"No space left on device", false), ErrorCode::Internal);
        assert_eq!(code(b"\xFF\xFE", false), ErrorCode::CorruptDocument);
    }

    #[test]
    fn a_document_that_says_it_has_billions_of_pages_is_damaged() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut document = lopdf::Document::with_version("1.7");
        let page = document.add_object(lopdf::dictionary! { "Type" => "Page" });
        let kids = lopdf::dictionary! { "Type" => "Pages", "Count" => 9_999_999_999_i64, "Kids" => vec![page.into()] };
        let pages = document.add_object(kids);
        let catalog = document.add_object(lopdf::dictionary! { "Type" => "Catalog", "Pages" => pages });
        document.trailer.set("Root", catalog);
        document.save(file.path()).unwrap();
        let failure = Qpdf::load().unwrap().pages(file.path(), None).unwrap_err();
        assert_eq!(
            (failure.code, &*failure.cause),
            (ErrorCode::CorruptDocument, "qpdf: an impossible number of pages")
        );
    }

    #[test]
    fn a_faulty_job_and_a_missing_file_are_errors() {
        let qpdf = Qpdf::load().unwrap();
        assert_eq!(qpdf.run(&json!({ "noSuchOption": "" })).unwrap_err().code, ErrorCode::Internal);
        let nowhere = Path::new("/nowhere/at/all.pdf");
        assert_eq!(qpdf.pages(nowhere, None).unwrap_err().code, ErrorCode::CorruptDocument);
        assert!(!qpdf.is_encrypted(nowhere));
        assert_eq!(qpdf.pages(Path::new("/a\0b"), Some("\0")).unwrap_err().code, ErrorCode::CorruptDocument);
    }
}
