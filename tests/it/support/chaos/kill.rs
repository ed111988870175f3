//! R4: `kill -9` of the server at any moment of a flow, with a client that asks again once the server is back.
//!
//! A flow is what a client does with a server, a step a request. Each run kills the server once, at a step and a
//! moment drawn from its seed: before the request has arrived, while it is worked on, after it was answered; every
//! fourth time once more while the server is starting again. Then:
//!
//! - what was answered holds: ids, pages, codes, every access token, the last refresh token, a revocation;
//! - a request whose answer was lost may be repeated; only a code may have been used up by it (its answer cannot be
//!   given twice), and then a new consent helps;
//! - nothing in the database is half done.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;

use super::{Row, broken};
use crate::support::callers::Pat;
use crate::support::flow::{REDIRECT, VERIFIER, form_with};
use crate::support::http::{agent, encoded, query_value, try_request};
use crate::support::{Nodes, Reply, Stopwatch};

/// The steps of a flow, in order.
const STEPS: [&str; 10] = [
    "register",
    "authorize",
    "decide",
    "token",
    "call",
    "refresh",
    "call again",
    "refresh again",
    "last call",
    "revoke",
];
/// A client that has waited this long for its server gives up.
const PATIENCE: Duration = Duration::from_secs(30);
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const JSON: (&str, &str) = ("content-type", "application/json");

/// Kills the server `kills` times, each in a flow of its own; `seed` and the number of the flow are what it is drawn
/// from.
pub fn kills(nodes: &Nodes, kills: u64, seed: u64) -> Row {
    let mut row = Row::new("R4", &format!("kill -9 in a flow, {kills} times"));
    let pat = nodes.pat(&nodes.person("flow"), &[]);
    let lengths = lengths(nodes, &pat, &mut row);
    let (mut lost, mut repeated, mut again) = (0, 0, 0);
    for number in 0..kills {
        let plan = Plan::draw(seed.wrapping_add(number), &lengths);
        let flow =
            Flow { nodes, pat: &pat, plan: Some(plan), lost: AtomicU32::new(0), again: AtomicU32::new(0) };
        let faults = std::thread::scope(|scope| scope.spawn(|| flow.run_once()).join());
        let faults = faults.unwrap_or_else(|_| vec!["the flow broke off".to_owned()]);
        let at = format!("seed {} ({plan})", seed.wrapping_add(number));
        row.faults.extend(faults.into_iter().chain(broken(nodes)).map(|fault| format!("{at}: {fault}")));
        lost += u32::from(flow.lost.load(Ordering::Relaxed) > 0);
        repeated += flow.lost.load(Ordering::Relaxed);
        again += flow.again.load(Ordering::Relaxed);
    }
    row.counts = format!(
        "seed {seed}: {kills} kills, {lost} flows lost an answer ({repeated} requests repeated, {again} consents again), \
         {} broken",
        row.faults.len()
    );
    row
}

/// How long each step takes undisturbed: the moments of the kills are drawn from that.
fn lengths(nodes: &Nodes, pat: &Pat, row: &mut Row) -> Vec<Duration> {
    let flow = Flow { nodes, pat, plan: None, lost: AtomicU32::new(0), again: AtomicU32::new(0) };
    // The first one warms the server.
    row.faults.extend(flow.run_once());
    let mut client = Client::new(&flow);
    row.faults.extend(client.run());
    row.check(client.took.len() == STEPS.len(), || format!("{} steps", client.took.len()));
    client.took
}

/// When the server is killed.
#[derive(Clone, Copy, Debug)]
struct Plan {
    step: usize,
    after: Duration,
    /// And once more, this long after it was started again.
    twice: Option<Duration>,
}

impl Plan {
    fn draw(seed: u64, lengths: &[Duration]) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let step = random.random_range(0..STEPS.len());
        // A little longer than the step, so that some kills find the answer given.
        let length = lengths.get(step).map_or(Duration::from_millis(1), |length| *length * 5 / 4);
        let after = length.mul_f64(random.random_range(0.0..1.0));
        let twice = random.random_bool(0.25).then(|| Duration::from_millis(random.random_range(0..80)));
        Self { step, after, twice }
    }
}

impl std::fmt::Display for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "killed {:?} into `{}`", self.after, STEPS[self.step])?;
        self.twice.map_or(Ok(()), |after| write!(f, " and {after:?} into the start"))
    }
}

struct Flow<'a> {
    nodes: &'a Nodes,
    pat: &'a Pat,
    plan: Option<Plan>,
    lost: AtomicU32,
    again: AtomicU32,
}

impl Flow<'_> {
    fn run_once(&self) -> Vec<String> {
        Client::new(self).run()
    }
}

/// A client, with all it was ever given.
struct Client<'a> {
    flow: &'a Flow<'a>,
    agent: ureq::Agent,
    access: Vec<String>,
    refresh: String,
    faults: Vec<String>,
    took: Vec<Duration>,
}

/// An answer, and whether an earlier try of the same request went without one.
struct Answer {
    reply: Reply,
    repeated: bool,
}

impl<'a> Client<'a> {
    fn new(flow: &'a Flow<'a>) -> Self {
        let (access, refresh, faults, took) = (Vec::new(), String::new(), Vec::new(), Vec::new());
        Self { flow, agent: agent(), access, refresh, faults, took }
    }

    fn run(&mut self) -> Vec<String> {
        let nodes = self.flow.nodes;
        let id = self.register();
        self.connect(&id);
        self.call();
        self.renew(&id);
        self.call();
        self.renew(&id);
        self.call();
        // Everything that was ever answered works, also after the last kill.
        for token in self.access.clone() {
            self.works(&token);
        }
        let revoked = self.step("revoke", |client| {
            let form = [("token", client.refresh.as_str()), ("client_id", id.as_str())];
            client.ask("POST", &format!("{}/revoke", nodes.issuer), &[FORM], Some(&encoded(&form)))
        });
        self.expect(revoked.reply.status == 200, || format!("revoke: {:?}", revoked.reply));
        let dead = self.ask_token(&[
            ("grant_type", "refresh_token"),
            ("refresh_token", &self.refresh),
            ("client_id", &id),
        ]);
        self.expect(dead.reply.status == 400, || format!("refresh after the revocation: {:?}", dead.reply));
        for token in self.access.clone() {
            let reply = self.ask_call(&token).reply;
            self.expect(reply.status == 401, || format!("call after the revocation: {reply:?}"));
        }
        std::mem::take(&mut self.faults)
    }

    fn expect(&mut self, right: bool, fault: impl FnOnce() -> String) {
        if !right {
            self.faults.push(fault());
        }
    }

    /// One step of the flow: kills the server during it if that is the plan.
    fn step<T>(&mut self, name: &str, work: impl FnOnce(&mut Self) -> T) -> T {
        let number = self.took.len();
        // A consent that had to be given again is no new step.
        if STEPS.get(number) != Some(&name) {
            return work(self);
        }
        let began = Stopwatch::start();
        let nodes = self.flow.nodes;
        let done = std::thread::scope(|scope| {
            if let Some(plan) = self.flow.plan.filter(|plan| plan.step == number) {
                scope.spawn(move || {
                    std::thread::sleep(plan.after);
                    nodes.kill(0);
                    nodes.begin(0);
                    if let Some(after) = plan.twice {
                        std::thread::sleep(after);
                        nodes.kill(0);
                        nodes.begin(0);
                    }
                    nodes.ready(0);
                });
            }
            work(self)
        });
        self.took.push(began.elapsed());
        done
    }

    /// Asks until there is an answer: a server that is gone, or in trouble, is asked again.
    fn ask(&self, method: &str, url: &str, headers: &[(&str, &str)], body: Option<&str>) -> Answer {
        let began = Stopwatch::start();
        let mut repeated = false;
        loop {
            match try_request(&self.agent, method, url, headers, body) {
                Ok(reply) if reply.status < 500 => return Answer { reply, repeated },
                _ if began.elapsed() > PATIENCE => panic!("{method} {url} is not answered"),
                _ => {}
            }
            repeated = true;
            self.flow.lost.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn ask_token(&self, form: &[(&str, &str)]) -> Answer {
        self.ask("POST", &format!("{}/token", self.flow.nodes.issuer), &[FORM], Some(&encoded(form)))
    }

    fn ask_call(&self, token: &str) -> Answer {
        let bearer = format!("Bearer {token}");
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "list_meetings", "arguments": {}}});
        let headers = [JSON, ("accept", "application/json, text/event-stream"), ("authorization", &bearer)];
        self.ask("POST", &self.flow.nodes.resource, &headers, Some(&body.to_string()))
    }

    /// The id, which stays the same however often it is asked for.
    fn register(&mut self) -> String {
        let body = json!({"client_name": "killed", "redirect_uris": [REDIRECT]}).to_string();
        let url = format!("{}/register", self.flow.nodes.issuer);
        let first = self.step("register", |client| client.ask("POST", &url, &[JSON], Some(&body)).reply);
        let again = self.ask("POST", &url, &[JSON], Some(&body)).reply;
        for reply in [&first, &again] {
            self.expect(reply.status == 201, || format!("register: {reply:?}"));
        }
        let (id, again) = (&first.json()["client_id"], &again.json()["client_id"]);
        self.expect(id == again, || format!("the id {id} became {again}"));
        id.as_str().unwrap().to_owned()
    }

    /// Consent and its code, once more if their answer was lost.
    fn connect(&mut self, id: &str) {
        loop {
            let Some(code) = self.consent(id) else { continue };
            let form = [
                ("grant_type", "authorization_code"),
                ("code", code.as_str()),
                ("code_verifier", VERIFIER),
                ("client_id", id),
                ("redirect_uri", REDIRECT),
            ];
            let answer = self.step("token", |client| client.ask_token(&form));
            if answer.reply.status == 200 {
                return self.keep(&answer.reply);
            }
            self.expect(answer.repeated, || format!("an answered code is refused: {:?}", answer.reply));
            self.expect(answer.reply.json()["error"] == "invalid_grant", || format!("{:?}", answer.reply));
            self.flow.again.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn consent(&mut self, id: &str) -> Option<String> {
        let nodes = self.flow.nodes;
        let url = nodes.authorize_url(id, &[]);
        let page = self.step("authorize", |client| client.ask("GET", &url, &[], None).reply);
        self.expect(page.status == 200, || format!("authorize: {page:?}"));
        let form = form_with(&page, "personal_access_token")
            .set("personal_access_token", &self.flow.pat.token)
            .set("decision", "allow");
        let cookies = page.cookies();
        let headers = [FORM, ("cookie", cookies.as_str()), ("origin", nodes.base.as_str())];
        let (action, body) = (nodes.absolute(&form.action), encoded(&form.pairs()));
        let answer = self.step("decide", |client| client.ask("POST", &action, &headers, Some(&body)));
        if answer.reply.status == 303 {
            return query_value(answer.reply.header("location").unwrap(), "code");
        }
        // Decided already, by the try whose answer was lost.
        let fine = answer.repeated && answer.reply.status == 409;
        self.expect(fine, || format!("an answered page is refused: {:?}", answer.reply));
        assert!(fine, "no way on");
        self.flow.again.fetch_add(1, Ordering::Relaxed);
        None
    }

    fn keep(&mut self, reply: &Reply) {
        let body = reply.json();
        self.access.push(body["access_token"].as_str().unwrap().to_owned());
        body["refresh_token"].as_str().unwrap().clone_into(&mut self.refresh);
    }

    /// A refresh is answered however often its answer was lost.
    fn renew(&mut self, id: &str) {
        let name = STEPS[self.took.len().min(STEPS.len() - 1)];
        let refresh = self.refresh.clone();
        let form = [("grant_type", "refresh_token"), ("refresh_token", refresh.as_str()), ("client_id", id)];
        let answer = self.step(name, |client| client.ask_token(&form));
        self.expect(answer.reply.status == 200, || format!("refresh: {:?}", answer.reply));
        self.keep(&answer.reply);
    }

    fn call(&mut self) {
        let name = STEPS[self.took.len().min(STEPS.len() - 1)];
        let token = self.access.last().unwrap().clone();
        let reply = self.step(name, |client| client.ask_call(&token).reply);
        self.expect(reply.status == 200, || format!("call: {reply:?}"));
    }

    fn works(&mut self, token: &str) {
        let reply = self.ask_call(token).reply;
        self.expect(reply.status == 200, || format!("a token that was given out: {reply:?}"));
    }
}
