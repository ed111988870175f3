//! Tool name → function.

use super::fault::Fault;
use super::world::{Call, Done};
use super::{generations, highlights, imports, passages, plans, practices, sources, themes, timeline};

/// A tool.
pub(super) type Tool = fn(&mut Call<'_>) -> Result<Done, Fault>;

/// The tool of a name.
pub(super) fn find(name: &str) -> Option<Tool> {
    Some(match name {
        "search_highlights" => highlights::find,
        "list_sources" => sources::list,
        "get_source" => sources::get,
        "get_highlight" => highlights::get,
        "get_import" => imports::get,
        "get_academy_status" => themes::academy,
        "list_themes" => themes::list,
        "get_theme_timeline" => timeline::get,
        "get_theme_generation" => generations::get,
        "list_theme_practices" => practices::list,
        "get_today_practices" => practices::today,
        "get_practice_reflection" => practices::reflection,
        "add_highlights" => passages::add,
        "add_source" => sources::add,
        "start_theme_generation" => generations::start,
        "generate_theme_practices" => plans::generate,
        "complete_theme" => themes::complete,
        "complete_practice" => practices::complete,
        "skip_practice" => practices::skip,
        "log_practice_reflection" => practices::reflect,
        _ => return None,
    })
}
