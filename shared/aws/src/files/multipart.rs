//! Objects that are stored piece by piece, because their sizes are not known before.

use aws_sdk_s3::Client;
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
    /// Begins an object of this media type, of which no piece is stored yet.
    ///
    /// # Errors
    /// If S3 refuses it or does not answer.
    pub async fn begin_pieces(&self, key: &ObjectKey<'_>, content_type: &str) -> Result<Pieces, FilesError> {
        let key = key.to_string();
        let create = self.client().create_multipart_upload().bucket(&self.bucket).key(&key).content_type(content_type);
        let created = create.send().await.map_err(|error| unavailable(&error))?;
        let upload = created.upload_id.ok_or_else(|| FilesError::Unavailable("no upload id came back".into()))?;
        Ok(Pieces { key, upload, stored: Vec::new() })
    }

    /// Stores the next piece. All but the last have 5 MiB at least (S3).
    ///
    /// # Errors
    /// If S3 refuses it or does not answer.
    pub async fn add_piece(&self, pieces: &mut Pieces, bytes: Vec<u8>) -> Result<(), FilesError> {
        let number = i32::try_from(pieces.stored.len() + 1).map_err(|error| FilesError::Local(error.to_string()))?;
        let put = self.client().upload_part().bucket(&self.bucket).key(&pieces.key).upload_id(&pieces.upload);
        let put = put.part_number(number).body(ByteStream::from(bytes)).customize().disable_payload_signing();
        let stored = put.send().await.map_err(|error| unavailable(&error))?;
        let piece = CompletedPart::builder().part_number(number).set_e_tag(stored.e_tag);
        pieces.stored.push(piece.set_checksum_crc32(stored.checksum_crc32).build());
        Ok(())
    }

    /// Makes an object of the stored pieces, over what is there.
    ///
    /// # Errors
    /// If S3 refuses it or does not answer.
    pub async fn complete_pieces(&self, pieces: Pieces) -> Result<(), FilesError> {
        let Pieces { key, upload, stored } = pieces;
        let all = CompletedMultipartUpload::builder().set_parts(Some(stored)).build();
        let complete = self.client().complete_multipart_upload().bucket(&self.bucket).key(key).upload_id(upload);
        complete.multipart_upload(all).send().await.map_err(|error| unavailable(&error))?;
        Ok(())
    }

    /// Deletes the pieces of objects below this folder that were not completed.
    ///
    /// # Errors
    /// If a piece may still be there.
    pub async fn abort_pieces(&self, folder: &str) -> Result<(), FilesError> {
        for (key, upload) in self.unfinished(folder).await? {
            let abort = self.client().abort_multipart_upload().bucket(&self.bucket);
            match abort.key(key).upload_id(upload).send().await {
                Ok(_) => {}
                // Another run has completed or aborted it.
                Err(error) if super::status_of(&error) == Some(404) => {}
                Err(error) => return Err(unavailable(&error)),
            }
        }
        Ok(())
    }

    /// The keys of unfinished objects below this folder.
    ///
    /// # Errors
    /// If S3 refuses it or does not answer.
    pub async fn unfinished_pieces(&self, folder: &str) -> Result<Vec<String>, FilesError> {
        Ok(self.unfinished(folder).await?.into_iter().map(|(key, _)| key).collect())
    }

    async fn unfinished(&self, folder: &str) -> Result<Vec<(String, String)>, FilesError> {
        unfinished(self.client(), &self.bucket, folder).await
    }
}

/// The keys and uploads of unfinished objects below a folder. S3 lists a thousand on a page.
async fn unfinished(client: &Client, bucket: &str, folder: &str) -> Result<Vec<(String, String)>, FilesError> {
    let mut found = Vec::new();
    let (mut key, mut upload) = (None, None);
    loop {
        let list = client.list_multipart_uploads().bucket(bucket).prefix(folder);
        let list = list.set_key_marker(key).set_upload_id_marker(upload);
        let page = list.send().await.map_err(|error| unavailable(&error))?;
        let uploads = page.uploads.unwrap_or_default().into_iter();
        found.extend(uploads.filter_map(|upload| Some((upload.key?, upload.upload_id?))));
        (key, upload) = (page.next_key_marker, page.next_upload_id_marker);
        if !page.is_truncated.unwrap_or_default() || key.is_none() {
            return Ok(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;

    /// Two of these on a page.
    const UPLOADS: [(&str, &str); 5] = [("a", "1"), ("a", "2"), ("a", "3"), ("b", "4"), ("c", "5")];

    /// Lists uploads like S3, page by page. Returns its address.
    fn bucket_of_pages() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                answer(&mut connection.unwrap());
            }
        });
        address
    }

    fn answer(connection: &mut TcpStream) {
        let mut lines = BufReader::new(connection.try_clone().unwrap()).lines().map(Result::unwrap);
        let request = lines.next().unwrap();
        let _headers = lines.take_while(|line| !line.is_empty()).count();
        let marker = |name: &str| {
            let (_, value) = request.split_once(&format!("{name}="))?;
            value.split(['&', ' ']).next().map(str::to_owned)
        };
        let after = (marker("key-marker").unwrap_or_default(), marker("upload-id-marker").unwrap_or_default());
        let left: Vec<_> = UPLOADS.iter().filter(|(key, upload)| (*key, *upload) > (&after.0, &after.1)).collect();
        let page = &left[..left.len().min(2)];
        let uploads: String = page
            .iter()
            .map(|(key, upload)| format!("<Upload><Key>{key}</Key><UploadId>{upload}</UploadId></Upload>"))
            .collect();
        let (key, upload) = page.last().unwrap();
        let body = format!(
            "<ListMultipartUploadsResult><IsTruncated>{}</IsTruncated><NextKeyMarker>{key}</NextKeyMarker>\
             <NextUploadIdMarker>{upload}</NextUploadIdMarker>{uploads}</ListMultipartUploadsResult>",
            left.len() > 2
        );
        let length = body.len();
        write!(connection, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}").unwrap();
    }

    #[tokio::test]
    async fn unfinished_objects_of_all_pages_are_found() {
        let config = aws_sdk_s3::Config::builder()
            .behavior_version_latest()
            .region(aws_sdk_s3::config::Region::new("test"))
            .credentials_provider(aws_credential_types::Credentials::new("key", "secret", None, None, "test"))
            .force_path_style(true)
            .endpoint_url(bucket_of_pages());
        let found = unfinished(&Client::from_conf(config.build()), "bucket", "").await.unwrap();
        let expected: Vec<_> = UPLOADS.iter().map(|(key, upload)| ((*key).to_owned(), (*upload).to_owned())).collect();
        assert_eq!(found, expected);
    }
}
