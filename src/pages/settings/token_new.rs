//! `/settings/tokens/new`: make a personal access token. Its value is in the answer to the form and nowhere else.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

use super::{Seat, connect, tokens};
use crate::app::App;
use crate::app::brand::Brand;
use crate::domain::clock::Timestamp;
use crate::domain::ids::WorkspaceId;
use crate::domain::name;
use crate::domain::pat::Mode;
use crate::domain::scope::ScopeSet;
use crate::http::strict::Params;
use crate::identity::issue::NewPat;
use crate::pages::answer::Stop;
use crate::pages::consent::choices;
use crate::pages::view::ScopeGroup;
use crate::pages::view::settings::{Expiry, TokenCreatedPage, TokenFormError, TokenMode, TokenNewPage};
use crate::pages::{error, words};

const NAME: usize = 64;
const DAY: Duration = Duration::from_hours(24);

/// `GET /settings/tokens/new`.
pub async fn show(app: &App, req: &HttpRequest) -> HttpResponse {
    shown(app, req).await.unwrap_or_else(|stop| error::stopped(app, req, None, stop))
}

async fn shown(app: &App, req: &HttpRequest) -> Result<HttpResponse, Stop> {
    let seat = Seat::take(app, req).await?;
    let params = seat.query(&["name"])?;
    let draft = Draft::fresh(&seat, params.get("name").unwrap_or_default());
    Ok(seat.page(&page(&seat, &draft, Vec::new()).await?))
}

/// `POST /settings/tokens/new`.
pub async fn submit(app: &App, req: &HttpRequest, payload: web::Payload) -> HttpResponse {
    submitted(app, req, payload).await.unwrap_or_else(|stop| error::stopped(app, req, None, stop))
}

async fn submitted(app: &App, req: &HttpRequest, payload: web::Payload) -> Result<HttpResponse, Stop> {
    let (mut seat, form) = Seat::posted(app, req, payload).await?;
    let draft = Draft::posted(&seat, &form);
    seat.visit.reached_by("name", &draft.name);
    match create(&seat, &draft).await? {
        Ok(created) => Ok(seat.page(&created)),
        Err(errors) => Ok(seat.visit.answer(StatusCode::BAD_REQUEST, &page(&seat, &draft, errors).await?)),
    }
}

/// The form as it was typed.
struct Draft {
    name: String,
    scopes: Option<ScopeSet>,
    expires: Option<Expiry>,
    expires_on: String,
    mode: Mode,
    workspace: Option<String>,
}

impl Draft {
    fn fresh(seat: &Seat<'_>, name: &str) -> Self {
        let (expires, expires_on) = offered_first(seat.visit.brand, seat.now());
        Self {
            name: name::clean(name),
            scopes: None,
            expires: Some(expires),
            expires_on,
            mode: Mode::Live,
            workspace: None,
        }
    }

    fn posted(seat: &Seat<'_>, form: &Params) -> Self {
        let typed = form.get("expires").map_or(Some(offered_first(seat.visit.brand, seat.now()).0), expiry);
        let test = form.get("mode").and_then(Mode::from_label) == Some(Mode::Test);
        Self {
            name: name::clean(form.get("name").unwrap_or_default()),
            scopes: Some(ScopeSet::parse(&form.all("scope").join(" "))),
            expires: typed,
            expires_on: form.get("expires_on").unwrap_or_default().to_owned(),
            mode: if test && seat.visit.brand.tokens.has_test_mode() { Mode::Test } else { Mode::Live },
            workspace: form.get("workspace").map(str::to_owned),
        }
    }
}

/// Makes the token, or says everything that is wrong with the form at once.
async fn create(
    seat: &Seat<'_>,
    draft: &Draft,
) -> Result<Result<TokenCreatedPage, Vec<TokenFormError>>, Stop> {
    let (app, brand, user) = (seat.app(), seat.visit.brand, &seat.user.id);
    let all = all_scopes(app, brand);
    let scopes = draft.scopes.as_ref().map(|chosen| all.intersection(chosen)).unwrap_or_default();
    let asked = draft.workspace.as_deref();
    let workspace = app.identity.workspace_for(user, asked, Some(&seat.session.workspace)).await?;
    let end = end(draft.expires, &draft.expires_on, seat.now(), longest(brand));
    let mut errors = faults(draft, &scopes, &all);
    errors.extend(end.err());
    if workspace.is_none() {
        errors.push(TokenFormError::Workspace);
    }
    if app.identity.store.live_pats(user, seat.now()).await? >= tokens::MOST {
        errors.push(TokenFormError::LimitReached);
    }
    let (Some(workspace), Ok(expires_at), true) = (workspace, end, errors.is_empty()) else {
        return Ok(Err(errors));
    };
    made(seat, draft, (scopes, expires_at, &workspace)).await
}

async fn made(
    seat: &Seat<'_>,
    draft: &Draft,
    (scopes, expires_at, workspace): (ScopeSet, Option<Timestamp>, &WorkspaceId),
) -> Result<Result<TokenCreatedPage, Vec<TokenFormError>>, Stop> {
    let brand = seat.visit.brand;
    let new = NewPat {
        tokens: &brand.tokens,
        user: &seat.user.id,
        workspace,
        name: &draft.name,
        scopes,
        mode: draft.mode,
        expires_at,
    };
    let Some((pat, secret)) = seat.app().identity.create_pat(new).await? else {
        return Ok(Err(vec![TokenFormError::Workspace]));
    };
    let services = connect::services(seat.app(), brand);
    Ok(Ok(TokenCreatedPage {
        shell: seat.shell(),
        name: pat.name,
        token: secret.expose().to_owned(),
        expires_at: pat.expires_at.map(Timestamp::millis),
        services: services.into_iter().filter(|service| service.pat_prefix.is_some()).collect(),
    }))
}

fn faults(draft: &Draft, scopes: &ScopeSet, all: &ScopeSet) -> Vec<TokenFormError> {
    let name = match draft.name.chars().count() {
        0 => Some(TokenFormError::NameMissing),
        length if length > NAME => Some(TokenFormError::NameTooLong),
        _ => None,
    };
    // Where nothing is declared there is nothing to choose.
    let scopes = (scopes.is_empty() && !all.is_empty()).then_some(TokenFormError::ScopesMissing);
    name.into_iter().chain(scopes).collect()
}

/// A brand's tokens are accepted by all its services, so they can hold the scopes of all of them.
fn all_scopes(app: &App, brand: &Brand) -> ScopeSet {
    app.services_of(brand).flat_map(|service| service.scopes.iter()).collect()
}

async fn page(seat: &Seat<'_>, draft: &Draft, errors: Vec<TokenFormError>) -> Result<TokenNewPage, Stop> {
    let brand = seat.visit.brand;
    let selected = draft.workspace.as_deref().unwrap_or(seat.session.workspace.as_str());
    let max_days = longest(brand).map(|max| u16::try_from(days(max)).unwrap_or(u16::MAX));
    let mode = if draft.mode == Mode::Test { TokenMode::Test } else { TokenMode::Live };
    Ok(TokenNewPage {
        shell: seat.shell(),
        name: draft.name.clone(),
        expiries: Expiry::offered(max_days.is_none(), max_days),
        expires: draft.expires.unwrap_or(Expiry::Custom),
        expires_on: draft.expires_on.clone(),
        groups: groups(seat, draft.scopes.as_ref()),
        workspaces: choices(&seat.workspaces().await?, Some(selected)),
        mode: brand.tokens.has_test_mode().then_some(mode),
        errors,
    })
}

fn groups(seat: &Seat<'_>, chosen: Option<&ScopeSet>) -> Vec<ScopeGroup> {
    let services = seat.app().services_of(seat.visit.brand).filter(|service| !service.scopes.is_empty());
    let group = |service: &std::sync::Arc<crate::app::service::Service>| {
        let ticked = chosen.unwrap_or(&service.default_scopes);
        let declared = &service.config.scopes;
        let lang = seat.visit.locale.lang();
        ScopeGroup {
            service: service.config.name.clone(),
            scopes: words::boxes(&service.scopes, ticked, |scope| declared.get(scope), lang),
        }
    };
    services.map(group).collect()
}

fn longest(brand: &Brand) -> Option<Duration> {
    brand.config.pat_max_ttl.map(crate::config::Period::get)
}

/// Whole days, at least one.
fn days(length: Duration) -> u64 {
    (length.as_secs() / DAY.as_secs()).max(1)
}

/// What the form offers first, by the brand's configuration.
fn offered_first(brand: &Brand, now: Timestamp) -> (Expiry, String) {
    let Some(usual) = brand.config.pat_expiry.get() else { return (Expiry::Never, String::new()) };
    let max_days = longest(brand).map(|max| u16::try_from(days(max)).unwrap_or(u16::MAX));
    let whole = u16::try_from(days(usual)).ok().map(Expiry::Days);
    match whole.filter(|whole| Expiry::offered(false, max_days).contains(whole)) {
        Some(whole) => (whole, String::new()),
        None => (Expiry::Custom, date(now.plus(usual))),
    }
}

fn date(at: Timestamp) -> String {
    let at = jiff::Timestamp::from_millisecond(at.millis()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    TimeZone::UTC.to_datetime(at).date().to_string()
}

/// Reads the form's `expires` field.
fn expiry(text: &str) -> Option<Expiry> {
    match text {
        "never" => Some(Expiry::Never),
        "custom" => Some(Expiry::Custom),
        days => days.strip_suffix('d')?.parse().ok().filter(|days| *days > 0).map(Expiry::Days),
    }
}

/// When a token with this choice ends. A day counts to its last moment, UTC, as far as the longest life allows.
fn end(
    choice: Option<Expiry>,
    day: &str,
    now: Timestamp,
    longest: Option<Duration>,
) -> Result<Option<Timestamp>, TokenFormError> {
    let too_late = |longest| {
        let max_days = i64::try_from(days(longest)).unwrap_or(i64::MAX);
        Err(TokenFormError::ExpiryTooLate { max_days })
    };
    let (first, last) = match choice.ok_or(TokenFormError::ExpiryInvalid)? {
        Expiry::Never => return longest.map_or(Ok(None), too_late),
        Expiry::Days(days) => {
            let at = now.plus(DAY * u32::from(days));
            (at, at)
        }
        Expiry::Custom => day_of(day).ok_or(TokenFormError::ExpiryInvalid)?,
    };
    if last <= now {
        return Err(TokenFormError::ExpiryInvalid);
    }
    match longest {
        Some(longest) if first > now.plus(longest) => too_late(longest),
        Some(longest) => Ok(Some(last.min(now.plus(longest)))),
        None => Ok(Some(last)),
    }
}

/// The first and the last moment of a day.
fn day_of(text: &str) -> Option<(Timestamp, Timestamp)> {
    let day = text.trim().parse::<Date>().ok()?;
    let first = TimeZone::UTC.to_timestamp(day.to_datetime(Time::midnight())).ok()?.as_millisecond();
    let first = Timestamp::from_millis(first);
    Some((first, first.plus(DAY).minus(Duration::from_millis(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_796_054_400_000); // 2026-11-30 16:00 UTC

    fn ends(choice: Expiry, day: &str, longest: Option<u32>) -> Result<Option<String>, TokenFormError> {
        let longest = longest.map(|days| DAY * days);
        end(Some(choice), day, NOW, longest).map(|at| at.map(date))
    }

    #[test]
    fn a_token_ends_when_it_was_said_and_no_later_than_the_brand_allows() {
        let late = Err(TokenFormError::ExpiryTooLate { max_days: 30 });
        assert_eq!(ends(Expiry::Never, "", None), Ok(None));
        assert_eq!(ends(Expiry::Never, "", Some(30)), late);
        assert_eq!(ends(Expiry::Days(30), "", Some(30)), Ok(Some("2026-12-30".to_owned())));
        assert_eq!(ends(Expiry::Days(31), "", Some(30)), late);
        assert_eq!(ends(Expiry::Custom, "2026-12-30", Some(30)), Ok(Some("2026-12-30".to_owned())));
        assert_eq!(ends(Expiry::Custom, "2026-12-31", Some(30)), late);
        assert_eq!(ends(Expiry::Custom, "2026-11-30", None), Ok(Some("2026-11-30".to_owned())));
        for nonsense in ["", "2026-11-29", "30.11.2026", "2026-02-30"] {
            assert_eq!(ends(Expiry::Custom, nonsense, None), Err(TokenFormError::ExpiryInvalid));
        }
        assert_eq!(end(None, "", NOW, None), Err(TokenFormError::ExpiryInvalid));
    }

    #[test]
    fn the_choice_is_read_from_the_form() {
        assert_eq!(expiry("90d"), Some(Expiry::Days(90)));
        assert_eq!(expiry("custom"), Some(Expiry::Custom));
        for nonsense in ["0d", "-1d", "90", "d", "99999999d", "Never"] {
            assert_eq!(expiry(nonsense), None, "{nonsense}");
        }
    }
}
