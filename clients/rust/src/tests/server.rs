//! A server of canned answers on loopback.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::Client;

pub(super) const KEY: &str = "dm_test_ThisKeyIsNotToBeSeenAnywhere";

/// What was asked: the first line and the headers of each request, in lower case.
pub(super) type Asked = Arc<Mutex<Vec<String>>>;

pub(super) struct Server {
    pub(super) address: String,
    pub(super) asked: Asked,
}

impl Server {
    /// `answer` gets the address of the server, the number of the request and its head, and returns a whole HTTP response.
    pub(super) fn start(answer: impl Fn(&str, usize, &str) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Asked::default();
        let (own, seen) = (address.clone(), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                serve(stream.unwrap(), &own, &seen, &answer);
            }
        });
        Self { address, asked }
    }

    pub(super) fn client(&self) -> Client {
        let url = format!("{}/stage", self.address);
        Client::builder().url(url).key(KEY).timeout(Duration::from_secs(5)).max_retries(1).build().unwrap()
    }

    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, own: &str, seen: &Asked, answer: &impl Fn(&str, usize, &str) -> Vec<u8>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while reader.read_line(&mut head).unwrap_or(0) > 2 {}
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    reader.read_exact(&mut vec![0; length]).unwrap();
    let number = {
        let mut seen = seen.lock().unwrap();
        seen.push(head.clone());
        seen.len()
    };
    // A client may have gone.
    drop(stream.write_all(&answer(own, number, &head)));
}

/// A response with a length that need not be the body's.
pub(super) fn response(status: u16, headers: &str, length: usize, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}

pub(super) fn json(body: &serde_json::Value) -> Vec<u8> {
    let text = body.to_string();
    response(200, "x-request-id: req-1\r\npreference-applied: wait\r\n", text.len(), text.as_bytes())
}
