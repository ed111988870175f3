//! Who calls, and whether everything they hang on is alive.
//!
//! Whether it is alive is read as a call's check reads it; the rows are read beside it only to say what has ended.

use serde_json::{Map, Value, json};

use crate::app::App;
use crate::cli::console::time;
use crate::cli::outcome::Failure;
use crate::domain::brand::Kind;
use crate::domain::clock::Timestamp;
use crate::domain::grant::EndReason;
use crate::domain::ids::{ClientId, GrantId, PatId, UserId, WorkspaceId};
use crate::domain::pat::Pat;
use crate::domain::scope::ScopeSet;
use crate::domain::verified::Verified;
use crate::gateway::Service;
use crate::gateway::explain::{Step, Verdict};
use crate::identity::external::{External, PresentedError, is_jwt};
use crate::identity::verify::VerifyError;
use crate::store::grants::GrantView;
use crate::store::{Store, StoreError};

/// A caller as it was named, with its chain.
pub struct Named {
    verified: Option<Verified>,
    /// What was found of the chain, link by link.
    pub steps: Vec<Step>,
    /// What would have to change for the chain to be alive.
    pub change: Vec<String>,
    /// What was allowed to begin with.
    pub granted: Option<ScopeSet>,
    /// Who it is, for programs.
    pub facts: Map<String, Value>,
}

impl Named {
    /// The live credential; none if any link has ended.
    pub fn alive(&self) -> Option<&Verified> {
        let broken = self.steps.iter().any(|step| step.verdict == Verdict::No);
        self.verified.as_ref().filter(|_| !broken)
    }
}

/// Whoever holds a token.
pub async fn of_token(app: &App, service: &Service, token: &str) -> Result<Named, Failure> {
    if let Some(external) = service.external.as_ref().filter(|_| is_jwt(token.trim())) {
        return of_jwt(app, external, token.trim()).await;
    }
    let (store, now) = (&app.identity.store, app.identity.now());
    let mut chain = Chain::new(store, now);
    let inspected = match app.identity.inspect(&service.brand, token.trim()).await {
        Ok(inspected) => inspected,
        Err(VerifyError::Invalid(label)) => {
            let says = match label {
                "bad_checksum" => "its last characters do not fit the rest: it is mistyped or cut off",
                "other_kind" => "it is a refresh token or a code, and good for no call",
                _ => "it is no token of this service's brand",
            };
            chain.no("token", says, "a token as it was shown when it was made");
            return Ok(chain.ends(None));
        }
        Err(VerifyError::Unavailable(error)) => return Err(error.into()),
    };
    let verified = inspected.verified;
    if inspected.kind == Kind::Pat {
        match store.pat_of(&inspected.digest).await? {
            Some(pat) => {
                chain.granted = Some(pat.scopes.clone());
                chain.pat(&pat, "token");
                chain.person(&pat.user, &pat.workspace).await?;
            }
            None => chain.no("token", "nobody was ever given it", "a token as it was shown when it was made"),
        }
        return Ok(chain.ends(verified));
    }
    match store.grant_of_access(&inspected.digest).await? {
        Some(grant) => {
            let family = store.family(&grant, now).await?;
            let good = verified.is_some() || family.is_none();
            chain.fact("kind", "oauth");
            if good {
                chain.steps.push(Step::new("token", true, "an access token of a connection"));
            } else {
                chain.no("token", "the access token has expired or was revoked", "a refresh by the client");
            }
            if let Some(view) = store.grant(&grant).await? {
                chain.grant(&view).await?;
            }
        }
        None => {
            chain.no("token", "unknown, or expired for long", "a refresh by the client, or a new connection");
        }
    }
    Ok(chain.ends(verified))
}

/// Whoever the service's external issuer says it is. Somebody who was never seen before is what their first call would
/// make of them; a question makes nobody.
async fn of_jwt(app: &App, external: &External, token: &str) -> Result<Named, Failure> {
    let mut chain = Chain::new(&app.identity.store, app.identity.now());
    chain.fact("kind", "jwt");
    match app.identity.inspect_jwt(external, &app.upstream, token).await {
        Ok(foreseen) => {
            let verified = foreseen.verified;
            chain.granted = Some(verified.scopes.clone());
            chain.steps.push(Step::new("token", true, "a good token of the external issuer"));
            if foreseen.known {
                chain.person(&verified.user, &verified.workspace).await?;
            } else {
                chain.first_call(&verified);
            }
            Ok(chain.ends(Some(verified)))
        }
        Err(PresentedError::Invalid(label)) => {
            let says = format!("the external issuer's token is not good here ({label})");
            chain.no("token", &says, "a new token of that issuer, for this service's audience");
            Ok(chain.ends(None))
        }
        Err(PresentedError::Unavailable(error)) => Err(error.into()),
        Err(error) => Err(Failure::refused(error.to_string())),
    }
}

/// The client of a connection, as far as the connection goes.
pub async fn of_grant(app: &App, id: &str) -> Result<Named, Failure> {
    let (store, now) = (&app.identity.store, app.identity.now());
    let id = GrantId::from(id);
    let view = store.grant(&id).await?.ok_or_else(|| {
        Failure::refused(format!("there is no connection {id}; `portero grant list` shows their ids"))
    })?;
    let verified = store.family(&id, now).await?;
    let mut chain = Chain::new(store, now);
    chain.fact("kind", "oauth");
    chain.grant(&view).await?;
    Ok(chain.ends(verified))
}

/// The connection of a user with a client: the newest that is alive, else the newest.
pub async fn of_pair(app: &App, service: &Service, user: &str, client: &str) -> Result<Named, Failure> {
    let store = &app.identity.store;
    let found = match store.user(&UserId::from(user)).await? {
        None => store.user_by_email(user).await?,
        found => found,
    };
    let found = found.ok_or_else(|| {
        Failure::refused(format!("there is no user {user}; `portero user list` shows them"))
    })?;
    let mut grants = store.grants(Some(&found.id)).await?;
    grants.retain(|view| view.grant.client.as_str() == client && view.grant.service == service.policy.id);
    let chosen = grants.iter().find(|view| view.alive).or(grants.first());
    let chosen = chosen.ok_or_else(|| {
        Failure::refused(format!(
            "{user} has no connection with the client {client} at this service; `portero grant list --user {user}` shows theirs"
        ))
    })?;
    of_grant(app, chosen.grant.id.as_str()).await
}

struct Chain<'a> {
    store: &'a Store,
    now: Timestamp,
    steps: Vec<Step>,
    change: Vec<String>,
    granted: Option<ScopeSet>,
    facts: Map<String, Value>,
}

impl<'a> Chain<'a> {
    fn new(store: &'a Store, now: Timestamp) -> Self {
        Self { store, now, steps: Vec::new(), change: Vec::new(), granted: None, facts: Map::new() }
    }

    fn fact(&mut self, name: &str, value: impl serde::Serialize) {
        self.facts.insert(name.to_owned(), json!(value));
    }

    fn no(&mut self, link: &'static str, says: impl Into<String>, change: impl Into<String>) {
        self.steps.push(Step::new(link, false, says));
        self.change.push(change.into());
    }

    fn yes(&mut self, link: &'static str, says: impl Into<String>) {
        self.steps.push(Step::new(link, true, says));
    }

    /// What has ended above it and come back since has not come back for it.
    fn ends(mut self, verified: Option<Verified>) -> Named {
        let whole = self.steps.iter().all(|step| step.verdict != Verdict::No);
        match &verified {
            Some(own) => {
                self.fact("mode", own.mode.label());
                self.fact("plan", &own.plan);
                self.fact("status", own.status.label());
            }
            None if whole => self.no(
                "chain",
                "what it was made under has ended since, and come back: what has ended stays ended",
                "a new token, or a new connection",
            ),
            None => {}
        }
        Named { verified, steps: self.steps, change: self.change, granted: self.granted, facts: self.facts }
    }

    fn pat(&mut self, pat: &Pat, link: &'static str) {
        self.facts.entry("kind").or_insert_with(|| "pat".into());
        self.fact("token", &pat.id);
        let name = format!("{} ({}, {})", pat.id, pat.name, pat.hint);
        let again = format!("a new token: `portero token create --user {} --name …`", pat.user);
        match (pat.ended_at, pat.expires_at) {
            (Some(at), _) => self.no(link, format!("{name} was revoked at {}", time(at)), again),
            (_, Some(at)) if at <= self.now => {
                self.no(link, format!("{name} expired at {}", time(at)), again);
            }
            _ => self.yes(link, name),
        }
    }

    async fn grant(&mut self, view: &GrantView) -> Result<(), StoreError> {
        let grant = &view.grant;
        self.granted = Some(grant.scopes.clone());
        self.fact("grant", &grant.id);
        self.fact("client", &grant.client);
        self.fact("client_name", &view.client_name);
        let again = "a new connection: the person connects the client again";
        match (grant.ended_at, view.activated) {
            (Some(at), _) => {
                let reason = grant.ended_reason.map_or("unknown", EndReason::label);
                self.no("grant", format!("{} ended at {} ({reason})", grant.id, time(at)), again);
            }
            (None, false) => self.no("grant", format!("{}: its code was never redeemed", grant.id), again),
            (None, true) if grant.expires_at <= self.now => {
                self.no("grant", format!("{} expired at {}", grant.id, time(grant.expires_at)), again);
            }
            (None, true) => self.yes("grant", format!("{} allows {}", grant.id, grant.scopes)),
        }
        if let Some(id) = &grant.pat {
            self.above(id).await?;
        }
        self.client(&grant.client, &view.client_name).await?;
        self.person(&grant.user, &grant.workspace).await
    }

    /// The token that authorized a connection: its end is the connection's.
    async fn above(&mut self, id: &PatId) -> Result<(), StoreError> {
        match self.store.pat(id).await? {
            Some(pat) => self.pat(&pat, "token above"),
            None => self.no("token above", format!("{id} is gone"), "a new connection"),
        }
        Ok(())
    }

    async fn client(&mut self, id: &ClientId, name: &str) -> Result<(), StoreError> {
        match self.store.client(id).await? {
            None => self.no("client", format!("{id} was deleted"), "a new registration and connection"),
            Some(client) if client.disabled_at.is_some() => self.no(
                "client",
                format!("{id} ({name}) is disabled"),
                format!("`portero client enable {id}`, and a new connection: what has ended stays ended"),
            ),
            Some(_) => self.yes("client", format!("{id} ({name})")),
        }
        Ok(())
    }

    /// Somebody who has not called yet.
    fn first_call(&mut self, own: &Verified) {
        self.fact("new", true);
        let plan = own
            .plan
            .as_ref()
            .map_or_else(|| "without a plan".to_owned(), |plan| format!("on the plan {plan}"));
        let says = format!(
            "this person has not called yet: their first call makes them, with a workspace of their own {plan}"
        );
        self.steps.push(Step::note("user", says));
    }

    async fn person(&mut self, user: &UserId, workspace: &WorkspaceId) -> Result<(), StoreError> {
        self.fact("user", user);
        self.fact("workspace", workspace);
        let Some(person) = self.store.user(user).await? else {
            self.no("user", format!("{user} was deleted"), "a user");
            return Ok(());
        };
        self.fact("email", &person.email);
        if person.locked_at.is_some() {
            let change = format!("`portero user unlock {user}`, and a new token or connection");
            self.no("user", format!("{user} ({}) is locked", person.email), change);
        } else {
            self.yes("user", format!("{user} ({})", person.email));
        }
        let member = self.store.workspaces_of(user).await?.into_iter().any(|own| own.id == *workspace);
        if member {
            self.yes("membership", format!("a member of {workspace}"));
        } else {
            let change =
                format!("`portero workspace add-member {workspace} {user}`, and a new token or connection");
            self.no("membership", format!("no member of {workspace} any more"), change);
        }
        Ok(())
    }
}
