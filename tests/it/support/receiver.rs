//! A server that results are delivered to.

use std::sync::{Arc, Mutex};

use docmill_egress::SourceExceptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::stub_engine::Gate;

/// What the server does with a result.
#[derive(Clone, Debug)]
pub enum Reception {
    Take,
    Refuse,
    /// Takes it, but only answers after the gate opens.
    Hold(Arc<Gate>),
}

#[derive(Debug)]
pub struct Receiver {
    port: u16,
    state: Arc<Mutex<State>>,
    server: JoinHandle<()>,
}

#[derive(Debug)]
struct State {
    reception: Reception,
    received: Vec<Vec<u8>>,
}

impl Receiver {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(State { reception: Reception::Take, received: Vec::new() }));
        let here = state.clone();
        let server = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(receive(here.clone(), BufStream::new(stream)));
            }
        });
        Self { port, state, server }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/result.pdf", self.port)
    }

    pub fn exception(&self) -> SourceExceptions {
        format!("127.0.0.1:{}", self.port).parse().unwrap()
    }

    /// Forgets what was received.
    pub fn play(&self, reception: Reception) {
        *self.state.lock().unwrap() = State { reception, received: Vec::new() };
    }

    /// The bodies of all requests.
    pub fn received(&self) -> Vec<Vec<u8>> {
        self.state.lock().unwrap().received.clone()
    }
}

async fn receive(state: Arc<Mutex<State>>, mut stream: BufStream<TcpStream>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut body).await.unwrap();
    let reception = {
        let mut state = state.lock().unwrap();
        state.received.push(body);
        state.reception.clone()
    };
    let status = match reception {
        Reception::Take => "200 OK",
        Reception::Refuse => "403 Forbidden",
        Reception::Hold(gate) => {
            gate.reached.notify_one();
            gate.open.notified().await;
            "200 OK"
        }
    };
    let answer = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    stream.write_all(answer.as_bytes()).await.unwrap();
    stream.flush().await.unwrap();
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.server.abort();
    }
}
