//! The three generic tools: last in the whole catalog, in this order.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::catalog::{Made, Maker};
use super::super::merge;
use super::super::service::{Outline, Route, Source, Tool, Upstream};
use super::operations::{call_name, describe_name, search_name};
use super::{Generic, Operations};
use crate::config::Language;
use crate::domain::scope::ScopeSet;
use crate::domain::tool::ToolPolicy;
use crate::mcp::tool::{self, Descriptor};

/// So many operations are told at once, and so many if nobody says how many.
pub const MOST_FOUND: usize = 50;
pub const USUALLY_FOUND: usize = 10;
/// A query is no longer than this.
pub const MAX_QUERY: usize = 400;

/// Operations, and the tools that reach them.
pub type Reaching = (Arc<Operations>, Vec<Tool>);

impl Maker<'_> {
    /// The generic tools of every API that is to have some.
    ///
    /// # Errors
    /// A descriptor that policy makes unusable.
    pub fn generic(&self) -> Result<Vec<Reaching>, String> {
        let mut all = Vec::new();
        for upstream in &self.service.upstreams {
            let Source::Rest(api) = &upstream.source else { continue };
            let Some(prefix) = &api.generic else { continue };
            let operations = Arc::new(self.operations(upstream, api, prefix));
            let routes = [
                (search(prefix, self.language), Generic::Search(Arc::clone(&operations))),
                (describe(prefix, self.language), Generic::Describe(Arc::clone(&operations))),
                (call(prefix, self.language), Generic::Call(Arc::clone(&operations))),
            ];
            let tools = routes.into_iter().map(|(seen, route)| self.one(upstream, &seen, route));
            all.push((operations, tools.collect::<Result<_, String>>()?));
        }
        Ok(all)
    }

    fn one(&self, upstream: &Upstream, seen: &Value, route: Generic) -> Result<Tool, String> {
        let read = tool::parse_catalog(Value::Array(vec![seen.clone()]).to_string().as_bytes());
        let seen: Descriptor = read.map_err(|fault| fault.to_string())?.pop().ok_or("no descriptor")?;
        let mut own = merge::merged(&self.service.policies, &seen.name).unwrap_or_default();
        let calls = matches!(route, Generic::Call(_));
        if calls {
            // what is asked of a call is the operation's to ask
            own.confirm = None;
        }
        // Nothing is shown or done here that the operations' own policies do not allow, so nothing is asked twice.
        let policy = ToolPolicy {
            scopes: own.scopes.iter().flatten().map(String::as_str).collect::<ScopeSet>(),
            ..self.policy(&own, true, false)
        };
        let policy = ToolPolicy { read_only: true, ..policy };
        let (listed, locked) = self.descriptors(&own, &policy, &seen);
        let message = own.confirm_message.as_ref().map(|text| text.get(self.language)).unwrap_or_default();
        let made = Made {
            name: &seen.name,
            policy,
            route: Route::Generic(route),
            structured: own.structured.unwrap_or_default(),
            message: message.to_owned(),
            headers: http::HeaderMap::new(),
        };
        let arguments = self.schema(&seen)?.filter(|_| !calls);
        Ok(Tool { listed, locked, arguments, outline: Outline::of(&seen), ..self.bare(upstream, &own, made) })
    }
}

fn search(prefix: &str, language: Language) -> Value {
    let (title, description, query, limit) = match language {
        Language::En => (
            "Find operations of the API",
            format!(
                "Finds operations of the API by what they do, in English or Spanish, for whatever no other tool does. \
                 Then {} says how one is called, and {} calls it.",
                describe_name(prefix),
                call_name(prefix)
            ),
            "What it should do, in a few words; or an operation's id, or a method and path such as \"GET /invoices\".",
            "How many to show at most.",
        ),
        Language::Es => (
            "Buscar operaciones de la API",
            format!(
                "Busca operaciones de la API por lo que hacen, en español o inglés, para lo que ninguna otra herramienta \
                 hace. Después {} dice cómo se llama a una, y {} la llama.",
                describe_name(prefix),
                call_name(prefix)
            ),
            "Lo que debe hacer, en pocas palabras; o el id de una operación, o método y ruta como \"GET /invoices\".",
            "Cuántas mostrar como máximo.",
        ),
    };
    json!({
        "name": search_name(prefix), "title": title, "description": description,
        "inputSchema": {"type": "object", "additionalProperties": false, "required": ["query"], "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": MAX_QUERY, "description": query},
            "limit": {"type": "integer", "minimum": 1, "maximum": MOST_FOUND, "default": USUALLY_FOUND, "description": limit},
        }},
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
    })
}

fn operation(language: Language) -> Value {
    let description = match language {
        Language::En => "The operation's id, as the search gives it.",
        Language::Es => "El id de la operación, tal como lo da la búsqueda.",
    };
    json!({"type": "string", "minLength": 1, "description": description})
}

fn describe(prefix: &str, language: Language) -> Value {
    let (title, description) = match language {
        Language::En => (
            "Describe an operation of the API",
            "Shows what an operation takes, the permission that it needs, whether a person has to confirm it, and an example.",
        ),
        Language::Es => (
            "Describir una operación de la API",
            "Muestra qué recibe una operación, qué permiso necesita, si una persona debe confirmarla, y un ejemplo.",
        ),
    };
    json!({
        "name": describe_name(prefix), "title": title, "description": description,
        "inputSchema": {"type": "object", "additionalProperties": false, "required": ["operation"],
            "properties": {"operation": operation(language)}},
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
    })
}

fn call(prefix: &str, language: Language) -> Value {
    let (title, description, arguments, confirm, intent) = match language {
        Language::En => (
            "Call an operation of the API",
            format!(
                "Calls an operation that {} has found, with the arguments that {} shows. What deletes has to be confirmed \
                 with the person first.",
                search_name(prefix),
                describe_name(prefix)
            ),
            "The operation's arguments.",
            "True once the person has confirmed this call, where the operation asks for that.",
            "What the person wants, in their own words, where the operation asks for that.",
        ),
        Language::Es => (
            "Llamar a una operación de la API",
            format!(
                "Llama a una operación que {} ha encontrado, con los argumentos que muestra {}. Lo que borra hay que \
                 confirmarlo antes con la persona.",
                search_name(prefix),
                describe_name(prefix)
            ),
            "Los argumentos de la operación.",
            "True cuando la persona ha confirmado esta llamada, si la operación lo pide.",
            "Lo que la persona quiere, con sus palabras, si la operación lo pide.",
        ),
    };
    json!({
        "name": call_name(prefix), "title": title, "description": description,
        "inputSchema": {"type": "object", "additionalProperties": false, "required": ["operation"], "properties": {
            "operation": operation(language),
            "arguments": {"type": "object", "description": arguments},
            "confirm": {"type": "boolean", "description": confirm},
            "user_intent": {"type": "string", "minLength": 1, "maxLength": 500, "description": intent},
        }},
        "annotations": {"readOnlyHint": false, "destructiveHint": true, "openWorldHint": true},
    })
}
