//! A request as bytes.

use bytes::Bytes;
use http::Method;

use crate::upstream::client::{Headers, Sending};

/// A body up to this size goes out together with the head.
const TOGETHER: usize = 16 << 10;

/// Writes everything but a large body. Length and connection are this module's to say.
pub fn request<H: Headers>(output: &mut Vec<u8>, request: &Sending<'_, H>) {
    output.clear();
    output.extend_from_slice(request.method.as_str().as_bytes());
    output.push(b' ');
    let target = request.uri.path_and_query().map_or("/", |target| target.as_str());
    if !target.starts_with('/') {
        output.push(b'/');
    }
    output.extend_from_slice(target.as_bytes());
    output.extend_from_slice(b" HTTP/1.1\r\n");
    request.headers.write(output);
    if !request.body.is_empty() || request.method != Method::GET {
        output.extend_from_slice(b"content-length: ");
        output.extend_from_slice(itoa::Buffer::new().format(request.body.len()).as_bytes());
        output.extend_from_slice(b"\r\n");
    }
    output.extend_from_slice(b"\r\n");
    if apart(request.body).is_empty() {
        output.extend_from_slice(request.body);
    }
}

/// The body, if it goes out after the head.
pub fn apart(body: &Bytes) -> &[u8] {
    if body.len() > TOGETHER { body } else { &[] }
}
