//! The listener that clients reach: what actix's own server sets up, and one thing it leaves out.
//!
//! `Expect: 100-continue` asks whether a body is wanted before it is sent. A body that is too long by its own account
//! gets its answer at once and no `100`, so that nobody uploads what is thrown away (RFC 9110 §10.1.1).

use std::net::{SocketAddr, TcpListener};
use std::rc::Rc;
use std::time::Duration;

use actix_http::{HttpService, Request};
use actix_service::{IntoServiceFactory as _, Service, ServiceFactory, ServiceFactoryExt as _, map_config};
use actix_web::body::BoxBody;
use actix_web::dev::{AppConfig, Response, Server, ServiceResponse, fn_factory, fn_service};
use actix_web::{App as Actix, web};

use crate::app::App;
use crate::gateway::Gateway;
use crate::http::edge;
use crate::http::strict::announced;
use crate::routes::{self, Routes};

/// Connections in progress get this long when the server stops.
const SHUTDOWN_SECONDS: u64 = 10;
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// A request's head arrives within this.
const HEAD_DEADLINE: Duration = Duration::from_secs(5);
/// A client that still writes when it is refused gets this long to read its answer.
const LINGER: Duration = Duration::from_secs(1);

/// What every request is answered from.
#[derive(Clone)]
pub(super) struct Parts {
    pub app: web::Data<App>,
    pub gateway: web::Data<Gateway>,
    pub routes: web::Data<Routes>,
}

/// A server on a bound port; it answers as soon as it is polled.
pub(super) fn listen(listener: TcpListener, address: SocketAddr, parts: Parts) -> std::io::Result<Server> {
    let builder = Server::build().workers(workers()).shutdown_timeout(SHUTDOWN_SECONDS);
    let stopping = builder.graceful_shutdown_signal();
    let (stops, gateway) = (stopping.clone(), parts.gateway.clone());
    actix_web::rt::spawn(async move {
        stops.notified().await;
        // streams that would go on for ever end now; calls in progress are waited for
        gateway.close();
    });
    let service = move || {
        let stopping = stopping.clone();
        HttpService::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .keep_alive(KEEP_ALIVE)
            .client_request_timeout(HEAD_DEADLINE)
            .client_disconnect_timeout(LINGER)
            // who leaves closes the connection, and a call that may be cancelled ends with it, not at its next event
            .h1_allow_half_closed(false)
            .local_addr(address)
            .expect(expectations(parts.clone()))
            .finish(site(parts.clone()))
            .tcp_auto_h2c()
    };
    Ok(builder.listen("edge", listener, service)?.run())
}

/// A thread a core, and one core for what works beside them: the database's threads, password checks, the log. On
/// small machines fewer threads that each serve more connections cost less a request than many that mostly wait.
fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1).max(1))
}

fn site(
    parts: Parts,
) -> impl ServiceFactory<
    Request,
    Config = (),
    Response = ServiceResponse<BoxBody>,
    Error = Response<BoxBody>,
    InitError = (),
    Service = impl Service<Request, Response = ServiceResponse<BoxBody>, Error = Response<BoxBody>>,
> + 'static {
    let site = Actix::new()
        .app_data(parts.app)
        .app_data(parts.gateway)
        .app_data(parts.routes)
        .default_service(web::to(routes::dispatch))
        .into_factory()
        .map_err(|error: actix_web::Error| error.error_response().into());
    map_config(site, |()| AppConfig::default())
}

/// Answers those whose body is not wanted as if they had sent it, by the same table: who they are comes first.
fn expectations(
    parts: Parts,
) -> impl ServiceFactory<Request, Config = (), Response = Request, Error = Response<BoxBody>, InitError = ()>
+ 'static {
    let site = Rc::new(site(parts.clone()));
    fn_factory(move || {
        let (site, parts) = (Rc::clone(&site), parts.clone());
        async move {
            let site = Rc::new(site.new_service(()).await?);
            Ok(fn_service(move |request: Request| {
                let (site, wanted) = (Rc::clone(&site), wanted(&parts, &request));
                async move {
                    if wanted {
                        return Ok(request);
                    }
                    Err(site.call(request).await.map_or_else(|refusal| refusal, Into::into))
                }
            }))
        }
    })
}

fn wanted(parts: &Parts, request: &Request) -> bool {
    let head = request.head();
    let limit = edge::named(head).and_then(|host| parts.routes.body_limit(&parts.app, host, head.uri.path()));
    announced(&head.headers).is_none_or(|length| length <= limit.unwrap_or(0))
}
