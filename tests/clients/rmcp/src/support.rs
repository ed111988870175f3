//! What surrounds the client: steps, the server, a person's part, other processes.

use std::env;
use std::fmt::Debug;
use std::future::Future;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

pub type Fault = Box<dyn std::error::Error + Send + Sync>;
pub type Check<T = ()> = Result<T, Fault>;

/// Marks that a step has said why it failed.
pub struct Failed;

/// One line of the report. What depends on a failed step cannot be right, so it ends the journey.
pub async fn step<T>(name: String, check: impl Future<Output = Check<T>>) -> Result<T, Failed> {
    match check.await {
        Ok(value) => {
            println!("  ok {name}");
            Ok(value)
        }
        Err(fault) => {
            println!("  FAILED {name}\n    {}", fault.to_string().replace('\n', "\n    "));
            Err(Failed)
        }
    }
}

#[track_caller]
pub fn equal<A: PartialEq<B> + Debug, B: Debug>(actual: A, expected: B) -> Check {
    if actual == expected {
        return Ok(());
    }
    Err(format!("{actual:?} instead of {expected:?}, at {}", std::panic::Location::caller()).into())
}

#[track_caller]
pub fn holds(condition: bool, what: &str) -> Check {
    equal(condition, true).map_err(|fault| format!("{what}: {fault}").into())
}

pub fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

/// What the demo said of itself.
pub struct Demo {
    pub endpoint: String,
    /// The endpoint without its origin.
    pub path: String,
    email: String,
    config: String,
}

impl Demo {
    pub fn read() -> Self {
        let text = std::fs::read_to_string(format!("{}/demo.json", variable("CLIENTS_STATE"))).unwrap();
        let said: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        let of = |key: &str| said[key].as_str().unwrap().to_owned();
        let endpoint = of("endpoint");
        let path = reqwest::Url::parse(&endpoint).unwrap().path().to_owned();
        Self { endpoint, path, email: of("email"), config: of("config") }
    }

    /// Runs a command beside the server and reads its JSON.
    pub async fn portero(&self, args: &[&str]) -> Check<Value> {
        let mut command = Command::new(variable("PORTERO_BIN"));
        let output = command.args(["--config", &self.config]).args(args).arg("--json").output().await?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        Ok(serde_json::from_slice(&output.stdout).unwrap_or(Value::Null))
    }

    /// A personal access token of its own for one client: its id and its value.
    pub async fn fresh_token(&self, name: &str) -> Check<(String, String)> {
        let create = ["token", "create", "--user", &self.email, "--brand", "mico", "--name", name];
        let made = self.portero(&create).await?;
        Ok((text(&made, "id"), text(&made, "token")))
    }

    /// The status that an access token gets, without an SDK between.
    pub async fn status_of(&self, token: &str) -> Check<u16> {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let request = reqwest::Client::new().post(&self.endpoint).bearer_auth(token).json(&message);
        let request = request.header("accept", "application/json, text/event-stream");
        Ok(request.send().await?.status().as_u16())
    }

    /// Revokes the token that allowed a connection; the connection's own has to end within a second.
    pub async fn revoke_token(&self, id: &str, access_token: &str) -> Check {
        equal(self.status_of(access_token).await?, 200)?;
        self.portero(&["token", "revoke", id]).await?;
        let ended = async {
            while self.status_of(access_token).await? != 401 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Ok(())
        };
        tokio::time::timeout(Duration::from_secs(1), ended).await.map_err(|_| "the token is still good")?
    }
}

pub fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

/// Stops the demo and starts it again on the same data and port.
pub async fn restart() -> Check {
    holds(Command::new(variable("DEMO")).arg("restart").status().await?.success(), "the demo starts again")
}

/// Allows what an authorization URL asks, and says where the redirect leads.
pub async fn consent(url: &str, token: &str) -> Check<String> {
    let mut command = Command::new("python3");
    command.args([&variable("CONSENT"), url]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    child.stdin.take().unwrap().write_all(token.as_bytes()).await?;
    let output = child.wait_with_output().await?;
    holds(output.status.success(), "the page's form is answered with a redirect")?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
