//! Results as text: in the answer if they are short, and otherwise piece by piece.

use serde_json::{Value, json};

use crate::api::{Answer, Api, Request};

/// Most bytes of a result in an answer, and of a piece.
pub(crate) const PIECE_BYTES: u64 = 50_000;
/// Most bytes that a search looks at, and what it reads at once.
const SEARCHED_BYTES: u64 = 8 << 20;
const SEARCH_STEP: u64 = 1 << 20;
/// Most lines that a search finds, and the most characters of each.
const MOST_LINES: usize = 50;
const LINE_CHARACTERS: usize = 300;

/// A piece of a result.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) text: String,
    /// Where the next piece begins; `None` at the end.
    pub(crate) next: Option<u64>,
    /// Of the whole file.
    pub(crate) bytes: u64,
}

/// Whether a model can read files of this type.
pub fn is_text(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.starts_with("text/")
        || matches!(essence, "application/json" | "application/x-ndjson" | "application/xml")
        || essence.ends_with("+json")
        || essence.ends_with("+xml")
}

/// The bytes without parts of characters at their ends, and where the text begins in them.
pub fn whole_characters(bytes: &[u8], is_end: bool) -> (usize, String) {
    let is_continued = |byte: &u8| byte & 0xc0 == 0x80;
    let start = bytes.iter().take(3).take_while(|byte| is_continued(byte)).count();
    let rest = bytes.get(start..).unwrap_or_default();
    let end = match std::str::from_utf8(rest) {
        // A character that goes on in the next piece.
        Err(error) if error.error_len().is_none() && !is_end => error.valid_up_to(),
        Ok(_) | Err(_) => rest.len(),
    };
    (start, String::from_utf8_lossy(rest.get(..end).unwrap_or_default()).into_owned())
}

/// What the API's answer to [`Request::ReadResult`] has.
pub fn body_of_piece(bytes: &[u8], from: u64, total: u64) -> Value {
    let read = from.saturating_add(bytes.len() as u64);
    let (start, text) = whole_characters(bytes, read >= total);
    let next = from + start as u64 + text.len() as u64;
    // Bytes that are no text have another length as text.
    let next = next.clamp(from, read);
    let next = if next == from { read } else { next };
    let next = if next < total { json!(next) } else { Value::Null };
    json!({"ok": true, "text": text, "next": next, "bytes": total})
}

/// A piece of a result's file, or the API's error.
pub(crate) async fn piece<A: Api>(api: &A, job: &str, file: usize, from: u64, most: u64) -> Result<Piece, Answer> {
    let request = Request::ReadResult { job: job.to_owned(), file, from, most };
    let answer = match api.send(request).await {
        Ok(answer) => answer,
        Err(unreachable) => return Err(Answer::unreachable(&unreachable)),
    };
    match answer.body["text"].as_str() {
        Some(text) => Ok(Piece {
            text: text.to_owned(),
            next: answer.body["next"].as_u64(),
            bytes: answer.body["bytes"].as_u64().unwrap_or_default(),
        }),
        None => Err(answer),
    }
}

/// The lines of a result that have this text, whatever its case, each with the place to read on from.
pub(crate) async fn search<A: Api>(api: &A, job: &str, file: usize, wanted: &str) -> Result<Value, Answer> {
    let wanted = wanted.to_lowercase();
    let (mut found, mut from, mut line) = (Vec::new(), 0, String::new());
    // Where the current line begins.
    let mut begin = 0;
    let mut is_whole = true;
    loop {
        let piece = piece(api, job, file, from, SEARCH_STEP).await?;
        for part in piece.text.split_inclusive('\n') {
            line.push_str(part);
            if part.ends_with('\n') || piece.next.is_none() {
                if line.to_lowercase().contains(&wanted) && found.len() < MOST_LINES {
                    let shown: String = line.trim_end().chars().take(LINE_CHARACTERS).collect();
                    found.push(json!({"offset": begin, "line": shown}));
                }
                begin += line.len() as u64;
                line.clear();
            }
        }
        match piece.next {
            Some(next) if next < SEARCHED_BYTES => from = next,
            Some(_) => {
                is_whole = false;
                break;
            }
            None => break,
        }
    }
    let mut told = json!({"found": found});
    if found.len() == MOST_LINES || !is_whole {
        told["note"] = json!("There may be more. Search for something rarer.");
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_end_and_begin_with_whole_characters() {
        let text = "aé€😀b";
        for size in 4..text.len() {
            let (mut from, mut read) = (0_u64, String::new());
            loop {
                let at = usize::try_from(from).unwrap();
                let bytes = &text.as_bytes()[at..text.len().min(at + size)];
                let body = body_of_piece(bytes, from, text.len() as u64);
                read.push_str(body["text"].as_str().unwrap());
                match body["next"].as_u64() {
                    Some(next) => from = next,
                    None => break,
                }
            }
            assert_eq!(read, text, "pieces of {size} bytes");
        }
        // In the middle of a character: it begins with the next one.
        assert_eq!(body_of_piece(&text.as_bytes()[2..], 2, text.len() as u64)["text"], "€😀b");
    }

    #[test]
    fn broken_text_does_not_stop_the_reader() {
        let body = body_of_piece(b"\xff\xfe\xff", 0, 100);
        assert_eq!(body["next"], 3);
        assert!(is_text("text/markdown; charset=utf-8") && is_text("application/json") && !is_text("application/pdf"));
    }
}
