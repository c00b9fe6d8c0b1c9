//! A root, an issuer, a signer and a time-stamp authority of the tests' own, with whoever says whether they are revoked: OpenSSL behind a
//! socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

/// What is said about the certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Good,
    SignerRevoked,
    IssuerRevoked,
    /// Nobody answers but the time-stamp authority and whoever has certificates.
    Silent,
    /// Answers are changed on their way.
    Forged,
    /// Nobody has the issuer's certificate.
    WithoutIssuer,
}

pub(crate) struct Hierarchy {
    folder: TempDir,
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

const SETTINGS: &str = "[tsa]\ndefault_tsa = own\n[own]\nserial = serial\nsigner_cert = tsa.pem\nsigner_key = tsa.key\ncerts = tsa.pem\n\
    signer_digest = sha256\ndefault_policy = 1.2.3.4\ndigests = sha256\ness_cert_id_chain = no\ness_cert_id_alg = sha256\n\
    [ca]\ndefault_ca = issuing\n[issuing]\ndatabase = issuing.txt\ndefault_md = sha256\ndefault_crl_days = 1\n";
const REVOKED: &str = "260102000000Z";

impl Hierarchy {
    pub(crate) fn start(state: State) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), port, state);
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (own, log) = (folder.path().to_owned(), asked.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(stream, state, &own, &log);
            }
        });
        Self { folder, port, asked }
    }

    pub(crate) fn address(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// A PKCS#12 file with the password `secret`.
    pub(crate) fn key(&self) -> Vec<u8> {
        std::fs::read(self.folder.path().join("signer.p12")).unwrap()
    }

    pub(crate) fn root(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("root.pem")).unwrap()
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn openssl(own: &Path, arguments: &str) {
    let mut command = Command::new("openssl");
    let output = command.args(arguments.split(' ')).current_dir(own).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

fn make(own: &Path, port: u16, state: State) {
    std::fs::write(own.join("settings"), SETTINGS).unwrap();
    let at = |path: &str| format!("http://127.0.0.1:{port}/{path}");
    let key =
        |name: &str| openssl(own, &format!("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out {name}.key"));
    key("root");
    openssl(
        own,
        "req -x509 -new -key root.key -out root.pem -subj /CN=Root -days 3650 -addext keyUsage=critical,keyCertSign,cRLSign",
    );
    let authority = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n";
    let asked = |issuer: &str| {
        format!(
            "authorityInfoAccess=OCSP;URI:{},caIssuers;URI:{}\n",
            at(&format!("ocsp-{issuer}")),
            at(&format!("{issuer}.der"))
        )
    };
    let listed = format!("crlDistributionPoints=URI:{}\n", at("issuing.crl"));
    let [signs, stamps] = [
        "keyUsage=critical,nonRepudiation\n",
        "keyUsage=critical,digitalSignature\nextendedKeyUsage=critical,timeStamping\n",
    ];
    let responds = "extendedKeyUsage=OCSPSigning\nnoCheck=ignored\n";
    for (name, subject, issuer, serial, extensions) in [
        ("issuing", "/CN=Issuing", "root", 1, format!("{authority}{}", asked("root"))),
        ("responder", "/CN=Responder", "issuing", 2, responds.to_owned()),
        ("signer", "/CN=Long Lived", "issuing", 3, format!("{signs}{}", asked("issuing"))),
        ("tsa", "/CN=Stamps", "issuing", 4, format!("{stamps}{listed}")),
    ] {
        key(name);
        std::fs::write(own.join("extensions"), extensions).unwrap();
        let subject = subject.replace(' ', "\u{a0}");
        let request = format!("req -new -key {name}.key -out {name}.csr -subj {subject} -utf8");
        let mut command = Command::new("openssl");
        let arguments = request.split(' ').map(|each| each.replace('\u{a0}', " "));
        assert!(command.args(arguments).current_dir(own).output().unwrap().status.success(), "{name}");
        openssl(
            own,
            &format!(
                "x509 -req -in {name}.csr -CA {issuer}.pem -CAkey {issuer}.key -set_serial {serial} -days 365 -extfile extensions -out {name}.pem"
            ),
        );
    }
    for name in ["root", "issuing"] {
        openssl(own, &format!("x509 -in {name}.pem -outform DER -out {name}.der"));
    }
    openssl(own, "pkcs12 -export -inkey signer.key -in signer.pem -out signer.p12 -passout pass:secret");
    let line = |serial: u8, name: &str, is_revoked: bool| {
        let (letter, when) = if is_revoked { ("R", REVOKED) } else { ("V", "") };
        format!("{letter}\t360101000000Z\t{when}\t{serial:02X}\tunknown\t/CN={name}\n")
    };
    std::fs::write(own.join("root.txt"), line(1, "Issuing", state == State::IssuerRevoked)).unwrap();
    let signer = line(3, "Long Lived", state == State::SignerRevoked);
    std::fs::write(own.join("issuing.txt"), signer + &line(4, "Stamps", false)).unwrap();
    std::fs::write(own.join("issuing.txt.attr"), "unique_subject = no\n").unwrap();
    openssl(own, "ca -gencrl -config settings -cert issuing.pem -keyfile issuing.key -out crl.pem");
    openssl(own, "crl -in crl.pem -outform DER -out issuing.crl");
}

fn serve(stream: TcpStream, state: State, own: &Path, log: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream);
    let (mut length, mut path, mut head) = (0, String::new(), String::new());
    while reader.read_line(&mut head).unwrap() > 2 {
        let line = head.to_ascii_lowercase();
        length = line.strip_prefix("content-length:").map_or(length, |value| value.trim().parse().unwrap());
        if path.is_empty() {
            path = line.split(' ').nth(1).unwrap().trim_start_matches('/').to_owned();
        }
        head.clear();
    }
    let mut question = vec![0; length];
    reader.read_exact(&mut question).unwrap();
    log.lock().unwrap().push(path.clone());
    std::fs::write(own.join("question"), question).unwrap();
    let mut answer = match path.as_str() {
        "tsa" => {
            openssl(own, "ts -reply -config settings -queryfile question -out answer");
            Some(std::fs::read(own.join("answer")).unwrap())
        }
        "ocsp-root" | "ocsp-issuing" if state != State::Silent => {
            let issuer = path.trim_start_matches("ocsp-");
            let responder = if issuer == "root" { "root" } else { "responder" };
            let signing = format!("-rsigner {responder}.pem -rkey {responder}.key");
            openssl(
                own,
                &format!(
                    "ocsp -index {issuer}.txt -CA {issuer}.pem {signing} -reqin question -respout answer -ndays 1"
                ),
            );
            Some(std::fs::read(own.join("answer")).unwrap())
        }
        "issuing.der" if state == State::WithoutIssuer => None,
        "issuing.der" | "root.der" => Some(std::fs::read(own.join(&path)).unwrap()),
        "issuing.crl" if state != State::Silent => Some(std::fs::read(own.join(&path)).unwrap()),
        _ => None,
    };
    if let (State::Forged, Some(answer), true) = (state, &mut answer, path.starts_with("ocsp") || path.ends_with("crl"))
    {
        // A byte of the signature, or of the answer itself.
        let middle = answer.len() / 4;
        answer[middle] ^= 1;
    }
    let status = if answer.is_some() { "200 OK" } else { "404 Not Found" };
    let answer = answer.unwrap_or_default();
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", answer.len());
    reader.get_mut().write_all(&[head.as_bytes(), &answer].concat()).unwrap();
}
