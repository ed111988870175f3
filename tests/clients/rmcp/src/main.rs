//! rmcp, the SDK under Codex and Goose, from the bare MCP URL to the end of its connection, once for each era of the
//! protocol: modern on the challenge of a real request, legacy by asking the endpoint itself first.

mod app;
mod support;

use std::process::{ExitCode, Stdio};
use std::sync::Arc;

use rmcp::transport::auth::{AuthorizationManager, AuthorizationRequest};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use app::{
    Connection, REDIRECT, Sent, Store, Wire, call, connect, kept_manager, manager, meetings, sign_in, working,
};
use support::{Check, Demo, Failed, Fault, equal, holds, restart, step, text, variable};

const TOOLS: [&str; 8] = [
    "get_meeting",
    "get_meeting_transcript",
    "get_recurring_meeting_history",
    "get_shared_note",
    "list_meetings",
    "list_pending_action_items",
    "search_meetings",
    "search_shared_notes",
];
const PROCESSES: usize = 3;

/// One connection and all that it is made of.
struct Journey {
    demo: Demo,
    era: &'static str,
    revision: &'static str,
    wire: Arc<Wire>,
    store: Store,
}

fn steps(sent: &[Sent]) -> Vec<(&str, &str, u16)> {
    sent.iter().map(|Sent { step: (method, path, status), .. }| (&**method, &**path, *status)).collect()
}

/// The parameters of a URL or of a form.
fn parameters(query: &str) -> Value {
    let url = reqwest::Url::parse(&format!("http://form?{query}")).unwrap();
    url.query_pairs().map(|(key, value)| (key.into_owned(), json!(value))).collect()
}

impl Journey {
    fn named(&self, what: &str) -> String {
        format!("{}: {what}", self.era)
    }

    fn request(&self) -> AuthorizationRequest {
        AuthorizationRequest::new(REDIRECT).with_client_name(format!("Codificador {}", self.era))
    }

    async fn manager(&self) -> Check<AuthorizationManager> {
        manager(&self.demo.endpoint, self.wire.clone(), &self.store).await
    }

    async fn travel(&self) -> Result<(), Failed> {
        let pat = step(self.named("a token for the person"), self.demo.fresh_token("rmcp")).await?;
        let connection = self.begin(&pat.1).await?;
        self.use_tools(&connection).await?;
        self.refresh(&connection).await?;
        self.share(&connection).await?;
        self.outlive(&connection).await?;
        self.revoke(&connection, &pat).await
    }

    async fn begin(&self, pat: &str) -> Result<Connection, Failed> {
        let Demo { endpoint, path, .. } = &self.demo;
        let challenge = step(self.named("the bare URL is answered with a challenge"), async {
            let refused =
                connect(endpoint, self.manager().await?, self.era).await.err().ok_or("it connected")?;
            let challenge =
                refused.auth_challenge().ok_or_else(|| format!("no challenge: {refused}"))?.to_owned();
            let metadata = challenge.strip_prefix("Bearer resource_metadata=\"").unwrap_or_default();
            equal(metadata.split_once('"').map(|(_, rest)| rest), Some(", scope=\"mico:read\""))?;
            holds(self.wire.seen().is_empty(), "nothing of OAuth was asked yet")?;
            Ok(challenge)
        })
        .await?;

        let (manager, url) =
            step(self.named("discovery, registration, consent and tokens, in order"), async {
                let modern = self.era == "modern";
                let signed =
                    sign_in(self.manager().await?, modern.then_some(&*challenge), self.request(), pat)
                        .await?;
                let metadata = challenge.split('"').nth(1).unwrap();
                let metadata = reqwest::Url::parse(metadata)?;
                let server = format!("/.well-known/oauth-authorization-server{path}");
                let (register, token) = (format!("{path}/register"), format!("{path}/token"));
                let expected = [
                    ("GET", &**path, 401),
                    ("GET", metadata.path(), 200),
                    ("GET", &*server, 200),
                    ("POST", &*register, 201),
                    ("POST", &*token, 200),
                ];
                equal(steps(&self.wire.seen()), &expected[usize::from(modern)..])?;
                Ok(signed)
            })
            .await?;

        step(self.named("the authorization asks for the right things"), async {
            let url = reqwest::Url::parse(&url)?;
            equal(url.as_str().split('?').next(), Some(&*format!("{endpoint}/authorize")))?;
            let mut asked = parameters(url.query().unwrap_or_default());
            for random in ["state", "code_challenge"] {
                holds(asked.as_object_mut().unwrap().remove(random).is_some(), random)?;
            }
            let expected = json!({
                "response_type": "code", "client_id": self.store.kept()["client_id"], "redirect_uri": REDIRECT,
                "code_challenge_method": "S256", "resource": endpoint, "scope": "mico:read",
            });
            equal(asked, expected)
        })
        .await?;

        step(self.named("the tokens are what was granted"), async {
            let kept = self.store.kept();
            let (access, refresh) = (self.store.token("access_token"), self.store.token("refresh_token"));
            holds(access.len() == 58 && access.starts_with("mico_oat_"), "the access token")?;
            holds(refresh.len() == 58 && refresh.starts_with("mico_ort_"), "the refresh token")?;
            equal(text(&kept["token_response"], "token_type"), "bearer")?;
            equal(kept["token_response"]["expires_in"].as_u64(), Some(3600))?;
            equal(text(&kept["token_response"], "scope"), "mico:read")?;
            equal(&kept["granted_scopes"], &json!(["mico:read"]))?;
            equal(&text(&kept, "issuer"), endpoint)
        })
        .await?;

        step(self.named("the handshake names server and revision"), async {
            let connection = connect(endpoint, manager, self.era).await?;
            let peer = serde_json::to_value(&*connection.peer_info().ok_or("nobody is there")?)?;
            equal(text(&peer, "protocolVersion"), self.revision)?;
            equal(text(&peer["serverInfo"], "name"), "mico-mcp")?;
            holds(text(&peer, "instructions").contains("reuniones"), "the instructions")?;
            Ok(connection)
        })
        .await
    }

    async fn use_tools(&self, connection: &Connection) -> Result<(), Failed> {
        step(self.named("the tools are the eight"), async {
            let tools = connection.list_all_tools().await?;
            let mut names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
            names.sort_unstable();
            equal(names, TOOLS)?;
            let read_only =
                |tool: &rmcp::model::Tool| tool.annotations.as_ref().and_then(|a| a.read_only_hint);
            holds(tools.iter().all(|tool| read_only(tool) == Some(true)), "all of them only read")
        })
        .await?;

        step(self.named("list_meetings gives meetings, newest first"), async {
            let answer = meetings(connection).await?;
            let all = answer["meetings"].as_array().ok_or("no meetings")?;
            let times: Vec<String> = all.iter().map(|meeting| text(meeting, "created_at")).collect();
            equal(times.len(), 3)?;
            holds(times.is_sorted_by(|a, b| a >= b), "newest first")?;
            equal(answer["pagination"]["limit"].as_u64(), Some(3))
        })
        .await?;

        step(self.named("a tool that is not there is an error of the protocol"), async {
            match call(connection, "delete_meeting").await {
                Err(rmcp::ServiceError::McpError(error)) => equal(error.code.0, -32602),
                other => Err(format!("{other:?}").into()),
            }
        })
        .await
    }

    async fn refresh(&self, connection: &Connection) -> Result<(), Failed> {
        step(self.named("a spent access token is refreshed before a call"), async {
            let (access, refresh) = (self.store.token("access_token"), self.store.token("refresh_token"));
            self.store.expire()?;
            working(connection).await?;
            let sent = self.wire.seen();
            equal(steps(&sent), [("POST", &*format!("{}/token", self.demo.path), 200)])?;
            let asked = parameters(&sent[0].body);
            equal(text(&asked, "grant_type"), "refresh_token")?;
            equal(text(&asked, "refresh_token"), &*refresh)?;
            equal(text(&asked, "resource"), &*self.demo.endpoint)?;
            holds(self.store.token("access_token") != access, "a new access token")?;
            holds(self.store.token("refresh_token") != refresh, "a new refresh token")?;
            equal(self.demo.status_of(&access).await?, 200)
        })
        .await
    }

    async fn share(&self, connection: &Connection) -> Result<(), Failed> {
        let before = self.store.token("refresh_token");
        let name = format!("{PROCESSES} processes with one refresh token refresh at once, and all work");
        let found = step(self.named(&name), async {
            self.store.expire()?;
            let mut processes = Vec::new();
            for number in 0..PROCESSES {
                let copy = self.store.path().with_extension(number.to_string());
                std::fs::copy(self.store.path(), &copy)?;
                processes
                    .push(Sharer::start(self.era, copy.to_str().ok_or("a path of the test's own")?).await?);
            }
            let mut found = Vec::new();
            for process in &mut processes {
                process.go().await?;
            }
            for process in processes {
                found.push(process.answer().await?);
            }
            Ok(found)
        })
        .await?;

        step(self.named("they were led to one live refresh token, and the first process too"), async {
            let live = text(&found[0], "refresh_token");
            holds(live != before, "it is a new one")?;
            for each in &found {
                equal(text(each, "refresh_token"), &*live)?;
                equal(self.demo.status_of(&text(each, "access_token")).await?, 200)?;
            }
            working(connection).await?;
            equal(self.store.token("refresh_token"), live)
        })
        .await
    }

    async fn outlive(&self, connection: &Connection) -> Result<(), Failed> {
        step(self.named("the server stops and starts again; the connection works and refreshes"), async {
            restart().await?;
            self.wire.seen();
            working(connection).await?;
            holds(self.wire.seen().is_empty(), "no new token was needed")?;
            let before = self.store.token("refresh_token");
            self.store.expire()?;
            working(connection).await?;
            holds(self.store.token("refresh_token") != before, "a new refresh token")
        })
        .await?;

        step(self.named("a program that starts anew on what was kept asks nobody"), async {
            let manager = kept_manager(&self.demo.endpoint, &self.store).await?;
            let anew = connect(&self.demo.endpoint, manager, self.era).await?;
            working(&anew).await?;
            anew.cancel().await?;
            Ok(())
        })
        .await
    }

    async fn revoke(&self, connection: &Connection, pat: &(String, String)) -> Result<(), Failed> {
        let access = self.store.token("access_token");
        step(
            self.named("revoking the token that allowed it is felt within a second"),
            self.demo.revoke_token(&pat.0, &access),
        )
        .await?;

        let token = format!("{}/token", self.demo.path);
        let challenge = step(self.named("the next call cannot refresh and ends in a challenge"), async {
            self.wire.seen();
            let refused = call(connection, "list_meetings").await.err().ok_or("it was answered")?;
            let challenge =
                refused.auth_challenge().ok_or_else(|| format!("no challenge: {refused}"))?.to_owned();
            holds(challenge.contains("error=\"invalid_token\""), &challenge)?;
            equal(steps(&self.wire.seen()), [("POST", &*token, 400)])?;
            Ok(challenge)
        })
        .await?;

        step(self.named("the app signs in again under the name that it has"), async {
            let (_, fresh) = self.demo.fresh_token("rmcp again").await?;
            let request = self.request().with_preregistered_client(text(&self.store.kept(), "client_id"));
            let (manager, _) = sign_in(self.manager().await?, Some(&challenge), request, &fresh).await?;
            let sent = self.wire.seen();
            holds(
                steps(&sent).iter().all(|(_, path, _)| !path.ends_with("/register")),
                "no second registration",
            )?;
            let again = connect(&self.demo.endpoint, manager, self.era).await?;
            working(&again).await?;
            equal(self.demo.status_of(&access).await?, 401)?;
            equal(self.demo.status_of(&pat.1).await?, 401)
        })
        .await
    }
}

/// Another process on a copy of what was kept: it says when it is ready, and works when it is told.
struct Sharer {
    /// Ends with this.
    _child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Sharer {
    async fn start(era: &str, kept: &str) -> Check<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["share", era, kept]).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let (input, output) =
            (child.stdin.take().ok_or("no input")?, child.stdout.take().ok_or("no output")?);
        let mut sharer = Self { _child: child, input, output: BufReader::new(output) };
        equal(sharer.line().await?, "ready")?;
        Ok(sharer)
    }

    async fn line(&mut self) -> Check<String> {
        let mut line = String::new();
        self.output.read_line(&mut line).await?;
        Ok(line.trim().to_owned())
    }

    async fn go(&mut self) -> Check {
        Ok(self.input.write_all(b"go\n").await?)
    }

    async fn answer(mut self) -> Check<Value> {
        let line = self.line().await?;
        serde_json::from_str(&line).map_err(|_| Fault::from(format!("it answered {line:?}")))
    }
}

async fn share(era: &str, kept: &str) -> Check {
    let (demo, store) = (Demo::read(), Store::new(kept));
    let manager = kept_manager(&demo.endpoint, &store).await?;
    println!("ready");
    let mut line = String::new();
    BufReader::new(tokio::io::stdin()).read_line(&mut line).await?;
    let connection = connect(&demo.endpoint, manager, era).await?;
    working(&connection).await?;
    working(&connection).await?;
    println!("{}", store.kept()["token_response"]);
    Ok(())
}

async fn journeys() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for (era, revision) in [("modern", "2026-07-28"), ("legacy", "2025-11-25")] {
        let store = Store::new(format!("{}/rmcp-{era}.json", variable("CLIENTS_STATE")));
        let journey = Journey { demo: Demo::read(), era, revision, wire: Wire::new().unwrap(), store };
        if journey.travel().await.is_err() {
            code = ExitCode::FAILURE;
        }
    }
    code
}

#[tokio::main]
async fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => journeys().await,
        ["share", era, kept] => match share(era, kept).await {
            Ok(()) => ExitCode::SUCCESS,
            Err(fault) => {
                println!("{fault}");
                ExitCode::FAILURE
            }
        },
        _ => ExitCode::from(2),
    }
}
