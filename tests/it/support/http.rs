//! HTTP as a client sees it: any status is an answer, no redirect is followed.

use std::io::{BufRead as _, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    /// The first header of a name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Every header of a name.
    pub fn headers(&self, name: &str) -> Vec<&str> {
        self.headers
            .iter()
            .filter(|(own, _)| own.eq_ignore_ascii_case(name))
            .map(|(_, v)| v.as_str())
            .collect()
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The cookies it sets, as a client sends them back.
    pub fn cookies(&self) -> String {
        let pairs = self.headers("set-cookie").into_iter().map(|cookie| cookie.split(';').next().unwrap());
        pairs.collect::<Vec<_>>().join("; ")
    }
}

/// A client with connections of its own, which it keeps.
pub fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .allow_non_standard_methods(true)
        .timeout_global(Some(Duration::from_secs(30)))
        .build()
        .into()
}

/// Sends a request.
pub fn request(method: &str, url: &str, headers: &[(&str, &str)], body: Option<&str>) -> Reply {
    try_request(&agent(), method, url, headers, body)
        .unwrap_or_else(|error| panic!("{method} {url}: {error}"))
}

/// Sends a request to a server that may not be there, or may die before it has answered.
pub fn try_request(
    agent: &ureq::Agent,
    method: &str,
    url: &str,
    headers: &[(&str, &str)],
    body: Option<&str>,
) -> Result<Reply, ureq::Error> {
    let mut builder = http::Request::builder().method(method).uri(url);
    for (name, value) in headers {
        builder = builder.header(*name, *value);
    }
    let sent = match body {
        Some(body) => agent.run(builder.body(body.to_owned()).unwrap()),
        None => agent.run(builder.body(()).unwrap()),
    };
    let mut response = sent?;
    Ok(Reply {
        status: response.status().as_u16(),
        headers: response
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned()))
            .collect(),
        body: response.body_mut().read_to_vec()?,
    })
}

/// An answer that is read as it comes; the connection ends with it.
pub struct Live {
    response: http::Response<ureq::Body>,
}

impl Live {
    /// Sends a POST and waits for the head of the answer.
    pub fn post(url: &str, headers: &[(&str, &str)], body: &str) -> Self {
        let mut builder = http::Request::builder().method("POST").uri(url);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        let sent = agent().run(builder.body(body.to_owned()).unwrap());
        Self { response: sent.unwrap_or_else(|error| panic!("POST {url}: {error}")) }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name).map(|value| value.to_str().unwrap())
    }

    /// The lines that are still to come.
    pub fn lines(&mut self) -> impl Iterator<Item = String> {
        let reader = std::io::BufReader::new(self.response.body_mut().as_reader());
        reader.lines().map_while(Result::ok)
    }
}

/// GETs.
pub fn get(url: &str) -> Reply {
    request("GET", url, &[], None)
}

/// The body of a form.
pub fn encoded(form: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish()
}

/// Posts a form.
pub fn post_form(url: &str, headers: &[(&str, &str)], form: &[(&str, &str)]) -> Reply {
    let body = encoded(form);
    let mut all = vec![("content-type", "application/x-www-form-urlencoded")];
    all.extend_from_slice(headers);
    request("POST", url, &all, Some(&body))
}

/// Sends bytes as they are and reads until the other side closes or is silent for a moment.
pub fn raw(authority: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(authority).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    let mut buffer = [0u8; 4096];
    while let Ok(read) = stream.read(&mut buffer) {
        if read == 0 {
            break;
        }
        answer.extend_from_slice(&buffer[..read]);
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// Sends bytes and reads one answer's head, without waiting for anything behind it.
pub fn head(authority: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(authority).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(40))).unwrap();
    stream.write_all(bytes).unwrap();
    let mut reader = std::io::BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap_or(0) > 0 {}
    head
}

/// The query of a URL as pairs.
pub fn query(url: &str) -> Vec<(String, String)> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

/// One value of a URL's query.
pub fn query_value(url: &str, name: &str) -> Option<String> {
    query(url).into_iter().find(|(own, _)| own == name).map(|(_, value)| value)
}
