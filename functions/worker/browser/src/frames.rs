//! Messages on the debugging pipe: JSON texts that end with a NUL.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// The longest accepted message. A page influences the size of messages about it.
const LONGEST_MESSAGE_BYTES: usize = 64 << 20;

#[derive(Debug)]
pub(super) struct Frames<R> {
    reader: R,
    /// The received part of the next message.
    partial: Vec<u8>,
    longest: usize,
}

impl<R: AsyncBufRead + Unpin> Frames<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, partial: Vec::new(), longest: LONGEST_MESSAGE_BYTES }
    }

    /// The next message without its NUL. Cancel-safe: no received data is lost.
    ///
    /// # Errors
    /// `UnexpectedEof` if the browser closed the pipe, `InvalidData` if a message is too long.
    pub(super) async fn next(&mut self) -> io::Result<Vec<u8>> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let end = available.iter().position(|byte| *byte == 0);
            let piece = end.and_then(|end| available.get(..end)).unwrap_or(available);
            if self.partial.len() + piece.len() > self.longest {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "message too long"));
            }
            self.partial.extend_from_slice(piece);
            let read = piece.len() + usize::from(end.is_some());
            self.reader.consume(read);
            if end.is_some() {
                return Ok(std::mem::take(&mut self.partial));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tokio::io::BufReader;

    fn read_all(stream: &[u8], chunk: usize) -> (Vec<Vec<u8>>, io::ErrorKind) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut frames = Frames::new(BufReader::with_capacity(chunk, stream));
            let mut read = Vec::new();
            loop {
                match frames.next().await {
                    Ok(frame) => read.push(frame),
                    Err(error) => return (read, error.kind()),
                }
            }
        })
    }

    proptest! {
        #[test]
        fn messages_survive_any_chunking(
            messages in prop::collection::vec(prop::collection::vec(1_u8..=255, 0..50), 0..10),
            tail in prop::collection::vec(1_u8..=255, 0..20),
            chunk in 1_usize..40,
        ) {
            let mut stream = Vec::new();
            for message in &messages {
                stream.extend_from_slice(message);
                stream.push(0);
            }
            // A message without an end is incomplete.
            stream.extend_from_slice(&tail);
            let (read, end) = read_all(&stream, chunk);
            prop_assert_eq!(read, messages);
            prop_assert_eq!(end, io::ErrorKind::UnexpectedEof);
        }
    }

    #[tokio::test]
    async fn a_message_over_the_limit_is_refused() {
        let mut frames = Frames::new(BufReader::with_capacity(4, &b"12345\x00123456\x00"[..]));
        frames.longest = 5;
        assert_eq!(frames.next().await.unwrap(), b"12345");
        assert_eq!(frames.next().await.unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
