//! `{issuer}/authorize` as people see it: the question, its answer, and what is said where none can be given.
//!
//! What is decided, and by whom, is [`crate::oauth::authorize`]'s; here requests are read and pages filled.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};

use super::answer::{self, Stop, see_other, wants_json, wants_page};
use super::consent::{self, Attempt};
use super::next::{is_transaction, transaction};
use super::shell::Visit;
use super::view::{AuthorizeError, DoneOutcome, DonePage, ErrorKind, Nothing};
use super::{error, words};
use crate::app::App;
use crate::app::brand::Brand;
use crate::domain::ids::{ClientId, TransactionId};
use crate::domain::scope::ScopeSet;
use crate::http::client_ip;
use crate::http::csrf;
use crate::http::strict::Params;
use crate::oauth::authorize::decide::{self, NotDecided, NotProven, Person};
use crate::oauth::authorize::{Fault, PageFault, Pending, begin, parameters, pending};
use crate::oauth::error::OAuthError;
use crate::store::StoreError;

/// Wrong tokens are counted in windows of this length.
const THROTTLE_SECONDS: u64 = 300;

/// `GET {issuer}/authorize`: checks a request and asks, or, with `transaction` alone, asks again.
pub async fn show(app: &App, brand: &Brand, req: &HttpRequest) -> HttpResponse {
    let shown = shown(app, brand, req).await;
    shown.unwrap_or_else(|stop| error::stopped(app, req, Some(brand), stop))
}

async fn shown(app: &App, brand: &Brand, req: &HttpRequest) -> Result<HttpResponse, Stop> {
    unframed(req)?;
    let params = match parameters(req) {
        Ok(params) => params,
        Err(fault) => return refused(app, brand, req, (fault, &Params::default())).await,
    };
    let source = client_ip::source(req, &app.config.trusted_proxies);
    let pending = match again(&params) {
        Some(id) => pending(app, &id).await?.filter(|kept| kept.brand().id == brand.id),
        None => match begin(app, brand, &params, &source).await {
            Ok(pending) => Some(pending),
            Err(fault) => return refused(app, brand, req, (fault, &params)).await,
        },
    };
    let pending = pending.ok_or(ErrorKind::Expired { client: None })?;
    let visit = visit(app, req, &pending).await?;
    if let Some(outcome) = decided(&pending) {
        return Ok(visit.answer(StatusCode::OK, &done(&visit, &pending, outcome)));
    }
    bind(&visit, &pending).await?;
    let page = consent::page(&visit, &pending, Attempt::default()).await?;
    Ok(visit.answer(StatusCode::OK, &page))
}

/// A visit to a request's page, by whoever may decide it.
async fn visit<'a>(
    app: &'a App,
    req: &'a HttpRequest,
    pending: &'a Pending,
) -> Result<Visit<'a>, StoreError> {
    let mut visit = Visit::open(app, req, pending.brand()).await?;
    visit.session = visit.session.filter(|(session, _)| pending.accepts_session_of(session.created_at));
    visit.reached_by("transaction", pending.kept.id.as_str());
    Ok(visit)
}

/// A frame around the page could make a click on *Allow* look like one on something else (clickjacking).
fn unframed(req: &HttpRequest) -> Result<(), ErrorKind> {
    let destination = req.headers().get("sec-fetch-dest").and_then(|value| value.to_str().ok());
    let framed = destination.is_some_and(|into| matches!(into, "iframe" | "frame" | "embed" | "object"));
    if framed { Err(ErrorKind::Forbidden) } else { Ok(()) }
}

/// The kept request that is asked for, unless this is a request of its own.
fn again(params: &Params) -> Option<TransactionId> {
    let new = params.get("client_id").or_else(|| params.get("response_type")).is_some();
    params.get("transaction").filter(|id| !new && is_transaction(id)).map(TransactionId::from)
}

/// The page belongs to the person who is signed in when it is shown. Attack: another person signs in in a second
/// tab, and the click in the first one gives away the data of the wrong one.
async fn bind(visit: &Visit<'_>, pending: &Pending) -> Result<(), Stop> {
    let Some((_, user)) = &visit.session else { return Ok(()) };
    if pending.kept.user.as_ref() == Some(&user.id)
        || visit.app.identity.bind(&pending.kept.id, &user.id).await?
    {
        return Ok(());
    }
    Err(ErrorKind::Forbidden.into())
}

/// Answers a request that is not kept. Only a client whose redirect is good is told; a browser is not sent there
/// by itself, or the page would be an open redirector for whoever registers a client.
async fn refused(
    app: &App,
    brand: &Brand,
    req: &HttpRequest,
    (fault, params): (Fault, &Params),
) -> Result<HttpResponse, Stop> {
    let id = params.get("client_id").unwrap_or_default();
    let kind = match fault {
        Fault::Store(error) => return Err(error.into()),
        // mcp-remote asks so before it opens a browser, and registers again when its registration is gone.
        Fault::Page(fault) if wants_json(req) => return Ok(OAuthError::from(fault).response()),
        Fault::Page(PageFault::UnknownClient) => ErrorKind::UnknownClient,
        Fault::Page(PageFault::Unreadable(_)) => ErrorKind::Unreadable,
        Fault::Page(PageFault::Redirect) => {
            let (client, registered) = known(app, id).await?;
            let asked = params.get("redirect_uri").map(words::uri);
            // Both side by side: else nobody could tell why, when an app changed its address with a release.
            ErrorKind::BadRedirect { client, asked, registered }
        }
        Fault::Client(redirect, code, description) => {
            let return_to = redirect.error(code, description);
            if !wants_page(req) {
                return Ok(see_other(&return_to));
            }
            ErrorKind::BadRequest {
                client: known(app, id).await?.0,
                host: words::destination_name(&redirect.uri),
                code: code.wire().to_owned(),
                description: description.to_owned(),
                return_to,
            }
        }
    };
    Ok(error::page(app, req, Some(brand), kind))
}

/// A client's name and the URIs that it registered.
async fn known(app: &App, id: &str) -> Result<(String, Vec<String>), StoreError> {
    let client = app.identity.store.client(&ClientId::from(id)).await?;
    let name = words::name(client.as_ref().map_or(id, |client| client.display_name()));
    let uris = client.map(|client| client.metadata.redirect_uris).unwrap_or_default();
    Ok((name, uris.iter().map(|uri| words::uri(uri)).collect()))
}

fn decided(pending: &Pending) -> Option<DoneOutcome> {
    match pending.kept.decision.as_deref()? {
        "allow" => Some(DoneOutcome::AlreadyConnected),
        _ => Some(DoneOutcome::AlreadyDenied),
    }
}

fn done(visit: &Visit<'_>, pending: &Pending, outcome: DoneOutcome) -> DonePage {
    DonePage {
        shell: visit.shell(pending.kept.id.as_str()),
        client: words::name(pending.client.display_name()),
        service: pending.service.config.name.clone(),
        destination: words::destination(&pending.request.redirect_uri),
        outcome,
    }
}

/// `POST {issuer}/authorize`: the page's form.
pub async fn decide(app: &App, req: &HttpRequest, payload: web::Payload) -> HttpResponse {
    let (form, pending) = match asked(app, req, payload).await {
        Ok(asked) => asked,
        Err(stop) => return error::stopped(app, req, None, stop),
    };
    let brand = pending.brand();
    match answered(app, req, &form, &pending).await {
        Ok(response) => response,
        Err(Stop::Store(trouble)) => {
            tracing::error!(error = %trouble, "a decision failed on the store");
            let back = transaction(req, &brand.issuer, &pending.kept.id);
            error::page_with_way_back(app, req, Some(brand), ErrorKind::Unavailable, Some(back))
        }
        Err(stop) => error::stopped(app, req, Some(brand), stop),
    }
}

/// The form, and the kept request that it answers; nothing else of the request comes back from the browser.
async fn asked(app: &App, req: &HttpRequest, payload: web::Payload) -> Result<(Params, Pending), Stop> {
    unframed(req)?;
    let form = answer::form(req, payload).await?;
    let id = form.get("transaction").ok_or(ErrorKind::Unreadable)?;
    if !csrf::check(app, req, id, form.get("csrf")) {
        return Err(ErrorKind::Csrf.into());
    }
    let pending = pending(app, &TransactionId::from(id)).await?;
    let pending = pending.ok_or(ErrorKind::Expired { client: None })?;
    Ok((form, pending))
}

/// Why a form leads to no redirect.
enum Refused {
    /// The page is shown again and says so.
    Form(AuthorizeError),
    /// It is not decided.
    Undecided(NotDecided),
    /// The form has no decision.
    Unreadable,
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::Undecided(NotDecided::Store(error))
    }
}

impl From<NotDecided> for Refused {
    fn from(why: NotDecided) -> Self {
        Self::Undecided(why)
    }
}

impl From<NotProven> for Refused {
    fn from(why: NotProven) -> Self {
        Self::Form(match why {
            NotProven::Malformed => AuthorizeError::PatMalformed,
            NotProven::OtherKind => AuthorizeError::PatOtherKind,
            NotProven::Refused => AuthorizeError::PatRefused,
            NotProven::Throttled => AuthorizeError::PatThrottled,
            NotProven::Store(error) => return error.into(),
        })
    }
}

async fn answered(
    app: &App,
    req: &HttpRequest,
    form: &Params,
    pending: &Pending,
) -> Result<HttpResponse, Stop> {
    let visit = visit(app, req, pending).await?;
    if let Some(outcome) = decided(pending) {
        return Ok(visit.answer(StatusCode::CONFLICT, &done(&visit, pending, outcome)));
    }
    let (outcome, done_as): (_, fn(String) -> DoneOutcome) = match form.get("decision") {
        Some("allow") => {
            (allow(&visit, form, pending).await, |return_to| DoneOutcome::Connected { return_to })
        }
        Some("deny") => (deny(&visit, pending).await, |return_to| DoneOutcome::Denied { return_to }),
        _ => (Err(Refused::Unreadable), |return_to| DoneOutcome::Denied { return_to }),
    };
    match outcome {
        Ok(location) if wants_page(req) => {
            Ok(visit.answer(StatusCode::OK, &done(&visit, pending, done_as(location))))
        }
        Ok(location) => Ok(see_other(&location)),
        Err(refused) => not_decided(&visit, form, pending, refused).await,
    }
}

async fn deny(visit: &Visit<'_>, pending: &Pending) -> Result<String, Refused> {
    let user = visit.session.as_ref().map(|(_, user)| &user.id);
    Ok(decide::deny(visit.app, pending, user).await?)
}

async fn allow(visit: &Visit<'_>, form: &Params, pending: &Pending) -> Result<String, Refused> {
    let person = person(visit, form, pending).await?;
    Ok(decide::allow(visit.app, pending, &person, &chosen(form)).await?)
}

fn chosen(form: &Params) -> ScopeSet {
    ScopeSet::parse(&form.all("scope").join(" "))
}

/// Who answers: a token that was typed is meant, and proves identity for this request whoever is signed in (a
/// request bound to somebody else still refuses it); without one it is the person who is signed in.
async fn person(visit: &Visit<'_>, form: &Params, pending: &Pending) -> Result<Person, Refused> {
    let by_pat = pending.brand().config.authorize_with_pat;
    let pasted = form.get("personal_access_token").filter(|text| by_pat && !text.trim().is_empty());
    if let Some(pasted) = pasted {
        let address = client_ip::source(visit.req, &visit.app.config.trusted_proxies);
        return Ok(decide::prove(visit.app, pending, pasted, &address).await?);
    }
    match &visit.session {
        Some((session, user)) => {
            let asked = form.get("workspace");
            let open = Some(&session.workspace);
            let workspace = visit.app.identity.workspace_for(&user.id, asked, open).await?;
            let workspace = workspace.ok_or(Refused::Form(AuthorizeError::Workspace))?;
            Ok(Person::SignedIn(user.id.clone(), workspace))
        }
        // Nobody to decide: the field was left empty, or the session ended under the page.
        None if by_pat => Err(Refused::Form(AuthorizeError::PatMalformed)),
        None => Err(Refused::Form(AuthorizeError::Stale)),
    }
}

async fn not_decided(
    visit: &Visit<'_>,
    form: &Params,
    pending: &Pending,
    refused: Refused,
) -> Result<HttpResponse, Stop> {
    let mut attempt = Attempt {
        chosen: Some(chosen(form)),
        workspace: form.get("workspace").map(str::to_owned),
        ..Attempt::default()
    };
    match refused {
        Refused::Form(error) => attempt.error = Some(error),
        Refused::Undecided(NotDecided::NothingChosen) => attempt.error = Some(AuthorizeError::NothingChosen),
        Refused::Undecided(NotDecided::NothingGrantable) => attempt.nothing = Some(Nothing::Scopes),
        Refused::Undecided(NotDecided::Store(error)) => return Err(error.into()),
        Refused::Undecided(NotDecided::Other) => return Err(ErrorKind::Forbidden.into()),
        Refused::Undecided(NotDecided::Over) => return over(visit, pending).await,
        Refused::Unreadable => return Err(ErrorKind::Unreadable.into()),
    }
    let throttled = attempt.error == Some(AuthorizeError::PatThrottled);
    let status = if throttled { StatusCode::TOO_MANY_REQUESTS } else { StatusCode::BAD_REQUEST };
    let response = visit.answer(status, &consent::page(visit, pending, attempt).await?);
    Ok(if throttled { answer::retry_after(response, THROTTLE_SECONDS) } else { response })
}

/// Decided meanwhile, as by a second click, or no longer possible.
async fn over(visit: &Visit<'_>, stale: &Pending) -> Result<HttpResponse, Stop> {
    let expired = || ErrorKind::Expired { client: Some(words::name(stale.client.display_name())) };
    let pending = pending(visit.app, &stale.kept.id).await?.ok_or_else(expired)?;
    let outcome = decided(&pending).ok_or_else(expired)?;
    Ok(visit.answer(StatusCode::CONFLICT, &done(visit, &pending, outcome)))
}
