//! A small client of the Chrome DevTools Protocol (https://chromedevtools.github.io/devtools-protocol/).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io;
use tokio::io::{AsyncBufRead, AsyncWrite, AsyncWriteExt};

use super::frames::Frames;

/// Sends commands and receives messages in order. The caller matches replies to commands: while it waits, it must handle events,
/// because the reply may depend on them.
#[derive(Debug)]
pub(super) struct Client<R, W> {
    frames: Frames<R>,
    writer: W,
    last_id: u64,
}

/// A command to the browser or, with a session, to a page.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Command {
    pub(super) method: &'static str,
    pub(super) params: Value,
}

#[derive(Debug)]
pub(super) enum Message {
    Reply { id: u64, result: Result<Value, String> },
    Event(Event),
}

#[derive(Debug)]
pub(super) struct Event {
    pub(super) session: Option<String>,
    pub(super) method: String,
    pub(super) params: Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outgoing<'a> {
    id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    #[serde(flatten)]
    command: &'a Command,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Incoming {
    id: Option<u64>,
    session_id: Option<String>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    result: Value,
    error: Option<Rejection>,
}

#[derive(Deserialize)]
struct Rejection {
    message: String,
}

impl<R: AsyncBufRead + Unpin, W: AsyncWrite + Unpin> Client<R, W> {
    pub(super) fn new(reader: R, writer: W) -> Self {
        Self { frames: Frames::new(reader), writer, last_id: 0 }
    }

    /// Sends a command and returns the id that its reply will have.
    pub(super) async fn send(&mut self, session: Option<&str>, command: &Command) -> io::Result<u64> {
        self.last_id += 1;
        let mut bytes = serde_json::to_vec(&Outgoing { id: self.last_id, session_id: session, command })?;
        bytes.push(0);
        self.writer.write_all(&bytes).await?;
        self.writer.flush().await?;
        Ok(self.last_id)
    }

    /// The next reply or event. Cancel-safe.
    ///
    /// # Errors
    /// If the browser has exited or its output is not valid.
    pub(super) async fn next(&mut self) -> io::Result<Message> {
        parse(&self.frames.next().await?)
    }
}

fn parse(frame: &[u8]) -> io::Result<Message> {
    let incoming: Incoming = serde_json::from_slice(frame)?;
    match (incoming.id, incoming.method) {
        (Some(id), _) => {
            let result = incoming.error.map_or(Ok(incoming.result), |error| Err(error.message));
            Ok(Message::Reply { id, result })
        }
        (None, Some(method)) => {
            Ok(Message::Event(Event { session: incoming.session_id, method, params: incoming.params }))
        }
        (None, None) => match incoming.error {
            // The browser could not parse a command.
            Some(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error.message)),
            None => Err(io::Error::new(io::ErrorKind::InvalidData, "neither reply nor event")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn a_command_is_written_with_its_session_and_a_new_id() {
        let mut written = Vec::new();
        let mut client = Client::new(tokio::io::empty(), &mut written);
        let command = Command { method: "Page.enable", params: json!({}) };
        assert_eq!(client.send(None, &command).await.unwrap(), 1);
        assert_eq!(client.send(Some("s"), &command).await.unwrap(), 2);
        let texts: Vec<_> = written.split(|byte| *byte == 0).filter(|text| !text.is_empty()).collect();
        let read = |text| serde_json::from_slice::<Value>(text).unwrap();
        assert_eq!(read(texts[0]), json!({"id": 1, "method": "Page.enable", "params": {}}));
        assert_eq!(read(texts[1]), json!({"id": 2, "sessionId": "s", "method": "Page.enable", "params": {}}));
    }

    #[test]
    fn replies_errors_and_events_are_distinguished() {
        let reply = parse(br#"{"id":7,"result":{"a":1},"sessionId":"s"}"#).unwrap();
        assert!(matches!(reply, Message::Reply { id: 7, result: Ok(value) } if value == json!({"a": 1})));
        let error = parse(br#"{"id":7,"error":{"code":-32000,"message":"no"}}"#).unwrap();
        assert!(matches!(error, Message::Reply { id: 7, result: Err(text) } if text == "no"));
        let event = parse(br#"{"method":"Page.x","params":{"b":2},"sessionId":"s"}"#).unwrap();
        assert!(matches!(event, Message::Event(event)
            if event.method == "Page.x" && event.session.as_deref() == Some("s") && event.params == json!({"b": 2})));
        assert!(parse(b"{}").is_err());
        assert!(parse(br#"{"error":{"message":"bad JSON"}}"#).is_err());
        assert!(parse(b"[1").is_err());
    }

    #[test]
    fn fuzz_messages_of_the_browser() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        docmill_fuzz::fuzz("cdp", &[], |bytes| {
            runtime.block_on(async {
                let mut client = Client::new(bytes, tokio::io::sink());
                let mut watch = crate::watch::Watch::new(("docmill", "token"), "f".to_owned());
                while let Ok(message) = client.next().await {
                    if let Message::Event(event) = message {
                        watch.on_event(&event);
                    }
                }
                watch.broken();
            });
        });
    }
}
