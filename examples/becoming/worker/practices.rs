//! The tools for single practices and what people write after them.

use serde_json::{Value, json};

use super::fault::{Fault, conflict};
use super::themes::named;
use super::time::{day_of, stamp};
use super::world::{Call, Done, Library, Practice, Reflection};

/// The longest reflection.
const LONGEST: usize = 5000;

/// `list_theme_practices`: by their day.
pub(super) fn list(call: &mut Call<'_>) -> Result<Done, Fault> {
    let theme = named(call)?;
    let library = &*call.library;
    let practices: Vec<Value> =
        library.practices_of(theme.id).into_iter().map(|practice| shown(library, practice)).collect();
    Ok(json!({ "theme_id": theme.id, "practices": practices }).into())
}

/// `get_today_practices`: of active themes alone.
#[expect(clippy::unnecessary_wraps, reason = "one signature for every tool")]
pub(super) fn today(call: &mut Call<'_>) -> Result<Done, Fault> {
    let today = day_of(call.now);
    let library = &*call.library;
    let active = |id: &i64| library.themes.get(id).is_some_and(|theme| theme.ended_on.is_none());
    let practices = library.practices.values();
    let practices = practices.filter(|practice| practice.day == today && active(&practice.theme_id));
    let practices: Vec<Value> = practices.map(|practice| shown(library, practice)).collect();
    Ok(json!({ "date": today.to_string(), "practices": practices }).into())
}

/// `complete_practice`.
pub(super) fn complete(call: &mut Call<'_>) -> Result<Done, Fault> {
    settle(call, "done")
}

/// `skip_practice`.
pub(super) fn skip(call: &mut Call<'_>) -> Result<Done, Fault> {
    settle(call, "skipped")
}

fn settle(call: &mut Call<'_>, status: &'static str) -> Result<Done, Fault> {
    let id = call.arguments.id("practice_id")?;
    let practice = call.library.practices.get_mut(&id).ok_or_else(|| Fault::absent("practice", id))?;
    if practice.status != "pending" {
        return conflict(format!("practice {id} is {} already", practice.status));
    }
    practice.status = status;
    let practice = practice.clone();
    Ok(json!({ "practice": shown(call.library, &practice) }).into())
}

/// `get_practice_reflection`.
pub(super) fn reflection(call: &mut Call<'_>) -> Result<Done, Fault> {
    let id = call.arguments.id("practice_id")?;
    let practice = call.library.practices.get(&id).ok_or_else(|| Fault::absent("practice", id))?;
    let reflection =
        call.library.reflections.get(&id).ok_or_else(|| Fault::absent("reflection of practice", id))?;
    Ok(told(practice, reflection))
}

/// `log_practice_reflection`: one a practice; a later one takes the place of the earlier.
pub(super) fn reflect(call: &mut Call<'_>) -> Result<Done, Fault> {
    let id = call.arguments.id("practice_id")?;
    let body = call.arguments.saying("body", LONGEST)?;
    let practice = call.library.practices.get(&id).ok_or_else(|| Fault::absent("practice", id))?;
    if !practice.reflects {
        return conflict(format!("practice {id} is something to do, not to reflect on"));
    }
    let reflection = Reflection { body: body.to_owned(), saved_at: stamp(call.now) };
    let done = told(practice, &reflection);
    call.library.reflections.insert(id, reflection);
    Ok(done)
}

fn told(practice: &Practice, reflection: &Reflection) -> Done {
    json!({
        "reflection": {
            "practice_id": practice.id,
            "practice_title": practice.title,
            "body": reflection.body,
            "saved_at": reflection.saved_at,
        }
    })
    .into()
}

/// A practice as every list shows it.
pub(super) fn shown(library: &Library, practice: &Practice) -> Value {
    json!({
        "id": practice.id,
        "theme_id": practice.theme_id,
        "date": practice.day.to_string(),
        "kind": if practice.reflects { "reflect" } else { "act" },
        "title": practice.title,
        "instructions": practice.instructions,
        "status": practice.status,
        "has_reflection": library.reflections.contains_key(&practice.id),
    })
}
