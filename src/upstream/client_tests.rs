use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{HeaderMap, Method};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::upstream::client::{Client, Failure, Sending, read};

/// What a server does with the requests of one connection, one letter each: `a` answers, `c` answers and then
/// closes without having said so, `x` closes without an answer.
struct Server {
    url: String,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
}

async fn server(script: &'static [&'static str]) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/x", listener.local_addr().unwrap());
    let (connections, requests) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (opened, seen) = (Arc::clone(&connections), Arc::clone(&requests));
    tokio::spawn(async move {
        for steps in script {
            let (mut socket, _) = listener.accept().await.unwrap();
            opened.fetch_add(1, Ordering::SeqCst);
            for step in steps.chars() {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    if socket.read(&mut byte).await.unwrap_or(0) == 0 {
                        break;
                    }
                    head.push(byte[0]);
                }
                seen.fetch_add(1, Ordering::SeqCst);
                if step != 'x' {
                    socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await.unwrap();
                }
            }
        }
    });
    Server { url, connections, requests }
}

async fn get(url: &str) -> Result<String, Failure> {
    let request = Sending {
        method: Method::GET,
        uri: &url.parse().unwrap(),
        headers: &HeaderMap::new(),
        body: &Bytes::new(),
    };
    let body = read(Client::new().send(&request).await?.body, 100).await?;
    // what the other side does next has to arrive before the next request
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    Ok(String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let server = server(&["aaaa"]).await;
    for _ in 0..3 {
        assert_eq!(get(&server.url).await, Ok("ok".into()));
    }
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn one_that_was_closed_meanwhile_is_replaced() {
    let server = server(&["c", "c", "c"]).await;
    for _ in 0..3 {
        assert_eq!(get(&server.url).await, Ok("ok".into()));
    }
    assert_eq!(server.connections.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn what_may_have_been_done_is_not_done_again() {
    let server = server(&["ax", "aaaa"]).await;
    assert_eq!(get(&server.url).await, Ok("ok".into()));
    assert_eq!(get(&server.url).await, Err(Failure::Unavailable("upstream_reset")));
    assert_eq!(server.requests.load(Ordering::SeqCst), 2);
    assert_eq!(get(&server.url).await, Ok("ok".into()));
}

#[tokio::test]
async fn a_refused_connection_is_said_so() {
    assert_eq!(get("http://127.0.0.1:1/x").await, Err(Failure::Unavailable("upstream_refused")));
}
