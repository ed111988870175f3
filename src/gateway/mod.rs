//! The MCP endpoint: the life of a call on one screen.
//!
//! ```text
//! Received → Authenticated → Resolved → Entitled → Admitted → Permitted → Claimed → sent
//! ```
//!
//! Each step is a file, takes the stage before it and gives the next; what was not permitted cannot be sent,
//! because it would not compile. The order of answers is part of the contract: origin, who, method, plan,
//! `Accept` and media type, length, message, tool.

mod accept;
mod answer;
mod authenticate;
mod batch;
mod body;
mod build;
mod call;
mod catalog;
mod challenge;
mod cors;
mod credits;
pub mod descriptors;
mod dispatch;
mod entitle;
pub mod explain;
mod external;
mod idempotency;
mod library;
mod load;
mod merge;
mod methods;
mod names;
pub mod openapi;
mod origin;
mod policy;
mod probe;
mod prove;
mod rate;
mod receive;
mod refusal;
mod relay;
mod render;
mod resolve;
mod rest;
mod service;
#[cfg(test)]
mod tests;
mod trace;
mod unsupported;
mod validate;
mod verify;
mod words;

use actix_web::http::{Method, header};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse, web};
use bytes::Bytes;

pub use authenticate::known;
pub use catalog::Catalog;
pub use rest::check::of_config as check_documents;
pub use service::{Gateway, Service, Tool, Upstream};
pub use verify::verify;
pub use {external::keep_keys, load::keep_fresh};

use answer::Answer;
use call::{Authenticated, Cx, Frame};
use library::{prompts, read, resources};
use refusal::Reason;

use crate::app::App;
use crate::http::record::Record;
use crate::mcp::method::Method as Rpc;

/// Answers everything that comes to a service's resource, whatever the method.
pub async fn handle(
    app: web::Data<App>,
    gateway: web::Data<Gateway>,
    service: web::Data<Service>,
    request: HttpRequest,
    payload: web::Payload,
) -> HttpResponse {
    let cx = Cx { app: &app, gateway: &gateway, service: &service, request: &request };
    let (origins, headers) = (&gateway.origins, request.headers());
    // Every one of them: what a second reader takes for the origin must be allowed as well.
    if !headers.get_all(header::ORIGIN).all(|origin| origins.allows(Some(origin))) {
        let frame = Frame::blank(cx);
        return finish(cx, &frame, render::refuse(cx, &frame, &Reason::Origin));
    }
    if request.method() == Method::OPTIONS {
        return cors::preflight(origins, headers);
    }
    let mut response = life(cx, payload).await;
    cors::expose(origins, headers, response.headers_mut());
    response
}

async fn life(cx: Cx<'_>, mut payload: web::Payload) -> HttpResponse {
    let mut frame = Frame::blank(cx);
    let caller = match authenticate::caller(cx).await {
        Ok(caller) => caller,
        Err(reason) => {
            body::drain(cx.request, &mut payload, cx.gateway.body_limit).await;
            return finish(cx, &frame, render::refuse(cx, &frame, &reason));
        }
    };
    frame.kind = caller.caller().kind();
    let admitted = receive::method(cx)
        .and_then(|()| entitle::service(cx, &caller))
        .and_then(|()| receive::negotiate(cx));
    // read also for a refusal: its answer echoes the id, and a client that still writes would miss it
    let body = match admitted {
        Err(Reason::Method) => Ok(Bytes::new()),
        _ => body::read(cx.request, payload, cx.gateway.body_limit).await,
    };
    let outcome = match (admitted, &body) {
        (Err(reason), body) => {
            resolve::peek(body.as_deref().unwrap_or_default(), &mut frame);
            Err(reason)
        }
        (Ok(_), Err(reason)) => Err(reason.clone()),
        (Ok(accepted), Ok(body)) => {
            frame.accepted = accepted;
            if batch::is_taken(cx, body) {
                Box::pin(batch::answer(cx, &caller, body)).await
            } else {
                converse(cx, &caller, body, &mut frame).await
            }
        }
    };
    let answer = outcome.unwrap_or_else(|reason| render::refuse(cx, &frame, &reason));
    finish(cx, &frame, answer)
}

async fn converse<'b>(
    cx: Cx<'_>,
    caller: &Authenticated<'_>,
    body: &'b Bytes,
    frame: &mut Frame<'b>,
) -> Result<Answer, Reason> {
    let resolved = resolve::resolve(cx, body, frame)?;
    rate::message(cx, caller, resolved.as_ref().map(|resolved| resolved.method))?;
    let Some(resolved) = resolved else { return Ok(Answer::accepted()) };
    match resolved.method {
        Rpc::Initialize => Ok(methods::initialize(cx, &resolved)),
        Rpc::Discover => Ok(methods::discover(cx, &resolved)),
        Rpc::Ping => Ok(methods::ping(cx, &resolved)),
        Rpc::ToolsList => methods::tools_list(cx, caller, &resolved),
        Rpc::ToolsCall => {
            let entitled = entitle::tool(cx, caller, resolved, frame)?;
            let admitted = rate::admit(cx, caller, entitled)?;
            let permitted = policy::permit(cx, admitted, body)?;
            let claimed = idempotency::turn(cx, caller, permitted).await?;
            dispatch::send(cx, caller, claimed, frame).await
        }
        Rpc::ResourcesList => resources::list(cx, caller, &resolved).await,
        Rpc::ResourceTemplatesList => resources::templates(cx, caller, &resolved),
        Rpc::ResourcesRead => read::read(cx, caller, &resolved).await,
        Rpc::PromptsList => prompts::list(cx, caller, &resolved),
        Rpc::PromptsGet => prompts::get(cx, caller, &resolved, body).await,
        Rpc::SubscriptionsListen | Rpc::Other => Err(Reason::NoMethod),
    }
}

fn finish(cx: Cx<'_>, frame: &Frame<'_>, answer: Answer) -> HttpResponse {
    cx.request.extensions_mut().insert(Record {
        service: Some(cx.service.policy.id.clone()),
        tool: frame.tool.as_ref().map(|tool| tool.name.clone()),
        decision: answer.decision,
    });
    answer.into_response(frame.accepted)
}
