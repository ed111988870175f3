use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use crate::upstream::client::{Client, Failure, Reply, Sending, read};

const UNREADABLE: Failure = Failure::Unavailable("upstream_unreadable");
const RESET: Failure = Failure::Unavailable("upstream_reset");
const PAUSE: Duration = Duration::from_millis(20);
const LIMIT: usize = 1 << 20;

/// A server that answers each request of a connection with the next of some answers, each written in pieces;
/// after the last one it closes the connection, or leaves it open.
#[derive(Clone, Default)]
struct Server {
    url: String,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
    closed: Arc<AtomicUsize>,
}

impl Server {
    async fn new(answers: Vec<Vec<Vec<u8>>>, close: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self { url: format!("http://{}", listener.local_addr().unwrap()), ..Self::default() };
        let own = server.clone();
        tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                own.connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(own.clone().serve(socket, answers.clone(), close));
            }
        });
        server
    }

    /// Closes once it has said this.
    async fn says(answer: &str) -> Self {
        Self::new(vec![vec![answer.into()]], true).await
    }

    async fn serve(self, mut socket: TcpStream, answers: Vec<Vec<Vec<u8>>>, close: bool) {
        socket.set_nodelay(true).unwrap();
        for answer in answers {
            if !take_request(&mut socket).await {
                break;
            }
            self.requests.fetch_add(1, Ordering::SeqCst);
            for (at, piece) in answer.iter().enumerate() {
                if at > 0 {
                    sleep(Duration::from_millis(1)).await;
                }
                if socket.write_all(piece).await.is_err() {
                    break;
                }
            }
        }
        if !close {
            while socket.read(&mut [0; 64]).await.is_ok_and(|length| length > 0) {}
        }
        self.closed.fetch_add(1, Ordering::SeqCst);
    }

    async fn send(&self, body: &'static [u8]) -> Result<Reply, Failure> {
        let request = Sending {
            method: Method::POST,
            uri: &format!("{}/a?b=c", self.url).parse().unwrap(),
            headers: &HeaderMap::from_iter([("x-one".parse().unwrap(), HeaderValue::from_static("1"))]),
            body: &Bytes::from_static(body),
        };
        Client::new().send(&request).await
    }

    async fn get(&self) -> Result<(StatusCode, String), Failure> {
        let reply = self.send(b"{}").await?;
        let body = read(reply.body, LIMIT).await?;
        // what the other side does next has to arrive before the next request
        sleep(PAUSE).await;
        Ok((reply.status, String::from_utf8(body.to_vec()).unwrap()))
    }

    fn opened(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn take_request(socket: &mut TcpStream) -> bool {
    let mut seen = Vec::new();
    while !seen.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if socket.read(&mut byte).await.unwrap_or(0) == 0 {
            return false;
        }
        seen.push(byte[0]);
    }
    let head = String::from_utf8(seen).unwrap();
    assert!(head.starts_with("POST /a?b=c HTTP/1.1\r\nx-one: 1\r\ncontent-length: "), "{head}");
    let length = head.trim_end().rsplit(' ').next().unwrap().parse().unwrap();
    let mut body = vec![0; length];
    socket.read_exact(&mut body).await.is_ok()
}

fn ok(body: &str) -> (StatusCode, String) {
    (StatusCode::OK, body.to_owned())
}

const PLAIN: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/x\r\nContent-Length: 5\r\n\r\nhello";
const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3;a=\"b\"\r\nhel\r\n002 \r\nlo\r\n\
                       0;last\r\nx-checksum: 1\r\nx-more: 2\r\n\r\n";

#[tokio::test]
async fn an_answer_may_be_cut_anywhere() {
    for answer in [PLAIN, CHUNKED, &format!("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n{PLAIN}")] {
        let cuts = (1..answer.len()).map(|at| answer.as_bytes().split_at(at));
        let pieces: Vec<_> = cuts.map(|(before, after)| vec![before.to_vec(), after.to_vec()]).collect();
        let count = pieces.len();
        let server = Server::new(pieces, false).await;
        for at in 1..=count {
            let reply = server.send(b"{}").await.unwrap();
            assert_eq!(read(reply.body, LIMIT).await, Ok(Bytes::from("hello")), "{at}: {answer}");
        }
        assert_eq!(server.opened(), 1, "{answer}");
    }
}

#[tokio::test]
async fn an_answer_may_come_byte_by_byte() {
    for answer in [PLAIN, CHUNKED] {
        let server = Server::new(vec![answer.bytes().map(|byte| vec![byte]).collect::<Vec<_>>()], true).await;
        assert_eq!(server.get().await, Ok(ok("hello")), "{answer}");
    }
}

#[tokio::test]
async fn heads_are_read_as_far_as_they_count() {
    let server = Server::says(PLAIN).await;
    assert_eq!(server.send(b"").await.unwrap().content_type.unwrap(), "text/x");
    for (answer, status, body) in [
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 P\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na",
            200,
            "a",
        ),
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, ""),
        ("HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n", 204, ""),
        ("HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n", 304, ""),
        ("HTTP/1.1 404\r\ncontent-length: 2\r\n\r\nno", 404, "no"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\na", 200, "a"),
        ("HTTP/1.1 200 OK\r\n\r\nuntil the end", 200, "until the end"),
        ("HTTP/1.0 200 OK\r\n\r\nuntil the end", 200, "until the end"),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", 200, ""),
    ] {
        let server = Server::says(answer).await;
        let expected = Ok((StatusCode::from_u16(status).unwrap(), body.to_owned()));
        assert_eq!(server.get().await, expected, "{answer}");
    }
}

#[tokio::test]
async fn what_can_be_read_in_two_ways_is_not_read() {
    for head in [
        "content-length: 5\r\ntransfer-encoding: chunked\r\n",
        "transfer-encoding: chunked\r\ncontent-length: 5\r\n",
        "content-length: 5\r\ncontent-length: 6\r\n",
        "content-length: 5, 5\r\n",
        "content-length: +5\r\n",
        "content-length: -5\r\n",
        "content-length:\r\n",
        "content-length: 0x5\r\n",
        "content-length: 99999999999999999999999\r\n",
        "content-length : 5\r\n",
        "transfer-encoding: gzip, chunked\r\n",
        "transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n",
        "transfer-encoding: xchunked\r\n",
    ] {
        let server = Server::says(&format!("HTTP/1.1 200 OK\r\n{head}\r\nhello")).await;
        assert_eq!(server.get().await, Err(UNREADABLE), "{head}");
    }
    for answer in [
        "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "HTTP/1.1 99 x\r\n\r\n",
        "HTTP/2.0 200 OK\r\n\r\n",
        "SSH-2.0-OpenSSH\r\n\r\n",
    ] {
        assert_eq!(Server::says(answer).await.get().await, Err(UNREADABLE), "{answer}");
    }
}

#[tokio::test]
async fn chunks_are_read_strictly() {
    for chunks in [
        "\r\n",
        "g\r\n",
        "0x5\r\n",
        "+5\r\n",
        "-1\r\n",
        " 5\r\nhello\r\n0\r\n\r\n",
        "5\nhello\r\n0\r\n\r\n",
        "5\r\nhello0\r\n\r\n",
        "5\r\nhello\n0\r\n\r\n",
        "5\r\nhello!\r\n0\r\n\r\n",
        "5;a\nb\r\nhello\r\n0\r\n\r\n",
        "5;a\rb\r\nhello\r\n0\r\n\r\n",
        "ffffffffffffffff\r\n",
        "10000000000000000\r\n",
        ";a\r\n",
        "0\r\nx: 1\n\r\n\r\n",
    ] {
        let server =
            Server::says(&format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{chunks}")).await;
        assert_eq!(server.get().await, Err(UNREADABLE), "{chunks:?}");
    }
    for long in [format!("5;{}", "a".repeat(5000)), format!("0\r\n{}", "x: 1\r\n".repeat(5000))] {
        let server =
            Server::says(&format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{long}\r\n\r\n"))
                .await;
        assert_eq!(server.get().await, Err(UNREADABLE));
    }
}

#[tokio::test]
async fn what_breaks_off_is_no_answer() {
    for answer in [
        "",
        "HTTP/1.1 200 O",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhe",
    ] {
        let server = Server::says(answer).await;
        assert_eq!(server.get().await, Err(RESET), "{answer}");
        assert_eq!(server.requests.load(Ordering::SeqCst), 1, "{answer}");
    }
}

#[tokio::test]
async fn heads_have_a_limit() {
    let long = format!("x: {}\r\n", "a".repeat(900));
    for head in [long.repeat(80), "x: 1\r\n".repeat(65), format!("x: {}", "a".repeat(100_000))] {
        let server = Server::says(&format!("HTTP/1.1 200 OK\r\n{head}\r\n")).await;
        assert_eq!(server.get().await, Err(UNREADABLE));
    }
    let interim = "HTTP/1.1 103 Early Hints\r\nlink: </abcdefgh>\r\n\r\n".repeat(2000);
    assert_eq!(Server::says(&format!("{interim}{PLAIN}")).await.get().await, Err(UNREADABLE));
    let server = Server::says(&format!("HTTP/1.1 200 OK\r\n{}\r\nall", long.repeat(60))).await;
    assert_eq!(server.get().await, Ok(ok("all")));
}

#[tokio::test]
async fn a_connection_that_closes_when_idle_is_replaced() {
    let server = Server::says(PLAIN).await;
    for count in 1..=3 {
        assert_eq!(server.get().await, Ok(ok("hello")));
        assert_eq!(server.opened(), count);
    }
}

#[tokio::test]
async fn a_connection_is_used_again_only_after_an_exact_end() {
    for (answer, again) in [
        (PLAIN.to_owned(), true),
        (CHUNKED.to_owned(), true),
        (format!("{PLAIN}!"), false),
        (format!("{CHUNKED}!"), false),
        (format!("{PLAIN}{PLAIN}"), false),
        (PLAIN.replace("Content-Type: text/x", "Connection: Close"), false),
        (PLAIN.replace("Content-Type: text/x", "Connection: keep-alive, close"), false),
        (PLAIN.replace("HTTP/1.1", "HTTP/1.0"), false),
        (PLAIN.replace("1.1", "1.0").replace("Content-Type: text/x", "connection: Keep-Alive"), true),
    ] {
        let server = Server::new(vec![vec![answer.clone().into_bytes()]; 2], false).await;
        assert_eq!(server.get().await, Ok(ok("hello")), "{answer}");
        assert_eq!(server.get().await, Ok(ok("hello")), "{answer}");
        assert_eq!(server.opened(), if again { 1 } else { 2 }, "{answer}");
    }
}

#[tokio::test]
async fn what_comes_unasked_ends_a_connection() {
    let late = vec![PLAIN.into(), PLAIN.into()];
    let server = Server::new(vec![late; 2], false).await;
    assert_eq!(server.get().await, Ok(ok("hello")));
    assert_eq!(server.get().await, Ok(ok("hello")));
    assert_eq!(server.opened(), 2);
}

#[tokio::test]
async fn who_gives_up_closes() {
    let cut: Vec<Vec<u8>> = vec!["HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhello".into()];
    let silent: Vec<Vec<u8>> = Vec::new();
    for answer in [silent, cut.clone(), vec!["HTTP/1.1 200".into()]] {
        let server = Server::new(vec![answer; 2], false).await;
        assert!(timeout(PAUSE, server.get()).await.is_err());
        sleep(PAUSE).await;
        assert_eq!((server.opened(), server.closed.load(Ordering::SeqCst)), (1, 1));
    }
    let server = Server::new(vec![cut], false).await;
    drop(server.send(b"{}").await.unwrap());
    sleep(PAUSE).await;
    assert_eq!(server.closed.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn nothing_is_lost_when_waiting_is_given_up() {
    let pieces = ["3\r\nhel", "\r\n2\r", "\nlo\r\n0", "\r\n\r\n"].map(|piece| piece.as_bytes().to_vec());
    let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    let server = Server::new(vec![[head].into_iter().chain(pieces).collect()], false).await;
    let mut body = server.send(b"{}").await.unwrap().body;
    let mut text = Vec::new();
    loop {
        match timeout(Duration::from_micros(100), body.chunk()).await {
            Ok(Some(chunk)) => text.extend_from_slice(&chunk.unwrap()),
            Ok(None) => break,
            Err(_) => {}
        }
    }
    assert_eq!(text, b"hello");
}

#[tokio::test]
async fn large_bodies_go_both_ways() {
    static LARGE: [u8; 3 << 20] = [b'a'; 3 << 20];
    let half = "b".repeat(LIMIT / 2);
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {LIMIT}\r\n\r\n{half}{half}");
    let server = Server::new(vec![vec![answer.into_bytes()]; 2], false).await;
    for _ in 0..2 {
        let reply = server.send(&LARGE).await.unwrap();
        assert_eq!(read(reply.body, LIMIT).await.unwrap().len(), LIMIT);
    }
    assert_eq!(server.opened(), 1);
    let reply = Server::says(PLAIN).await.send(&LARGE).await.unwrap();
    assert_eq!(read(reply.body, 4).await, Err(Failure::Unavailable("upstream_answer_too_long")));
}

#[tokio::test]
async fn a_refusal_counts_before_all_was_sent() {
    static LARGE: [u8; 32 << 20] = [b'a'; 32 << 20];
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = Server { url: format!("http://{}", listener.local_addr().unwrap()), ..Server::default() };
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let _ = socket.read(&mut [0; 64]).await;
        socket.write_all(b"HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno").await.unwrap();
        std::future::pending::<()>().await;
    });
    let reply = timeout(Duration::from_secs(5), server.send(&LARGE)).await.unwrap().unwrap();
    assert_eq!(reply.status, 413);
    assert_eq!(read(reply.body, LIMIT).await, Ok(Bytes::from("no")));
}
