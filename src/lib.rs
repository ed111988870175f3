//! Portero is an OAuth 2.1 authorization server and a resource gateway for MCP in one program.
//!
//! A company that has tools puts it in front of them, and every agent its customers use can connect safely: the
//! customer signs in, sees what is asked, allows it, and can take it back. The workers behind it stay plain HTTP
//! services that know nothing of OAuth, MCP, plans or limits.
//!
//! # The map
//!
//! A request goes down one staircase. Every stair is a folder; a module imports only from those below it, and
//! `tests/tidy.rs` refuses what climbs back up.
//!
//! | stair | what is there |
//! |---|---|
//! | [`cli`] | one file a command |
//! | [`demo`] | the newcomer's world |
//! | [`server`] | everything built, bound and run: the same in production and in tests |
//! | [`routes`], [`jobs`] | THE route table; what happens beside requests |
//! | [`pages`] | what people see in a browser |
//! | [`oauth`], [`gateway`], [`admin`] | the authorization server; the life of a call; the operator's listener |
//! | [`http`] | strict reading, cookies, CSRF, CORS, the log line |
//! | [`app`] | the parts every face shares |
//! | [`identity`] | use-cases: verify, issue, refresh, revoke, sign in |
//! | [`store`], [`cluster`], [`upstream`] | durable truth; what is fast and may be lost; the one door outwards |
//! | [`telemetry`] | logs |
//! | [`config`], [`mcp`], [`openapi`] | `portero.toml`; MCP messages, without I/O; REST documents as operations |
//! | [`domain`] | the rules as plain functions and values |
//!
//! # Where is…?
//!
//! | question | file |
//! |---|---|
//! | who may use which tool | `domain/decide.rs` |
//! | what happens when a refresh token is presented | `domain/refresh.rs` (the rule), `identity/refresh.rs` (the exchange) |
//! | which redirect URIs match | `domain/redirect_uri.rs` |
//! | what a token looks like, how it is derived and stored | `domain/secret.rs` |
//! | what ends with what | `identity/revoke.rs` (the cascade), `store/verification.rs` (the chain) |
//! | why a revoked token is dead everywhere | `cluster/verified.rs`, `identity/follow.rs` |
//! | a presented token, step by step | `identity/verify.rs` |
//! | a token of another issuer: keys, claims, people | `identity/external/` |
//! | what an assertion says, and what signs it | `upstream/assertion.rs`, `identity/signing.rs`; when a new key signs: `identity/keys.rs` |
//! | the order of checks of an authorization request | `oauth/authorize/mod.rs` |
//! | how clients authenticate | `oauth/client_auth.rs` |
//! | how a client id is derived | `oauth/register.rs` |
//! | where oxide-auth is used | `oauth/engine.rs`, nowhere else |
//! | how often somebody may call | `domain/limit.rs` (the rule), `gateway/rate.rs` (whose calls), `cluster/limits.rs` |
//! | what a call costs, when it is charged and when not | `gateway/credits.rs`, `identity/credits.rs`, `store/credits.rs` |
//! | the discovery documents | `oauth/metadata.rs`; where they stand: `routes/table.rs` |
//! | what machines find a service by: `mcp.json`, `server.json`, cards | `gateway/descriptors/`; their limits: `config/registry.rs` |
//! | the life of a call | `gateway/mod.rs` |
//! | every refusal: reason, code, status, JSON-RPC number | `gateway/refusal.rs`, `mcp/error.rs` |
//! | how refusals become bytes | `gateway/render.rs` (calls), `oauth/error.rs` (OAuth), `pages/error.rs` (people) |
//! | the challenge of a 401 and a 403 | `gateway/challenge.rs` |
//! | what a proxy in front is told | `gateway/verify.rs` |
//! | which MCP revision a request speaks | `gateway/resolve.rs`, `mcp/version.rs` |
//! | what a worker is sent | `upstream/worker.rs`, `upstream/identity_headers.rs` |
//! | how plain upstreams are spoken to | `upstream/h1/mod.rs`; https: `upstream/client.rs` |
//! | how a tool's policies are merged | `gateway/merge.rs` |
//! | which policy a resource or a prompt has | `gateway/library/guard.rs`; how URIs match: `mcp/uri_template.rs`, `mcp/uri.rs` |
//! | who may read a resource, and whose it is | `gateway/library/read.rs` |
//! | what workers offer beside tools | `gateway/library/offers.rs` (asked), `gateway/library/mod.rs` (listed) |
//! | what a REST API's operation demands | `gateway/rest/policy.rs` |
//! | what a generic call becomes | `gateway/rest/entitle.rs`; the operations themselves: `gateway/rest/operations.rs` |
//! | how operations are found | `openapi/search/mod.rs`; words that mean the same: `openapi/search/synonyms.txt` |
//! | what a REST API is sent, what its answers mean | `gateway/rest/request.rs`, `upstream/rest.rs` |
//! | what an OpenAPI document becomes | `openapi/document.rs`; how each kind of object in it is read: `openapi/read/` |
//! | when a body's properties are arguments | `openapi/read/body.rs` |
//! | how a `$ref` is followed, and into which files | `openapi/files.rs` |
//! | how arguments become a REST request, and what keeps a value where it belongs | `openapi/request/` |
//! | which waiting requests give way to new ones | `identity/waiting.rs` |
//! | who is signed in | `http/session.rs`, `identity/session.rs` |
//! | what guards a form | `http/csrf.rs` |
//! | what guards a page | `http/answer.rs` |
//! | where a request's body ends | `http/body.rs` |
//! | how forms and queries are read | `http/strict.rs` |
//! | the one log line of a request | `http/edge.rs` |
//! | configuration: a section, its defaults and checks | `config/‹section›.rs` |
//! | the words of the pages | `templates/locales/{es,en}` |
//! | SQL | `store/‹aggregate›.rs`; what differs between databases: `store/sql` |
//! | time and randomness | `app/doors.rs`, nowhere else |
//!
//! # Invariants
//!
//! - A credential's authority is its whole chain, never its row: token, grant, PAT, user, membership, client.
//! - What was not permitted cannot be dispatched: `gateway::dispatch` takes only what `gateway::policy` made.
//! - What is listed is what may be called: one function answers for both.
//! - A 401 says that the token is the problem and signing in again cures it; a 503 says ask again.
//! - Nothing on the warm path of a call asks the database.
//! - No secret is at rest in clear, in a log, in an error, or in a URL other than the code in the redirect.

pub mod admin;
pub mod app;
pub mod cli;
pub mod cluster;
pub mod config;
pub mod demo;
pub mod domain;
pub mod gateway;
pub mod http;
pub mod identity;
pub mod jobs;
pub mod mcp;
pub mod oauth;
pub mod openapi;
pub mod pages;
pub mod routes;
pub mod server;
pub mod store;
pub mod telemetry;
pub mod upstream;
