//! What stands between two that talk over TCP: it sends connections to its targets in turn, and it can go silent.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

const ALL: usize = usize::MAX;

/// A forwarder on a port of its own.
pub struct Wire {
    pub port: u16,
    state: Arc<State>,
}

struct State {
    only: AtomicUsize,
    silent: AtomicBool,
}

impl Wire {
    pub fn start(port: u16, targets: Vec<u16>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let state = Arc::new(State { only: AtomicUsize::new(ALL), silent: AtomicBool::new(false) });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for (turn, client) in listener.incoming().flatten().enumerate() {
                let one = shared.only.load(Ordering::SeqCst);
                let target = targets[if one == ALL { turn % targets.len() } else { one }];
                let state = Arc::clone(&shared);
                std::thread::spawn(move || {
                    if let Ok(server) = TcpStream::connect(("127.0.0.1", target)) {
                        join(&client, &server, &state);
                    }
                });
            }
        });
        Self { port, state }
    }

    /// Sends new connections to one target alone, or to all in turn.
    pub fn only(&self, target: Option<usize>) {
        self.state.only.store(target.unwrap_or(ALL), Ordering::SeqCst);
    }

    /// Passes nothing on any more, and closes nothing, or goes on where it stopped.
    pub fn silent(&self, silent: bool) {
        self.state.silent.store(silent, Ordering::SeqCst);
    }
}

/// Passes on what either side says, until one has ended.
fn join(client: &TcpStream, server: &TcpStream, state: &State) {
    std::thread::scope(|scope| {
        scope.spawn(|| pass(client, server, state));
        pass(server, client, state);
    });
}

fn pass(mut from: &TcpStream, mut to: &TcpStream, state: &State) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(read) = from.read(&mut buffer) {
        while state.silent.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(5));
        }
        if read == 0 || to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    // Who is gone for one is gone for the other.
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}
