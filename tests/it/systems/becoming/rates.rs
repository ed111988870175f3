//! How often a connection may call.

use std::time::Duration;

use serde_json::json;

use super::{Becoming, Caller, code, statement};
use crate::support::Reply;

/// What a connection may call at once.
const BURST: usize = 40;

/// Calls without letting any time pass.
fn now(caller: &Caller<'_>) -> Reply {
    caller.app.call(&caller.token, "get_academy_status", &json!({}))
}

#[test]
fn b104_b109_b110_each_connection_has_its_own_limit() {
    let becoming = Becoming::start();
    let app = &becoming.app;
    let (first, second) = (becoming.as_ana(), becoming.as_ana());
    for number in 0..BURST {
        assert_eq!(now(&first).status, 200, "call {number}");
    }
    let refused = now(&first);
    statement("B104", || {
        assert_eq!((refused.status, code(&refused)), (429, Some(-32004)), "{refused:?}");
        assert_eq!(refused.json()["error"]["data"]["code"], "rate_limited");
        assert_eq!(refused.header("retry-after"), Some("1"), "two a second");
    });
    statement("B109", || {
        for number in 0..BURST {
            assert_eq!(now(&second).status, 200, "another connection of the same person: {number}");
        }
        assert_eq!(now(&second).status, 429);
    });
    statement("B110", || {
        let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert_eq!(now(&first).status, 429, "not yet");
        app.advance(Duration::from_secs(wait));
        assert_eq!(now(&first).status, 200, "whoever waits as long is served");
    });
}
