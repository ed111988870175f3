use super::*;

fn request(body: &str) -> Request<'_> {
    match parse(body.as_bytes()) {
        Ok(Incoming::Request(request)) => request,
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn the_id_is_echoed_as_it_was_sent() {
    for id in ["1", "-7", "0", "9007199254740993", "123456789012345678901234567890", "\"1\"", "\"á\\u00e9\""]
    {
        let body = format!("{{\"jsonrpc\":\"2.0\",\"id\": {id} ,\"method\":\"ping\"}}");
        assert_eq!(request(&body).id.as_json(), id);
    }
}

#[test]
fn what_is_no_id_is_refused() {
    for id in ["null", "1.5", "1e3", "true", "{}", "[]"] {
        let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}");
        assert!(matches!(parse(body.as_bytes()), Err(Fault::Invalid(_, None))), "{id}");
    }
    let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{}\",\"method\":\"ping\"}}", "x".repeat(1 << 20));
    assert!(matches!(parse(long.as_bytes()), Err(Fault::Invalid(_, None))));
}

#[test]
fn what_is_no_json_is_a_parse_error() {
    for body in ["", "{", "{\"jsonrpc\":\"2.0\",", "nul", "{\"a\":1}x", "[1,", "\u{feff}{}", "{'a':1}"] {
        assert_eq!(parse(body.as_bytes()).err(), Some(Fault::Parse), "{body:?}");
    }
    assert_eq!(parse(b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}").err(), Some(Fault::Parse));
}

#[test]
fn what_is_json_but_no_message_is_invalid() {
    for body in [
        "3",
        "\"x\"",
        "{}",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
        "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":null}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[1]}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":\"x\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1}",
    ] {
        assert!(matches!(parse(body.as_bytes()), Err(Fault::Invalid(..))), "{body}");
    }
    let Err(Fault::Invalid(_, Some(id))) = parse(b"{\"jsonrpc\":\"1.0\",\"id\":41,\"method\":\"ping\"}")
    else {
        panic!("the id was readable");
    };
    assert_eq!(id.as_json(), "41");
}

#[test]
fn a_member_that_is_there_twice_is_refused_also_behind_an_escape() {
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","m\u0065thod":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","n\u0061me":"b"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{},"arguments":{}}}"#,
    ] {
        assert!(matches!(parse(body.as_bytes()), Err(Fault::Invalid(..))), "{body}");
    }
}

#[test]
fn the_kinds_of_message() {
    assert!(matches!(parse(b" [ ] "), Ok(Incoming::Batch)));
    assert!(matches!(parse(b"[{\"jsonrpc\":\"2.0\"}]"), Ok(Incoming::Batch)));
    assert!(matches!(
        parse(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"),
        Ok(Incoming::Notification(_))
    ));
    assert!(matches!(parse(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"), Ok(Incoming::Response)));
    assert!(matches!(parse(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":null}"), Ok(Incoming::Response)));
}

#[test]
fn parameters_are_slices_of_the_body() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":[{}],"name":"a\u0062","arguments": {"b" : 1.10, "a":2} ,"_meta":{"progressToken":7}}}"#;
    let request = request(body);
    assert_eq!(request.method, "tools/call");
    assert_eq!(text(request.params.name.unwrap()).unwrap(), "ab");
    assert_eq!(request.params.arguments.unwrap().get(), "{\"b\" : 1.10, \"a\":2}");
    let meta = Meta::read(request.params.meta.unwrap()).unwrap();
    assert_eq!(meta.progress_token.unwrap().get(), "7");
    assert!(meta.protocol_version.is_none());
}

#[test]
fn null_parameters_are_none() {
    assert!(
        request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":null}").params.name.is_none()
    );
}

#[test]
fn depth_is_no_attack() {
    let call = |value: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"arguments\":{value}}}}}"
        )
    };
    let nested = |levels: usize| call(&format!("{}{}", "[".repeat(levels), "]".repeat(levels)));
    // two levels are the message's own
    assert!(parse(nested(126).as_bytes()).is_ok());
    for levels in [127, 100_000] {
        assert!(matches!(parse(nested(levels).as_bytes()), Err(Fault::Invalid(..))), "{levels}");
    }
    assert!(parse("[".repeat(100_000).as_bytes()).is_err());
    let wide = format!("[{}{{}}]", "{},[\"]\"],".repeat(1000));
    assert!(parse(call(&wide).as_bytes()).is_ok());
    let text = format!("\"{}\\\"{}\"", "[".repeat(1000), "{".repeat(1000));
    assert!(parse(call(&text).as_bytes()).is_ok(), "brackets in a text are none");
}

proptest::proptest! {
    #[test]
    fn no_input_panics(body in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let _ = parse(&body);
    }
}
