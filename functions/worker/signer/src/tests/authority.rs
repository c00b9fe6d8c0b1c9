//! A time-stamp authority of the tests' own: OpenSSL behind a socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    Rightly,
    /// With a time stamp of another question.
    AnOlderQuestion,
    /// With a time stamp whose signature was changed.
    Forged,
    /// With a refusal, as such authorities write it.
    Refusal,
    /// With a page.
    Nonsense,
    /// With HTTP status 500.
    Failure,
}

const SETTINGS: &str = "[tsa]\ndefault_tsa = own\n[own]\nserial = serial\nsigner_cert = own.pem\nsigner_key = key.pem\ncerts = chain.pem\n\
    signer_digest = sha256\ndefault_policy = 1.2.3.4\ndigests = sha256\ness_cert_id_chain = no\ness_cert_id_alg = sha256\n";

/// Starts one, which answers until the test ends. Returns its port.
pub(crate) fn start(answers: Answers, folder: &Path) -> u16 {
    let keys = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../pdf/signatures/tests/fixtures/keys/stamps.p12");
    let own = folder.join("authority");
    std::fs::create_dir(&own).unwrap();
    std::fs::write(own.join("tsa.cnf"), SETTINGS).unwrap();
    for (options, to) in [
        (&["-nokeys", "-clcerts"][..], "own.pem"),
        (&["-nokeys", "-cacerts"], "chain.pem"),
        (&["-nocerts", "-nodes"], "key.pem"),
    ] {
        let mut command = Command::new("openssl");
        command.args(["pkcs12", "-passin", "pass:secret", "-out", to, "-in"]).arg(&keys).args(options);
        assert!(command.current_dir(&own).output().unwrap().status.success(), "{to}");
    }
    let older = reply(&own, &older_question(&own));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            serve(stream, answers, &own, &older);
        }
    });
    port
}

fn older_question(own: &Path) -> Vec<u8> {
    std::fs::write(own.join("older"), "something else").unwrap();
    let mut command = Command::new("openssl");
    command.args(["ts", "-query", "-data", "older", "-sha256", "-cert", "-out", "older.tsq"]).current_dir(own);
    assert!(command.output().unwrap().status.success());
    std::fs::read(own.join("older.tsq")).unwrap()
}

fn reply(own: &Path, question: &[u8]) -> Vec<u8> {
    std::fs::write(own.join("question.tsq"), question).unwrap();
    let mut command = Command::new("openssl");
    command.args(["ts", "-reply", "-config", "tsa.cnf", "-queryfile", "question.tsq", "-out", "answer.tsr"]);
    let output = command.current_dir(own).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(own.join("answer.tsr")).unwrap()
}

fn serve(stream: TcpStream, answers: Answers, own: &Path, older: &[u8]) {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    let mut head = String::new();
    while reader.read_line(&mut head).unwrap() > 2 {
        let line = head.to_ascii_lowercase();
        length = line.strip_prefix("content-length:").map_or(length, |value| value.trim().parse().unwrap());
        assert!(!line.starts_with("content-type:") || line.contains("application/timestamp-query"), "{line}");
        head.clear();
    }
    let mut question = vec![0; length];
    reader.read_exact(&mut question).unwrap();
    let answer = match answers {
        Answers::Rightly => reply(own, &question),
        Answers::AnOlderQuestion => older.to_vec(),
        Answers::Forged => {
            let mut answer = reply(own, &question);
            let last = answer.len() - 1;
            answer[last] ^= 1;
            answer
        }
        // Status 2, rejection.
        Answers::Refusal => vec![0x30, 5, 0x30, 3, 2, 1, 2],
        Answers::Nonsense => b"<html>".to_vec(),
        Answers::Failure => Vec::new(),
    };
    let status = if answers == Answers::Failure { "500 Internal Server Error" } else { "200 OK" };
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", answer.len());
    reader.get_mut().write_all(&[head.as_bytes(), &answer].concat()).unwrap();
}
