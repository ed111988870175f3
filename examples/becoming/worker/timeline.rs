//! `get_theme_timeline`: a week of a theme's practices, three days to either side of one.

use serde_json::{Value, json};

use super::fault::Fault;
use super::practices::shown;
use super::themes::named;
use super::time::{day_of, days_after};
use super::world::{Call, Done};

/// The days before the one that was asked about, and after it.
const ASIDE: i64 = 3;

pub(super) fn get(call: &mut Call<'_>) -> Result<Done, Fault> {
    let theme = named(call)?;
    let middle = call.arguments.day("date")?.unwrap_or_else(|| day_of(call.now));
    let practices = call.library.practices_of(theme.id);
    let days: Vec<Value> = (-ASIDE..=ASIDE)
        .map(|aside| {
            let day = days_after(middle, aside);
            let own = practices.iter().filter(|practice| practice.day == day);
            let own: Vec<Value> = own.map(|practice| shown(call.library, practice)).collect();
            json!({ "date": day.to_string(), "practices": own })
        })
        .collect();
    Ok(json!({
        "theme": { "id": theme.id, "title": theme.title },
        "date": middle.to_string(),
        "from": days_after(middle, -ASIDE).to_string(),
        "to": days_after(middle, ASIDE).to_string(),
        "days": days,
    })
    .into())
}
