//! The tools for areas of interest, and the one that says whether La Academia is there at all.

use serde_json::{Value, json};

use super::fault::{Fault, conflict};
use super::time::day_of;
use super::world::{Call, Done, Library, Theme};

/// `get_academy_status`: for clients that ask before they use the rest.
#[expect(clippy::unnecessary_wraps, reason = "one signature for every tool")]
pub(super) fn academy(call: &mut Call<'_>) -> Result<Done, Fault> {
    let active = call.library.themes.values().filter(|theme| theme.ended_on.is_none()).count();
    Ok(json!({
        "academy_access": call.academy,
        "themes_available": call.academy,
        "practices_available": call.academy,
        "active_themes": active,
    })
    .into())
}

/// `list_themes`: active ones first, each kind by when it began, the last first.
#[expect(clippy::unnecessary_wraps, reason = "one signature for every tool")]
pub(super) fn list(call: &mut Call<'_>) -> Result<Done, Fault> {
    let library = &*call.library;
    let mut themes: Vec<&Theme> = library.themes.values().collect();
    themes.sort_by(|a, b| {
        a.ended_on.is_some().cmp(&b.ended_on.is_some()).then(b.started_on.cmp(&a.started_on))
    });
    let themes: Vec<Value> = themes.into_iter().map(|theme| shown(library, theme)).collect();
    Ok(json!({ "themes": themes }).into())
}

/// `complete_theme`: it is over from today, and its practices stay where they are.
pub(super) fn complete(call: &mut Call<'_>) -> Result<Done, Fault> {
    let id = call.arguments.id("theme_id")?;
    let today = day_of(call.now);
    let theme = call.library.themes.get_mut(&id).ok_or_else(|| Fault::absent("theme", id))?;
    if theme.ended_on.is_some() {
        return conflict(format!("theme {id} is past already"));
    }
    theme.ended_on = Some(today);
    let theme = theme.clone();
    Ok(json!({ "theme": shown(call.library, &theme) }).into())
}

/// The theme that `theme_id` names.
pub(super) fn named<'a>(call: &'a Call<'_>) -> Result<&'a Theme, Fault> {
    let id = call.arguments.id("theme_id")?;
    call.library.themes.get(&id).ok_or_else(|| Fault::absent("theme", id))
}

/// A theme as every list shows it.
pub(super) fn shown(library: &Library, theme: &Theme) -> Value {
    let practices = library.practices_of(theme.id);
    json!({
        "id": theme.id,
        "title": theme.title,
        "summary": theme.summary,
        "status": if theme.ended_on.is_some() { "past" } else { "active" },
        "started_on": theme.started_on.to_string(),
        "ended_on": theme.ended_on.map(|day| day.to_string()),
        "practices_count": practices.len(),
        "practices_done": practices.iter().filter(|practice| practice.status == "done").count(),
    })
}
