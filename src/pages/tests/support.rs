//! A browser and a world for it: a database of its own and no server. What the browser sends is what the page it was
//! shown holds.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use actix_web::FromRequest;
use actix_web::body::to_bytes;
use actix_web::cookie::Cookie;
use actix_web::http::header;
use actix_web::test::TestRequest;
use actix_web::{HttpRequest, HttpResponse, web};
use scraper::{ElementRef, Html, Selector};
use sha2::{Digest as _, Sha256};

use super::super::{assets, authorize, login, logout, settings};
use crate::app::{App, Doors};
use crate::config::Config;
use crate::domain::client::{AuthMethod, Client, ClientKind, ClientMetadata};
use crate::domain::clock::{Clock, ManualClock, Timestamp};
use crate::domain::entropy::Entropy;
use crate::domain::ids::{ClientId, PlanId, UserId, WorkspaceId};
use crate::domain::pat::Mode;
use crate::domain::scope::ScopeSet;
use crate::domain::secret::Digest;
use crate::domain::user::User;
use crate::domain::workspace::{Workspace, WorkspaceStatus};
use crate::identity::issue::NewPat;
use crate::identity::keys::Keys;
use crate::store::Store;

pub const HOST: &str = "127.0.0.1:8080";
pub const ISSUER: &str = "/functions/v1/mcp";
pub const PASSWORD: &str = "correct horse battery staple";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const CONFIG: &str = r#"
public_url = "http://127.0.0.1:8080"
[database]
url = "sqlite://portero.db"
[plans.flow]
features = ["mcp"]
[brand.mico]
name = "Mico"
issuer = "http://127.0.0.1:8080/functions/v1/mcp"
authorize_with_pat = true
[[service]]
id = "mico"
brand = "mico"
name = "Mico"
resource = "http://127.0.0.1:8080/functions/v1/mcp"
accept = ["pat", "oauth"]
feature = "mcp"
upgrade_url = "https://mico.example/plans"
[service.scopes."mico:read"]
title = { es = "Leer tus reuniones", en = "Read your meetings" }
default = true
[service.scopes."mico:write"]
title = { es = "Cambiar tus reuniones", en = "Change your meetings" }
[[service.upstream]]
id = "meetings"
kind = "worker"
url = "http://127.0.0.1:9101"
"#;

#[derive(Default)]
struct Counting(AtomicU64);

impl Entropy for Counting {
    fn fill(&self, buffer: &mut [u8]) {
        let number = self.0.fetch_add(1, Ordering::SeqCst);
        for (part, chunk) in buffer.chunks_mut(32).enumerate() {
            let digest = Sha256::digest(format!("{number} {part}"));
            chunk.copy_from_slice(&digest[..chunk.len()]);
        }
    }
}

pub struct World {
    pub app: App,
    pub clock: Arc<ManualClock>,
    _dir: tempfile::TempDir,
}

impl World {
    pub async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let config = Config::from_toml(CONFIG, dir.path(), std::iter::empty()).unwrap().config;
        let clock = Arc::new(ManualClock::at(Timestamp::from_millis(1_796_054_400_000)));
        let doors =
            Doors { clock: Arc::<ManualClock>::clone(&clock), entropy: Arc::new(Counting::default()) };
        let url = format!("sqlite://{}", Path::join(dir.path(), "portero.db").display());
        let store = Store::open(&url, Arc::<ManualClock>::clone(&clock)).unwrap();
        store.migrate().await.unwrap();
        let keys = dir.path().join("portero.keys");
        let keys = Keys::read_or_make(&keys, doors.entropy.as_ref(), clock.now()).unwrap();
        Self { app: App::new(Arc::new(config), doors, store, keys), clock, _dir: dir }
    }

    /// A person with a password and a workspace.
    pub async fn person(&self, name: &str, plan: Option<&str>) -> User {
        let now = self.clock.now();
        let user = User {
            id: UserId::generate(self.app.entropy.as_ref()),
            email: format!("{name}@example.com"),
            name: name.to_owned(),
            external_id: None,
            epoch: 1,
            locked_at: None,
            created_at: now,
        };
        let workspace = Workspace {
            id: WorkspaceId::generate(self.app.entropy.as_ref()),
            name: name.to_owned(),
            personal_of: Some(user.id.clone()),
            plan: plan.map(PlanId::from),
            status: WorkspaceStatus::Active,
            created_at: now,
        };
        let hash = self.app.identity.hash_password(PASSWORD).await.unwrap();
        let store = &self.app.identity.store;
        store
            .transaction(async |tx| {
                tx.insert_user(&user, Some(&hash)).await?;
                tx.insert_workspace(&workspace).await?;
                tx.join(&user.id, &workspace.id).await
            })
            .await
            .unwrap();
        user
    }

    pub async fn client(&self, id: &str) {
        let metadata = ClientMetadata {
            redirect_uris: vec!["http://127.0.0.1:51234/callback".to_owned()],
            client_name: Some(format!("{id} <b>")),
            client_uri: None,
            token_endpoint_auth_method: AuthMethod::None,
            grant_types: vec!["authorization_code".to_owned(), "refresh_token".to_owned()],
            response_types: vec!["code".to_owned()],
            scope: None,
            application_type: None,
            software_id: None,
            software_version: None,
        };
        let client = Client {
            id: ClientId::from(id),
            kind: ClientKind::Dynamic,
            metadata,
            secret_hash: None,
            epoch: 1,
            disabled_at: None,
            created_at: self.clock.now(),
            last_granted_at: None,
        };
        let store = &self.app.identity.store;
        store.transaction(async |tx| tx.register_client(&client, "192.0.2.1").await).await.unwrap();
    }

    pub async fn token(&self, user: &User, scopes: &str) -> String {
        let workspace = self.app.identity.store.workspaces_of(&user.id).await.unwrap().remove(0).id;
        let new = NewPat {
            tokens: &self.app.brands[0].tokens,
            user: &user.id,
            workspace: &workspace,
            name: "laptop",
            scopes: ScopeSet::parse(scopes),
            mode: Mode::Live,
            expires_at: None,
        };
        self.app.identity.create_pat(new).await.unwrap().unwrap().1.expose().to_owned()
    }

    /// What the client does with its code.
    pub async fn redeem(&self, location: &str) {
        let code = location.split(['?', '&']).find_map(|pair| pair.strip_prefix("code=")).unwrap();
        let digest = Digest::of(code);
        let code = self.app.identity.store.code(&digest).await.unwrap().unwrap();
        self.app.identity.redeem(&self.app.brands[0].tokens, &digest, &code, true).await.unwrap();
    }
}

pub struct Answer {
    pub status: u16,
    pub location: Option<String>,
    pub retry_after: bool,
    pub text: String,
}

impl Answer {
    pub fn html(&self) -> Html {
        Html::parse_document(&self.text)
    }

    pub fn says(&self, words: &str) -> bool {
        self.html().root_element().text().collect::<String>().contains(words)
    }
}

/// A browser: keeps cookies, fills forms with what they hold.
pub struct Browser<'a> {
    world: &'a World,
    pub accept: &'static str,
    pub cookies: BTreeMap<String, String>,
}

impl<'a> Browser<'a> {
    pub fn new(world: &'a World) -> Self {
        Self { world, accept: "text/html", cookies: BTreeMap::new() }
    }

    pub fn program(world: &'a World) -> Self {
        Self { accept: "*/*", ..Self::new(world) }
    }

    fn request(&self, request: TestRequest) -> TestRequest {
        let request = request
            .insert_header((header::HOST, HOST))
            .insert_header((header::ORIGIN, "http://127.0.0.1:8080"))
            .insert_header((header::ACCEPT, self.accept))
            .insert_header((header::ACCEPT_LANGUAGE, "en"));
        self.cookies.iter().fold(request, |request, (name, value)| request.cookie(Cookie::new(name, value)))
    }

    pub async fn send(&mut self, request: TestRequest) -> Answer {
        let (req, mut payload) = self.request(request).to_http_parts();
        let payload = web::Payload::from_request(&req, &mut payload).await.unwrap();
        let response = route(&self.world.app, &req, payload).await;
        for cookie in response.cookies() {
            if cookie.value().is_empty() {
                self.cookies.remove(cookie.name());
            } else {
                self.cookies.insert(cookie.name().to_owned(), cookie.value().to_owned());
            }
        }
        let text = |name| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        let (location, retry_after) = (text(header::LOCATION), text(header::RETRY_AFTER).is_some());
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body()).await.unwrap();
        Answer { status, location, retry_after, text: String::from_utf8(body.to_vec()).unwrap() }
    }

    pub async fn get(&mut self, uri: &str) -> Answer {
        self.send(TestRequest::get().uri(uri)).await
    }

    /// Sends the form of a page that goes to `action`, with some fields filled in or pressed.
    pub async fn submit(&mut self, page: &Answer, action: &str, fields: &[(&str, &str)]) -> Answer {
        let html = page.html();
        let form = html
            .select(&Selector::parse("form").unwrap())
            .find(|form| form.attr("action").is_some_and(|own| own.ends_with(action)))
            .expect("the form is on the page");
        let mut filled: Vec<(String, String)> = held(form);
        for (name, value) in fields {
            filled.retain(|(own, _)| own != name);
            filled.push(((*name).to_owned(), (*value).to_owned()));
        }
        let uri = form.attr("action").unwrap().trim_start_matches("http://127.0.0.1:8080").to_owned();
        self.send(TestRequest::post().uri(&uri).set_form(filled)).await
    }

    pub async fn sign_in(&mut self, user: &User) {
        let page = self.get("/login").await;
        let fields = [("email", user.email.as_str()), ("password", PASSWORD)];
        let answer = self.submit(&page, "/login", &fields).await;
        assert_eq!((answer.status, answer.location.as_deref()), (303, Some("/settings/connect")));
    }
}

fn held(form: ElementRef<'_>) -> Vec<(String, String)> {
    let inputs = Selector::parse("input[name]").unwrap();
    let sent = form.select(&inputs).filter(|input| {
        !matches!(input.attr("type"), Some("checkbox" | "radio")) || input.attr("checked").is_some()
    });
    let text = |input: ElementRef<'_>, name| input.attr(name).unwrap_or_default().to_owned();
    sent.map(|input| (text(input, "name"), text(input, "value"))).collect()
}

async fn route(app: &App, req: &HttpRequest, payload: web::Payload) -> HttpResponse {
    let brand = Arc::clone(&app.brands[0]);
    match (req.method().as_str(), req.path()) {
        ("GET", "/functions/v1/mcp/authorize") => authorize::show(app, &brand, req).await,
        ("POST", "/functions/v1/mcp/authorize") => authorize::decide(app, req, payload).await,
        ("GET", "/login") => login::show(app, req).await,
        ("POST", "/login") => login::submit(app, req, payload).await,
        ("GET", "/logout") => logout::show(app, req).await,
        ("POST", "/logout") => logout::submit(app, req, payload).await,
        ("GET", "/settings/connect") => settings::connect::show(app, req).await,
        ("GET", "/settings/tokens") => settings::tokens::show(app, req).await,
        ("GET", "/settings/tokens/new") => settings::token_new::show(app, req).await,
        ("POST", "/settings/tokens/new") => settings::token_new::submit(app, req, payload).await,
        ("GET", "/settings/tokens/revoke") => settings::token_revoke::show(app, req).await,
        ("POST", "/settings/tokens/revoke") => settings::token_revoke::submit(app, req, payload).await,
        ("GET", "/settings/apps") => settings::apps::show(app, req).await,
        ("GET", "/settings/apps/disconnect") => settings::app_disconnect::show(app, req).await,
        ("POST", "/settings/apps/disconnect") => settings::app_disconnect::submit(app, req, payload).await,
        _ => assets::show(app, req).await,
    }
}

pub fn authorize_uri(client: &str, more: &str) -> String {
    format!(
        "{ISSUER}/authorize?response_type=code&client_id={client}&redirect_uri=http%3A%2F%2F127.0.0.1%3A5%2Fcallback\
         &code_challenge={CHALLENGE}&code_challenge_method=S256&state=st%2B1{more}"
    )
}
