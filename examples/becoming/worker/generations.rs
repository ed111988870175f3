//! The tools that make a new area of interest: starting it, and seeing what became of it.

use serde_json::{Value, json};

use super::fault::{Fault, conflict};
use super::themes;
use super::time::{day_of, stamp};
use super::world::{Call, Done, Generation, Library, Shared, Theme};

/// The longest intent.
const INTENT: usize = 280;
/// What a theme out of the whole library costs.
const WHOLE: i64 = 66;
/// What one costs that has something to begin with.
const GUIDED: i64 = 10;
/// How long a step takes: waiting, then making.
pub(super) const STEP: i64 = 15;

/// `start_theme_generation`: what it costs depends on what there is to begin with.
pub(super) fn start(call: &mut Call<'_>) -> Result<Done, Fault> {
    let intent = call.arguments.said("intent", INTENT)?;
    let seed = call.arguments.number("seed_highlight_id")?;
    if let Some(id) = seed.filter(|id| !call.library.highlights.contains_key(id)) {
        return Err(Fault::absent("highlight", id));
    }
    let guided = intent.is_some() || seed.is_some();
    if !guided && call.library.highlights.is_empty() {
        return conflict("the library is empty; add highlights first, or say an intent");
    }
    let cost = if guided { GUIDED } else { WHOLE };
    if let Some(left) = call.credits.filter(|left| *left < cost) {
        return Err(Fault::Credits(cost, left));
    }
    let id = call.shared.id();
    let generation = Generation {
        id,
        intent: intent.map(str::to_owned),
        seed,
        started: call.now,
        theme_id: None,
        failure: None,
    };
    call.library.generations.insert(id, generation);
    Ok(Done { body: json!({ "generation_id": id, "status": "pending" }), cost: Some(cost) })
}

/// Makes the themes that are ready by now.
pub(super) fn catch_up(library: &mut Library, shared: &mut Shared, now: i64) {
    let ready = |own: &&mut Generation| {
        own.theme_id.is_none() && own.failure.is_none() && now >= own.started + 2 * STEP
    };
    let mut generations = std::mem::take(&mut library.generations);
    for generation in generations.values_mut().filter(ready) {
        let id = shared.id();
        let (title, summary) = words(library, generation);
        let started_on = day_of(generation.started + 2 * STEP);
        library.themes.insert(id, Theme { id, title, summary, started_on, ended_on: None });
        generation.theme_id = Some(id);
    }
    library.generations = generations;
}

/// What the sample worker calls a theme: no model writes here.
fn words(library: &Library, generation: &Generation) -> (String, String) {
    let title_of = |id: i64| library.sources.get(&id).map(|source| source.title.clone());
    let seed = generation.seed.and_then(|id| library.highlights.get(&id));
    match (&generation.intent, seed) {
        (Some(intent), _) => {
            (intent.chars().take(60).collect(), format!("A partir de tu intención: {intent}"))
        }
        (None, Some(seed)) => (
            title_of(seed.source_id).unwrap_or_else(|| "Un subrayado".to_owned()),
            format!("A partir de un subrayado: {}", seed.content),
        ),
        (None, None) => {
            let most = library.sources.keys().max_by_key(|id| library.highlights_of(**id).count());
            let title = most.and_then(|id| title_of(*id)).unwrap_or_else(|| "Tu biblioteca".to_owned());
            (title, "A partir de toda tu biblioteca.".to_owned())
        }
    }
}

/// `get_theme_generation`: where one stands, and the theme once it is there.
pub(super) fn get(call: &mut Call<'_>) -> Result<Done, Fault> {
    let id = call.arguments.id("id")?;
    let library = &*call.library;
    let generation = library.generations.get(&id).ok_or_else(|| Fault::absent("generation", id))?;
    let theme = generation.theme_id.and_then(|id| library.themes.get(&id));
    let theme: Option<Value> = theme.map(|theme| themes::shown(library, theme));
    Ok(json!({
        "id": generation.id,
        "status": status(generation, call.now),
        "intent": generation.intent,
        "seed_highlight_id": generation.seed,
        "started_at": stamp(generation.started),
        "theme": theme,
        "failure_reason": generation.failure,
    })
    .into())
}

fn status(generation: &Generation, now: i64) -> &'static str {
    match generation {
        Generation { failure: Some(_), .. } => "failed",
        Generation { theme_id: Some(_), .. } => "completed",
        _ if now < generation.started + STEP => "pending",
        _ => "processing",
    }
}
