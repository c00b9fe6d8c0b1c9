//! Objects that are stored piece by piece, because their sizes are not known before.

use aws_sdk_s3::primitives::ByteStream;
use aws_sdk_s3::types::{CompletedMultipartUpload, CompletedPart};

use super::{Files, FilesError, ObjectKey, unavailable};

/// An object of which pieces are stored. It does not exist until [`Files::complete_pieces`].
#[derive(Debug)]
pub struct Pieces {
    key: String,
    upload: String,
    stored: Vec<CompletedPart>,
}

impl Files {
    pub async fn begin_pieces(&self, key: &ObjectKey<'_>, content_type: &str) -> Result<Pieces, FilesError> {
        let key = key.to_string();
        let create = self.client().create_multipart_upload().bucket(&self.bucket).key(&key).content_type(content_type);
        let created = create.send().await.map_err(|error| unavailable(&error))?;
        let upload = created.upload_id.ok_or_else(|| FilesError::Unavailable("no upload id came back".into()))?;
        Ok(Pieces { key, upload, stored: Vec::new() })
    }

    /// Stores the next piece. All but the last have 5 MiB at least (S3).
    pub async fn add_piece(&self, pieces: &mut Pieces, bytes: Vec<u8>) -> Result<(), FilesError> {
        let number = i32::try_from(pieces.stored.len() + 1).map_err(|error| FilesError::Local(error.to_string()))?;
        let put = self.client().upload_part().bucket(&self.bucket).key(&pieces.key).upload_id(&pieces.upload);
        let put = put.part_number(number).body(ByteStream::from(bytes)).customize().disable_payload_signing();
        let stored = put.send().await.map_err(|error| unavailable(&error))?;
        let piece = CompletedPart::builder().part_number(number).set_e_tag(stored.e_tag);
        pieces.stored.push(piece.set_checksum_crc32(stored.checksum_crc32).build());
        Ok(())
    }

    pub async fn complete_pieces(&self, pieces: Pieces) -> Result<(), FilesError> {
        let Pieces { key, upload, stored } = pieces;
        let all = CompletedMultipartUpload::builder().set_parts(Some(stored)).build();
        let complete = self.client().complete_multipart_upload().bucket(&self.bucket).key(key).upload_id(upload);
        complete.multipart_upload(all).send().await.map_err(|error| unavailable(&error))?;
        Ok(())
    }

    /// Deletes the pieces of objects below this folder that were not completed.
    pub async fn abort_pieces(&self, folder: &str) -> Result<(), FilesError> {
        let list = self.client().list_multipart_uploads().bucket(&self.bucket).prefix(folder);
        let listed = list.send().await.map_err(|error| unavailable(&error))?;
        for upload in listed.uploads.unwrap_or_default() {
            let abort = self.client().abort_multipart_upload().bucket(&self.bucket);
            let aborted = abort.set_key(upload.key).set_upload_id(upload.upload_id).send().await;
            match aborted {
                Ok(_) => {}
                // Another run has completed or aborted it.
                Err(error) if super::status_of(&error) == Some(404) => {}
                Err(error) => return Err(unavailable(&error)),
            }
        }
        Ok(())
    }

    /// The keys of unfinished objects below this folder.
    pub async fn unfinished_pieces(&self, folder: &str) -> Result<Vec<String>, FilesError> {
        let list = self.client().list_multipart_uploads().bucket(&self.bucket).prefix(folder);
        let listed = list.send().await.map_err(|error| unavailable(&error))?;
        Ok(listed.uploads.unwrap_or_default().into_iter().filter_map(|upload| upload.key).collect())
    }
}
