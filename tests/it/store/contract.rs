//! What every database has to do, method by method.

use std::time::Duration;

use portero::domain::change::ChangeKind;
use portero::domain::client::{AuthMethod, Client, ClientKind, ClientMetadata};
use portero::domain::clock::Clock;
use portero::domain::grant::{EndReason, Grant};
use portero::domain::ids::{
    BrandId, ClientId, GrantId, PatId, PlanId, ServiceId, TransactionId, UserId, WorkspaceId,
};
use portero::domain::pat::{Mode, Pat};
use portero::domain::scope::ScopeSet;
use portero::domain::secret::Digest;
use portero::domain::user::User;
use portero::domain::verified::TokenKind;
use portero::domain::workspace::{Workspace, WorkspaceStatus};
use portero::store::codes::Code;
use portero::store::sessions::Session;
use portero::store::tokens::NewAccess;
use portero::store::transactions::Transaction;
use portero::store::{StoreError, Tx};

use super::World;

/// Runs one transaction that must succeed.
macro_rules! tx {
    ($world:expr, |$tx:ident| $body:expr) => {
        $world.store.transaction(async |$tx: &mut Tx| Ok::<_, StoreError>($body)).await.unwrap()
    };
}

fn user(world: &World, id: &str) -> User {
    User {
        id: UserId::from(id),
        email: format!("{id}@Example.com"),
        name: id.to_owned(),
        external_id: Some(format!("ext-{id}")),
        epoch: 1,
        locked_at: None,
        created_at: world.clock.now(),
    }
}

fn workspace(world: &World, id: &str, of: &str) -> Workspace {
    Workspace {
        id: WorkspaceId::from(id),
        name: id.to_owned(),
        personal_of: Some(UserId::from(of)),
        plan: Some(PlanId::from("flow")),
        status: WorkspaceStatus::Active,
        created_at: world.clock.now(),
    }
}

pub fn client(world: &World, id: &str) -> Client {
    Client {
        id: ClientId::from(id),
        kind: ClientKind::Dynamic,
        metadata: ClientMetadata {
            redirect_uris: vec!["http://localhost/cb".to_owned()],
            client_name: Some("Agent".to_owned()),
            client_uri: None,
            token_endpoint_auth_method: AuthMethod::None,
            grant_types: vec!["authorization_code".to_owned()],
            response_types: vec!["code".to_owned()],
            scope: None,
            application_type: None,
            software_id: None,
            software_version: None,
        },
        secret_hash: None,
        epoch: 1,
        disabled_at: None,
        created_at: world.clock.now(),
        last_granted_at: None,
    }
}

fn pat(world: &World, id: &str) -> Pat {
    Pat {
        id: PatId::from(id),
        user: UserId::from("ana"),
        workspace: WorkspaceId::from("w-ana"),
        brand: BrandId::from("mico"),
        name: "laptop".to_owned(),
        scopes: ScopeSet::parse("a b"),
        mode: Mode::Live,
        hint: "mico_pat_…abcd".to_owned(),
        created_at: world.clock.now(),
        expires_at: None,
        last_used_at: None,
        ended_at: None,
    }
}

fn grant(world: &World, id: &str, pat: Option<&str>) -> Grant {
    Grant {
        id: GrantId::from(id),
        user: UserId::from("ana"),
        workspace: WorkspaceId::from("w-ana"),
        client: ClientId::from("agent"),
        service: ServiceId::from("mico"),
        brand: BrandId::from("mico"),
        scopes: ScopeSet::parse("b c"),
        pat: pat.map(PatId::from),
        mode: Mode::Live,
        created_at: world.clock.now(),
        expires_at: world.clock.now().plus(Duration::from_hours(1000)),
        last_used_at: None,
        ended_at: None,
        ended_reason: None,
    }
}

pub async fn everything(world: &World) {
    people(world).await;
    clients(world).await;
    personal_access_tokens(world).await;
    families(world).await;
    codes_and_requests(world).await;
    sessions(world).await;
    changes_and_rollback(world).await;
    endings(world).await;
    assert!(world.store.migrations().await.unwrap().iter().all(|migration| migration.applied));
}

async fn people(world: &World) {
    let ana = user(world, "ana");
    tx!(world, |tx| {
        tx.insert_user(&ana, Some("hash")).await?;
        tx.insert_workspace(&workspace(world, "w-ana", "ana")).await?;
        assert!(tx.join(&ana.id, &WorkspaceId::from("w-ana")).await?);
        assert!(!tx.join(&ana.id, &WorkspaceId::from("w-ana")).await?, "already");
    });
    let store = &world.store;
    assert_eq!(store.user(&ana.id).await.unwrap(), Some(ana.clone()));
    assert_eq!(store.user_by_email(" ANA@example.COM ").await.unwrap(), Some(ana.clone()));
    assert_eq!(store.user_by_email("nobody@example.com").await.unwrap(), None);
    assert_eq!(store.password_hash(&ana.id).await.unwrap().as_deref(), Some("hash"));
    let taken = User { id: UserId::from("other"), external_id: None, ..ana.clone() };
    let conflict = store.transaction(async |tx: &mut Tx| tx.insert_user(&taken, None).await).await;
    assert!(matches!(conflict, Err(StoreError::Conflict)), "{conflict:?}");
    assert_eq!(store.users().await.unwrap().len(), 1, "nothing of the failed transaction stays");
    assert_eq!(store.workspaces_of(&ana.id).await.unwrap().len(), 1);
    assert_eq!(store.members(&WorkspaceId::from("w-ana")).await.unwrap(), [ana.id]);
}

async fn clients(world: &World) {
    let own = client(world, "agent");
    assert!(tx!(world, |tx| tx.register_client(&own, "192.0.2.1").await?));
    assert!(tx!(world, |tx| tx.register_client(&own, "192.0.2.2").await?), "again is fine");
    assert_eq!(world.store.client(&own.id).await.unwrap(), Some(own.clone()));
    assert_eq!(world.store.clients().await.unwrap().len(), 1);
    assert_eq!(tx!(world, |tx| tx.client(&own.id).await?), Some(own));
}

async fn personal_access_tokens(world: &World) {
    let own = pat(world, "p1");
    let digest = Digest::of("secret of p1");
    assert!(tx!(world, |tx| tx.insert_pat(&own, &digest).await?));
    let stranger = Pat { id: PatId::from("p2"), workspace: WorkspaceId::from("elsewhere"), ..own.clone() };
    assert!(!tx!(world, |tx| tx.insert_pat(&stranger, &Digest::of("x")).await?), "not a member there");
    let store = &world.store;
    let verified = store.pat_token(&digest, world.clock.now()).await.unwrap().expect("alive");
    assert_eq!((verified.kind, verified.subject.as_deref()), (TokenKind::Pat, Some("ext-ana")));
    assert_eq!((verified.scopes.to_string(), verified.expires_at), ("a b".to_owned(), None));
    assert_eq!(verified.plan, Some(PlanId::from("flow")));
    assert_eq!(store.pats(Some(&own.user)).await.unwrap(), std::slice::from_ref(&own));
    assert_eq!(store.live_pats(&own.user, world.clock.now()).await.unwrap(), 1);

    let next = Digest::of("rotated");
    let until = world.clock.now().plus(Duration::from_mins(1));
    assert!(tx!(world, |tx| tx.rotate_pat(&own.id, &next, until, "hint").await?));
    assert!(store.pat_token(&next, world.clock.now()).await.unwrap().is_some());
    assert!(store.pat_token(&digest, world.clock.now()).await.unwrap().is_some(), "within the overlap");
    assert!(store.pat_token(&digest, until).await.unwrap().is_none(), "after it");
}

#[expect(clippy::too_many_lines, reason = "the life of one family, in order")]
async fn families(world: &World) {
    let (id, access, refresh) = (GrantId::from("g1"), Digest::of("access"), Digest::of("refresh"));
    let soon = world.clock.now().plus(Duration::from_hours(1));
    assert!(tx!(world, |tx| tx.insert_grant(&grant(world, "g1", Some("p1")), "localhost").await?));
    let unknown = Grant { client: ClientId::from("nobody"), ..grant(world, "g0", None) };
    assert!(!tx!(world, |tx| tx.insert_grant(&unknown, "x").await?));
    assert!(world.store.grants(None).await.unwrap().is_empty(), "not activated");
    let scopes = ScopeSet::parse("b c");
    tx!(world, |tx| {
        assert!(tx.lock_grant(&id).await?);
        assert!(!tx.lock_grant(&GrantId::from("nothing")).await?);
        tx.activate_grant(&id).await?;
        let new =
            NewAccess { digest: access, grant: &id, issued_from: None, scopes: &scopes, expires_at: soon };
        tx.insert_access(&new).await?;
        tx.insert_refresh(&refresh, &id, soon).await?;
    });
    let store = &world.store;
    let row = store.access_token(&access, world.clock.now()).await.unwrap().expect("alive");
    assert_eq!(
        (row.verified.scopes.to_string(), row.used),
        ("b".to_owned(), false),
        "grant within the token's"
    );
    assert_eq!(row.verified.expires_at, Some(soon));
    store.first_use(&access, world.clock.now()).await.unwrap();
    assert!(store.access_token(&access, world.clock.now()).await.unwrap().expect("alive").used);
    assert!(store.access_token(&access, soon).await.unwrap().is_none(), "expired");
    assert_eq!(store.grant_of_access(&access).await.unwrap(), Some(id.clone()));
    assert_eq!(store.grant_of_refresh(&refresh).await.unwrap(), Some(id.clone()));
    assert_eq!(store.live_refresh_tokens(&id).await.unwrap(), 1);

    let second = store
        .transaction(async |tx: &mut Tx| tx.insert_refresh(&Digest::of("second"), &id, soon).await)
        .await;
    assert!(matches!(second, Err(StoreError::Conflict)), "one live refresh token a grant: {second:?}");
    let salt = [7u8; 32];
    assert!(tx!(world, |tx| tx.consume_refresh(&refresh, &salt).await?));
    assert!(!tx!(world, |tx| tx.consume_refresh(&refresh, &salt).await?), "once");
    let row = tx!(world, |tx| tx.refresh_row(&refresh).await?).expect("kept");
    assert_eq!((row.salt, row.link.consumed_at), (Some(salt), Some(world.clock.now())));
    assert!(!row.link.issued_used);
    let (of_it, scope) = (Digest::of("of it"), ScopeSet::parse("b"));
    tx!(world, |tx| {
        let new = NewAccess {
            digest: of_it,
            grant: &id,
            issued_from: Some(refresh),
            scopes: &scope,
            expires_at: soon,
        };
        tx.insert_access(&new).await?;
    });
    store.first_use(&of_it, world.clock.now()).await.unwrap();
    assert!(tx!(world, |tx| tx.refresh_row(&refresh).await?).expect("kept").link.issued_used);
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(tx!(world, |tx| tx.erase_salts(tx.now, 10).await?), 1);
    assert_eq!(tx!(world, |tx| tx.refresh_row(&refresh).await?).expect("kept").salt, None);
    let view = store.grants_of_pat(&PatId::from("p1")).await.unwrap();
    assert_eq!((view.len(), view[0].client_name.as_str(), view[0].alive), (1, "Agent", true));
    assert!(tx!(world, |tx| tx.revoke_access(&of_it).await?));
    assert!(store.access_token(&of_it, world.clock.now()).await.unwrap().is_none());
    assert!(store.family(&id, world.clock.now()).await.unwrap().is_some(), "the family lives on");
}

async fn codes_and_requests(world: &World) {
    let digest = Digest::of("code");
    let code = Code {
        grant: GrantId::from("g1"),
        client: ClientId::from("agent"),
        redirect_uri: "http://localhost:1/cb".to_owned(),
        challenge: "c".repeat(43),
        expires_at: world.clock.now().plus(Duration::from_mins(1)),
        consumed_at: None,
        wrong_tries: 0,
    };
    tx!(world, |tx| {
        tx.insert_code(&digest, &code).await?;
        tx.wrong_verifier(&digest).await?;
    });
    assert_eq!(world.store.code(&digest).await.unwrap().unwrap().wrong_tries, 1);
    assert!(tx!(world, |tx| tx.consume_code(&digest).await?));
    assert!(!tx!(world, |tx| tx.consume_code(&digest).await?), "once");
    for (by, challenge, seen) in [
        ("agent", &code.challenge, true),
        ("agent", &"d".repeat(43), false),
        ("other", &code.challenge, false),
    ] {
        let found = tx!(world, |tx| tx.challenge_seen(&ClientId::from(by), challenge).await?);
        assert_eq!(found, seen, "{by} {challenge}");
    }
    waiting(world).await;
}

async fn waiting(world: &World) {
    let kept = |id: &str| Transaction {
        id: TransactionId::from(id),
        request: "{}".to_owned(),
        user: None,
        created_at: world.clock.now(),
        expires_at: world.clock.now().plus(Duration::from_mins(1)),
        decision: None,
    };
    let (one, ana, bruno) = (TransactionId::from("t1"), UserId::from("ana"), UserId::from("bruno"));
    tx!(world, |tx| tx.insert_authorization(&kept("t1"), "192.0.2.1").await?);
    assert!(tx!(world, |tx| tx.bind_authorization(&one, &ana).await?));
    assert!(!tx!(world, |tx| tx.bind_authorization(&one, &bruno).await?), "it is another's");
    assert!(!tx!(world, |tx| tx.decide_authorization(&one, "allow", Some(&bruno)).await?), "it is another's");
    assert!(tx!(world, |tx| tx.decide_authorization(&one, "allow", Some(&ana)).await?));
    assert!(!tx!(world, |tx| tx.decide_authorization(&one, "deny", None).await?), "one decision");
    assert_eq!(world.store.authorization(&one).await.unwrap().unwrap().decision.as_deref(), Some("allow"));

    let next = TransactionId::from("t2");
    tx!(world, |tx| tx.insert_authorization(&kept("t0"), "192.0.2.1").await?);
    let (open, two) = (TransactionId::from("t0"), TransactionId::from("t3"));
    assert!(!tx!(world, |tx| tx.hand_on_authorization(&one, &next, &ana).await?), "it is decided");
    assert!(tx!(world, |tx| tx.bind_authorization(&open, &ana).await?));
    assert!(!tx!(world, |tx| tx.hand_on_authorization(&open, &next, &bruno).await?), "it is another's");
    assert!(tx!(world, |tx| tx.hand_on_authorization(&open, &next, &ana).await?));
    assert!(!tx!(world, |tx| tx.hand_on_authorization(&open, &two, &ana).await?), "once");
    assert_eq!(world.store.authorization(&open).await.unwrap(), None);
    let handed = world.store.authorization(&next).await.unwrap().unwrap();
    assert_eq!((handed.user, handed.decision), (None, None));
    assert!(
        !tx!(world, |tx| tx.decide_authorization(&open, "allow", Some(&ana)).await?),
        "the old one is over"
    );
    assert!(tx!(world, |tx| tx.decide_authorization(&next, "deny", Some(&bruno)).await?));
    assert_eq!(tx!(world, |tx| tx.waiting_authorizations().await?), 0);
    evicted(world, &kept).await;
}

/// What waits, by the letter of who holds it and oldest first: `a` and `b` are addresses, `x` and `y` people.
async fn evicted(world: &World, kept: &impl Fn(&str) -> Transaction) {
    for id in ["y1", "x1", "a1", "a2", "a3", "b1", "a4", "x2", "b2", "a5", "x3"] {
        let (holder, kept) = (&id[..1], kept(id));
        tx!(world, |tx| {
            tx.insert_authorization(&kept, if holder == "b" { "192.0.2.2" } else { "192.0.2.1" }).await?;
            if matches!(holder, "x" | "y") {
                assert!(tx.bind_authorization(&kept.id, &UserId::from(holder)).await?);
            }
        });
        world.clock.advance(Duration::from_millis(5));
    }
    let left = async |evict: i64, own: i64| {
        tx!(world, |tx| tx.evict_authorizations(evict, own).await?);
        let mut left = Vec::new();
        for id in ["y1", "x1", "x2", "x3", "a1", "a2", "a3", "a4", "a5", "b1", "b2"] {
            if world.store.authorization(&TransactionId::from(id)).await.unwrap().is_some() {
                left.push(id);
            }
        }
        assert_eq!(tx!(world, |tx| tx.waiting_authorizations().await?), i64::try_from(left.len()).unwrap());
        left.join(" ")
    };
    assert_eq!(left(2, 1).await, "y1 x1 x2 x3 a3 a4 a5 b1 b2", "of who holds most, the oldest first");
    assert_eq!(left(2, 1).await, "y1 x2 x3 a4 a5 b1 b2", "then of the next, the person among them");
    assert_eq!(left(2, 3).await, "y1 x2 x3 a5 b2", "but not of what is a person's own share");
    assert_eq!(left(100, 1).await, "y1 x3", "whatever comes");
    assert!(
        world.store.authorization(&TransactionId::from("t1")).await.unwrap().is_some(),
        "what is decided stays"
    );
}

async fn sessions(world: &World) {
    let now = world.clock.now();
    let (one, two) = (Digest::of("one"), Digest::of("two"));
    let session = Session {
        user: UserId::from("ana"),
        workspace: WorkspaceId::from("w-ana"),
        created_at: now,
        seen_at: now,
    };
    let until = now.plus(Duration::from_mins(1));
    tx!(world, |tx| {
        assert!(tx.insert_session(&one, &session, "hash", until).await?);
        assert!(tx.insert_session(&two, &session, "hash", until).await?);
        assert!(!tx.insert_session(&Digest::of("three"), &session, "an older hash", until).await?);
    });
    assert_eq!(world.store.session(&one, now).await.unwrap(), Some(session));
    assert_eq!(world.store.session(&one, until).await.unwrap(), None);
    tx!(world, |tx| tx.delete_other_sessions(&UserId::from("ana"), Some(&two)).await?);
    assert!(world.store.session(&one, now).await.unwrap().is_none());
    assert!(world.store.session(&two, now).await.unwrap().is_some());
}

async fn changes_and_rollback(world: &World) {
    let before = world.store.changes_after(0).await.unwrap().len();
    let undone = world
        .store
        .transaction(async |tx: &mut Tx| {
            tx.set_status(&WorkspaceId::from("w-ana"), WorkspaceStatus::PastDue).await?;
            Err::<(), _>(StoreError::Corrupt("on purpose"))
        })
        .await;
    assert!(undone.is_err());
    assert_eq!(
        world.store.changes_after(0).await.unwrap().len(),
        before,
        "no change of an undone transaction"
    );
    let own = world.store.workspace(&WorkspaceId::from("w-ana")).await.unwrap().unwrap();
    assert_eq!(own.status, WorkspaceStatus::Active);
    assert!(tx!(world, |tx| tx.set_plan(&own.id, None).await?));
    let changes = world.store.changes_after(0).await.unwrap();
    let (seq, last) = changes.last().unwrap();
    assert_eq!((last.kind, last.id.as_str(), changes.len()), (ChangeKind::Workspace, "w-ana", before + 1));
    assert!(world.store.changes_after(*seq).await.unwrap().is_empty());
    assert!(tx!(world, |tx| tx.set_plan(&own.id, Some(&PlanId::from("flow"))).await?));
}

/// Every way to end things, and that nothing comes back.
async fn endings(world: &World) {
    let now = world.clock.now();
    let (store, access, rotated) = (&world.store, Digest::of("access"), Digest::of("rotated"));
    let (ana, own) = (UserId::from("ana"), WorkspaceId::from("w-ana"));
    let alive = async || store.access_token(&access, now).await.unwrap().is_some();
    assert!(alive().await);
    assert!(tx!(world, |tx| tx.disable_client(&ClientId::from("agent")).await?));
    assert!(!alive().await);
    assert!(!tx!(world, |tx| tx.register_client(&client(world, "agent"), "x").await?), "stays disabled");
    assert!(tx!(world, |tx| tx.enable_client(&ClientId::from("agent")).await?));
    assert!(!alive().await, "enabling revives nothing");
    assert!(store.pat_token(&rotated, now).await.unwrap().is_some());
    assert!(tx!(world, |tx| tx.leave(&ana, &own).await?));
    assert!(store.pat_token(&rotated, now).await.unwrap().is_none());
    assert!(tx!(world, |tx| tx.join(&ana, &own).await?));
    assert!(store.pat_token(&rotated, now).await.unwrap().is_none(), "joining again revives nothing");

    let fresh = pat(world, "p3");
    assert!(tx!(world, |tx| tx.insert_pat(&fresh, &Digest::of("p3")).await?));
    assert!(tx!(world, |tx| tx.insert_grant(&grant(world, "g3", Some("p3")), "x").await?));
    assert!(store.family(&GrantId::from("g3"), now).await.unwrap().is_some());
    assert!(tx!(world, |tx| tx.end_pat(&fresh.id, EndReason::User).await?));
    assert!(!tx!(world, |tx| tx.end_pat(&fresh.id, EndReason::User).await?), "ended already");
    assert!(
        store.family(&GrantId::from("g3"), now).await.unwrap().is_none(),
        "what hangs on it ends with it"
    );
    assert!(tx!(world, |tx| tx.end_grant(&GrantId::from("g3"), EndReason::RefreshReuse).await?));
    assert!(tx!(world, |tx| tx.delete_client(&ClientId::from("agent")).await?));
    assert_eq!(store.client(&ClientId::from("agent")).await.unwrap(), None);
    assert!(
        tx!(world, |tx| tx.register_client(&client(world, "agent"), "x").await?),
        "registering again revives it"
    );
    assert_eq!(
        store.client(&ClientId::from("agent")).await.unwrap().unwrap().epoch,
        3,
        "and nothing of before"
    );
    assert!(tx!(world, |tx| tx.lock_user(&ana).await?));
    assert!(!tx!(world, |tx| tx.insert_pat(&pat(world, "p4"), &Digest::of("p4")).await?), "locked");
    assert!(tx!(world, |tx| tx.unlock_user(&ana).await?));
    assert!(tx!(world, |tx| tx.delete_user(&ana).await?));
    assert_eq!(store.user(&ana).await.unwrap(), None);
}
