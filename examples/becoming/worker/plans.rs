//! `generate_theme_practices`: a week of daily practices for a theme.

use serde_json::{Value, json};

use super::fault::{Fault, conflict};
use super::practices::shown;
use super::themes::named;
use super::time::{day_of, days_after};
use super::world::{Call, Done, Practice, Template};

/// The days that are planned.
const DAYS: i64 = 7;

pub(super) fn generate(call: &mut Call<'_>) -> Result<Done, Fault> {
    let arguments = call.arguments;
    let theme = named(call)?;
    let id = theme.id;
    let context = arguments.word("context", &["work", "personal", "both"])?;
    let context = context.ok_or_else(|| super::arguments::missing("context"))?;
    let mix = arguments.word("mix", &["act", "reflect", "balanced"])?;
    let mix = mix.ok_or_else(|| super::arguments::missing("mix"))?;
    if theme.ended_on.is_some() {
        return conflict(format!("theme {id} is past"));
    }
    let today = day_of(call.now);
    let open = |practice: &&Practice| practice.day >= today && practice.status == "pending";
    let left = call.library.practices_of(id).into_iter().filter(open).count();
    if left > 0 {
        return conflict(format!("theme {id} has {left} practices from today on already"));
    }
    let templates: Vec<Template> = call.shared.templates.clone();
    let made: Vec<i64> = (0..DAYS)
        .filter_map(|day| {
            let template = choose(&templates, context, mix, day)?;
            let practice = Practice {
                id: call.shared.id(),
                theme_id: id,
                day: days_after(today, day),
                reflects: template.kind == "reflect",
                title: template.title.clone(),
                instructions: template.instructions.clone(),
                status: "pending",
            };
            let own = practice.id;
            call.library.practices.insert(own, practice);
            Some(own)
        })
        .collect();
    let library = &*call.library;
    let practices: Vec<Value> =
        made.iter().filter_map(|own| Some(shown(library, library.practices.get(own)?))).collect();
    Ok(json!({ "theme_id": id, "context": context, "mix": mix, "practices": practices }).into())
}

/// The template of a day: those that fit take turns.
fn choose<'a>(templates: &'a [Template], context: &str, mix: &str, day: i64) -> Option<&'a Template> {
    let kind = match mix {
        "balanced" if day % 2 == 0 => "act",
        "balanced" => "reflect",
        kind => kind,
    };
    let fits =
        |template: &&Template| template.kind == kind && (context == "both" || template.context == context);
    let turn = if mix == "balanced" { day / 2 } else { day };
    templates.iter().filter(fits).cycle().nth(usize::try_from(turn).ok()?)
}
