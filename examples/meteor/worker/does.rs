//! What an operation does, by the words of the table.

use serde_json::Value;

use super::call::Call;
use super::fault::Fault;
use super::{account, bulk, flows, messages, partners, records, runs, tags};

/// An action that is not one of the usual ones.
pub(super) type Special = fn(&mut Call<'_>) -> Result<Value, Fault>;

/// What is told of the room itself.
pub(super) type Facts = fn(&Call<'_>) -> Value;

/// What is done, and to which kind of thing.
#[derive(Clone, Debug)]
pub(super) enum Does {
    List(String),
    Get(String),
    Create(String),
    Update(String),
    /// Sets members to fixed values, and those that are given.
    Set(String),
    Delete(String),
    Import(String),
    Run(String),
    Special(Special),
    Facts(Facts),
    /// Not done here.
    Excluded,
}

impl Does {
    /// The action of the table's words; none if there is no such action.
    pub(super) fn read(words: &str) -> Option<Self> {
        let Some((verb, kind)) = words.split_once(' ') else {
            let told = || facts(words).map(Self::Facts);
            return match words {
                "excluded" => Some(Self::Excluded),
                _ => special(words).map(Self::Special).or_else(told),
            };
        };
        let kind = kind.to_owned();
        Some(match verb {
            "list" => Self::List(kind),
            "get" => Self::Get(kind),
            "create" => Self::Create(kind),
            "update" => Self::Update(kind),
            "set" => Self::Set(kind),
            "delete" => Self::Delete(kind),
            "import" => Self::Import(kind),
            "run" => Self::Run(kind),
            _ => return None,
        })
    }

    pub(super) fn kind(&self) -> Option<&str> {
        match self {
            Self::List(kind)
            | Self::Get(kind)
            | Self::Create(kind)
            | Self::Update(kind)
            | Self::Set(kind)
            | Self::Delete(kind)
            | Self::Import(kind)
            | Self::Run(kind) => Some(kind),
            Self::Special(_) | Self::Facts(_) | Self::Excluded => None,
        }
    }

    pub(super) fn run(&self, call: &mut Call<'_>) -> Result<Value, Fault> {
        match self {
            Self::List(kind) => records::list(call, kind),
            Self::Get(kind) => records::get(call, kind),
            Self::Create(kind) => records::create(call, kind),
            Self::Update(kind) => records::update(call, kind),
            Self::Set(kind) => records::set(call, kind),
            Self::Delete(kind) => records::delete(call, kind),
            Self::Import(kind) => bulk::import(call, kind),
            Self::Run(kind) => runs::run(call, kind),
            Self::Special(special) => special(call),
            Self::Facts(facts) => Ok(facts(call)),
            Self::Excluded => Err(Fault::Elsewhere),
        }
    }
}

fn special(name: &str) -> Option<Special> {
    Some(match name {
        "send" => messages::send,
        "broadcast" => messages::broadcast,
        "audience" => messages::audience,
        "broadcast-report" => messages::report,
        "tag" => tags::tag,
        "untag" => tags::untag,
        "tag-many" => bulk::tag,
        "attach" => tags::attach,
        "detach" => tags::detach,
        "draft" => flows::draft,
        "replace-draft" => flows::replace,
        "publish" => flows::publish,
        "validate" => flows::validate,
        "delete-field" => records::delete_field,
        "count" => records::count,
        "act" => runs::act,
        "credentials" => runs::credentials,
        "install" => bulk::install,
        "client-usage" => partners::usage,
        _ => return None,
    })
}

fn facts(name: &str) -> Option<Facts> {
    Some(match name {
        "workspace" => account::workspace,
        "plan" => account::plan,
        "energy" => account::energy,
        "usage" => account::usage,
        "profile" => partners::profile,
        "earnings" => partners::earnings,
        _ => return None,
    })
}
