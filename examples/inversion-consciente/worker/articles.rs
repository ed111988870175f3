//! The tools that anybody may use: what was published, newest first.

use serde_json::{Value, json};

use super::arguments::{limit, optional, required};
use super::data::{Article, CATEGORIES, World};
use super::fault::Fault;
use super::text::fold;
use super::tools::Asked;

/// `list_articles`: 20 unless told, 50 at most.
pub(super) fn list(world: &World, asked: &Asked<'_>) -> Result<Value, Fault> {
    let category = optional(asked.arguments, "category")?;
    if let Some(name) = category.filter(|name| !CATEGORIES.contains(name)) {
        return Err(Fault::NoCategory(name.to_owned()));
    }
    let found = world.published().filter(|article| category.is_none_or(|name| article.category == name));
    Ok(heads(found, limit(asked.arguments, 20, 50)))
}

/// `get_article`: all of it.
pub(super) fn get(world: &World, asked: &Asked<'_>) -> Result<Value, Fault> {
    let slug = required(asked.arguments, "slug")?;
    let article = world
        .published()
        .find(|article| article.slug == slug)
        .ok_or_else(|| Fault::NoArticle(slug.chars().take(200).collect()))?;
    let mut whole = head(article);
    if let Some(members) = whole.as_object_mut() {
        members.insert("body_markdown".to_owned(), article.body_markdown.as_str().into());
    }
    Ok(whole)
}

/// `search_articles`: headline and standfirst, not the body; 10 unless told, 30 at most.
pub(super) fn search(world: &World, asked: &Asked<'_>) -> Result<Value, Fault> {
    let query = fold(required(asked.arguments, "query")?.trim());
    if query.chars().count() < 2 {
        return Err(Fault::TooShort);
    }
    let found = world.published().filter(|article| {
        [&article.headline, &article.standfirst].into_iter().any(|text| fold(text).contains(&query))
    });
    Ok(heads(found, limit(asked.arguments, 10, 30)))
}

fn heads<'a>(found: impl Iterator<Item = &'a Article>, most: usize) -> Value {
    found.take(most).map(head).collect()
}

/// What a list shows of an article.
fn head(article: &Article) -> Value {
    json!({
        "slug": article.slug,
        "headline": article.headline,
        "standfirst": article.standfirst,
        "category": article.category,
        "published_at": article.published_at,
    })
}
