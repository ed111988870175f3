//! Asks an upstream whether it is there, for the operator's check.

use std::time::Duration;

use http::Uri;

use super::service::{Source, Upstream};
use crate::mcp::tool;
use crate::upstream::client::{Client, Failure};
use crate::upstream::worker;

const DEADLINE: Duration = Duration::from_secs(5);

impl Upstream {
    /// What it says of itself, or what is wrong with it, in a few words.
    pub async fn probe(&self, client: &Client) -> Result<String, String> {
        let (uri, lists_itself) = match &self.source {
            Source::Worker(uri) => (uri.clone(), true),
            Source::Remote(remote) => return remote.probe(client).await,
            Source::File(_) | Source::Rest(_) => {
                (self.base.parse::<Uri>().map_err(|error| error.to_string())?, false)
            }
        };
        let answer = tokio::time::timeout(DEADLINE, worker::fetch(client, &uri, &self.headers)).await;
        match answer {
            Err(_) | Ok(Err(Failure::Timeout)) => Err("no answer within five seconds".to_owned()),
            // Any status is an answer of something that is there.
            Ok(Err(Failure::Unavailable("upstream_status"))) if !lists_itself => Ok("answers".to_owned()),
            Ok(Err(Failure::Unavailable(cause))) => Err(format!("{} ({cause})", self.base)),
            Ok(Ok(body)) if lists_itself => match tool::parse_catalog(&body) {
                Ok(tools) => Ok(format!("answers, {} tools", tools.len())),
                Err(fault) => Err(fault.to_string()),
            },
            Ok(Ok(_)) => Ok("answers".to_owned()),
        }
    }
}
