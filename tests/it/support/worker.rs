//! A plain worker that records what it sees and answers as it is told.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a worker saw of one call.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Default)]
struct State {
    seen: Vec<Seen>,
    answer: Option<(u16, String, String)>,
    cost: String,
    delay: Duration,
}

/// A worker on a port of its own.
pub struct Worker {
    pub url: String,
    state: Arc<Mutex<State>>,
}

impl Worker {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || serve(&stream, &shared));
            }
        });
        Self { url, state }
    }

    /// Everything it was called with, oldest first.
    pub fn seen(&self) -> Vec<Seen> {
        self.state.lock().unwrap().seen.clone()
    }

    pub fn last(&self) -> Seen {
        self.seen().pop().expect("the worker was called")
    }

    /// What it answers from now on.
    pub fn answers(&self, status: u16, content_type: &str, body: &str) {
        self.state.lock().unwrap().answer = Some((status, content_type.to_owned(), body.to_owned()));
    }

    /// The header lines that say what a call cost, from now on; each `X-Portero-Cost: …`.
    pub fn costs(&self, lines: &[&str]) {
        let lines: Vec<_> = lines.iter().map(|line| format!("X-Portero-Cost: {line}\r\n")).collect();
        self.state.lock().unwrap().cost = lines.concat();
    }

    /// How long it takes from now on.
    pub fn takes(&self, delay: Duration) {
        self.state.lock().unwrap().delay = delay;
    }
}

/// A worker whose answers are written by hand, byte by byte; gives its URL. Each connection serves one call.
pub fn by_hand(answer: impl Fn(&Seen, &mut TcpStream) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || {
                let seen = read(&mut BufReader::new(stream.try_clone().unwrap()));
                match seen {
                    Some(seen) if is_offer(&seen) => write_json(&mut stream, 404, "{}"),
                    Some(seen) => answer(&seen, &mut stream),
                    None => {}
                }
            });
        }
    });
    url
}

/// What a worker is asked that may offer more than tools. Those here offer none, unless a test answers by itself.
fn is_offer(seen: &Seen) -> bool {
    seen.body.is_empty() && ["/resources", "/resources/templates", "/prompts"].contains(&seen.path.as_str())
}

/// A worker whose every answer is JSON made for what it sees; gives its URL.
pub fn answering(answer: impl Fn(&Seen) -> (u16, String) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                while let Some(seen) = read(&mut reader) {
                    let (status, json) = answer(&seen);
                    write_json(&mut stream, status, &json);
                }
            });
        }
    });
    url
}

fn write_json(stream: &mut TcpStream, status: u16, json: &str) {
    let head = format!("HTTP/1.1 {status} Answer\r\nContent-Type: application/json\r\n");
    let _ = stream.write_all(format!("{head}Content-Length: {}\r\n\r\n{json}", json.len()).as_bytes());
}

/// One request; none if the other side has closed.
pub fn read(reader: &mut impl BufRead) -> Option<Seen> {
    let mut line = String::new();
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return None;
    }
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.trim_end().split_once(':') {
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Seen { method, path, headers, body: String::from_utf8(body).unwrap() })
}

fn serve(stream: &TcpStream, shared: &Mutex<State>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream.try_clone().unwrap();
    while let Some(seen) = read(&mut reader) {
        if is_offer(&seen) {
            write_json(&mut writer, 404, "{}");
            continue;
        }
        let (path, body) = (seen.path.clone(), seen.body.clone());
        let (answer, cost, delay) = {
            let mut state = shared.lock().unwrap();
            state.seen.push(seen);
            (state.answer.clone(), state.cost.clone(), state.delay)
        };
        std::thread::sleep(delay);
        let echo = if body.is_empty() { "{}" } else { &body };
        let (status, kind, body) = answer.unwrap_or_else(|| {
            (200, "application/json".to_owned(), format!("{{\"path\":\"{path}\",\"echo\":{echo}}}"))
        });
        let head = format!(
            "HTTP/1.1 {status} Answer\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{cost}\r\n{body}",
            body.len()
        );
        if writer.write_all(head.as_bytes()).is_err() {
            return;
        }
    }
}
