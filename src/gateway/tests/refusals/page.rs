//! `docs/errors.md`, made of the list.

use std::fmt::Write as _;
use std::path::Path;

use super::*;

const HEAD: &str = "# Refusals

Generated from the program (`UPDATE_DOCS=1 cargo test --lib gateway::tests::refusals`); not to be edited by hand.

Every refusal has one `code`, the same in every style and revision. A service says with `errors` how refusals after \
authentication are said:

- `http`: by HTTP status. The body is a JSON-RPC error that carries `code` and `message` at its top too.
- `jsonrpc`: HTTP 200 with a JSON-RPC error.
- `tool`: HTTP 200 with a tool result, `isError: true`, whose text is JSON with `error`, `code`, `message`, `hint` and \
`status`. Outside `tools/call`, where there is no such result, as in `jsonrpc`.

In the table a number alone is an HTTP status, `error` is HTTP 200 with a JSON-RPC error, `result 403` is HTTP 200 with a \
tool result whose `status` is 403. What wants no answer, or has no readable id, is refused by status in every style. In a \
batch there is no status: what stands as a number is an error there.

`[service.error_codes]` gives a code another JSON-RPC number. In 2026-07-28 the numbers from -32768 to -32000 belong to \
the protocol, so there the second number is used, and one of the operator's own only outside that range.

Where some tools are public, `anonymous_challenge` says how a call of a protected one without credentials is answered: \
401, or a result that carries the same challenge in `_meta[\"mcp/www_authenticate\"]`. `upstream_errors = \"status\"` says \
an upstream's failures by status, 502 and 504.

";

fn cell(say: Say) -> String {
    match say {
        Status(status) => status.to_string(),
        Error => "error".to_owned(),
        Tool(status) => format!("result {status}"),
    }
}

/// The page: what is refused and how, then what is said.
async fn page() -> String {
    let world = World::new("errors = \"http\"", POLICY).await;
    let mut page = HEAD.to_owned();
    page.push_str("| code | when | `http` | `jsonrpc` | `tool` | number | in 2026-07-28 |\n|---|---|---|---|---|---|---|\n");
    for row in table() {
        let [http, jsonrpc, tool] = row.says.map(cell);
        let (code, when, (legacy, modern)) = (row.code.word(), row.when, row.numbers);
        writeln!(page, "| `{code}` | {when} | {http} | {jsonrpc} | {tool} | {legacy} | {modern} |").unwrap();
    }
    page.push_str("\n## What is said\n\n| code | message | hint |\n|---|---|---|\n");
    let mut before = None;
    for row in table() {
        let reason = (row.reason)();
        if matches!(reason, Reason::Worker(..)) {
            continue;
        }
        let kind = row.kinds.first().copied().unwrap_or(TokenKind::Oauth);
        let said = world.refused(&reason, kind, Version::V20250618, true);
        let line = format!("| `{}` | {} | {} |", row.code.word(), said.message, said.hint);
        if before.as_ref() != Some(&line) {
            writeln!(page, "{line}").unwrap();
        }
        before = Some(line);
    }
    page
}

#[actix_web::test]
async fn the_page_is_as_generated() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/errors.md");
    let page = page().await;
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, &page).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == page,
        "docs/errors.md is out of date: UPDATE_DOCS=1 cargo test --lib gateway::tests::refusals"
    );
}
