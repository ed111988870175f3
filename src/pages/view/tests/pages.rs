//! What the pages promise to everyone who reads or fills them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use scraper::{ElementRef, Html, Selector};

use super::super::settings::*;
use super::super::*;
use super::{samples, samples_settings};

fn select<'a>(page: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    page.select(&Selector::parse(selector).unwrap()).collect()
}

fn text(element: ElementRef<'_>) -> String {
    element.text().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn parsed(page: &dyn Page) -> Html {
    Html::parse_document(&page.render_page().unwrap())
}

fn each(check: impl Fn(&str, Lang, &Html, &str)) {
    for lang in Lang::ALL {
        for (name, html) in samples::all(lang) {
            check(&format!("{}-{name}", lang.code()), lang, &Html::parse_document(&html), &html);
        }
    }
}

#[test]
fn every_page_can_be_looked_at() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/pages-preview");
    fs::create_dir_all(folder.join("assets")).unwrap();
    for name in ["app.css", "app.js", "icon.svg"] {
        fs::write(folder.join("assets").join(name), assets::asset(name).unwrap().body).unwrap();
    }
    fs::write(folder.join("assets/brand-mico.css"), accent::brand_css(Some("#1f6f5c"))).unwrap();
    each(|name, _, _, html| fs::write(folder.join(format!("{name}.html")), html).unwrap());
}

#[test]
fn a_page_says_its_language_and_has_one_heading_and_one_main() {
    each(|name, lang, page, html| {
        assert!(html.starts_with("<!doctype html>"), "{name}");
        assert_eq!(select(page, "html")[0].attr("lang"), Some(lang.code()), "{name}");
        assert_eq!(select(page, "h1").len(), 1, "{name}");
        assert_eq!(select(page, "main").len(), 1, "{name}");
        assert!(!text(select(page, "title")[0]).starts_with('·'), "{name}");
    });
}

#[test]
fn headings_leave_no_level_out() {
    each(|name, _, page, _| {
        let mut last = 1;
        for heading in select(page, "h1, h2, h3, h4") {
            let level: u32 = heading.value().name()[1..].parse().unwrap();
            assert!(level <= last + 1, "{name}: {}", text(heading));
            assert!(!text(heading).is_empty(), "{name}");
            last = level;
        }
    });
}

#[test]
fn every_field_has_a_label_and_every_reference_a_target() {
    each(|name, _, page, _| {
        for field in select(page, "input:not([type=hidden]), select, textarea") {
            let inside =
                field.ancestors().any(|node| node.value().as_element().is_some_and(|e| e.name() == "label"));
            let id = field.attr("id").unwrap_or_default();
            assert!(
                inside || select(page, &format!("label[for='{id}']")).len() == 1,
                "{name}: {}",
                field.html()
            );
        }
        let ids: Vec<&str> = select(page, "[id]").iter().filter_map(|element| element.attr("id")).collect();
        let known: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), known.len(), "{name}: an id stands twice in {ids:?}");
        for element in select(page, "[aria-labelledby], [aria-describedby], a[href^='#']") {
            let value = element.value();
            let named = ["aria-labelledby", "aria-describedby"]
                .map(|attribute| value.attr(attribute).unwrap_or_default());
            let linked = value.attr("href").and_then(|href| href.strip_prefix('#')).unwrap_or_default();
            for id in named
                .iter()
                .flat_map(|ids| ids.split_ascii_whitespace())
                .chain([linked])
                .filter(|id| !id.is_empty())
            {
                assert!(known.contains(id), "{name}: nothing has the id {id}");
            }
        }
        for control in select(page, "button, a, summary, legend, label, option") {
            assert!(!text(control).is_empty(), "{name}: {}", control.html());
        }
    });
}

#[test]
fn nothing_on_a_page_needs_an_inline_style_or_script() {
    each(|name, _, page, _| {
        assert!(select(page, "style, [style], script:not([src]), [autofocus]").is_empty(), "{name}");
        for element in select(page, "*") {
            for (attribute, value) in element.value().attrs() {
                assert!(!attribute.starts_with("on"), "{name}: {attribute}");
                assert!(
                    !value.trim_start().to_ascii_lowercase().starts_with("javascript:"),
                    "{name}: {value}"
                );
            }
        }
        for element in select(page, "[src], link[href]") {
            let at = element.attr("src").or(element.attr("href")).unwrap();
            assert!(at.starts_with("/assets/"), "{name}: {at}");
        }
    });
}

#[test]
fn no_sentence_is_missing() {
    each(|name, _, _, html| {
        for trace in ["Unknown localization", "\u{E000}", "\u{2068}", "{ $", "`"] {
            assert!(!html.contains(trace), "{name}: {trace:?}");
        }
    });
}

#[test]
fn forms_are_posts_with_the_proof_and_deny_comes_first() {
    each(|name, _, page, _| {
        for form in select(page, "form") {
            assert_eq!(form.attr("method"), Some("post"), "{name}");
            let proof = form.select(&Selector::parse("input[name=csrf]").unwrap()).next();
            assert_eq!(proof.and_then(|input| input.attr("value")), Some("csrf-proof"), "{name}");
            let decisions: Vec<_> = form
                .select(&Selector::parse("button[name=decision]").unwrap())
                .filter_map(|button| button.attr("value"))
                .collect();
            assert!(
                decisions.is_empty() || decisions == ["deny"] || decisions == ["deny", "allow"],
                "{name}"
            );
        }
    });
}

#[test]
fn settings_stand_under_their_trail() {
    each(|name, lang, page, _| {
        if !name.contains("-settings-") {
            return;
        }
        let trail = match lang {
            Lang::Es => "Ajustes › Desarrolladores › MCP",
            Lang::En => "Settings › Developers › MCP",
        };
        assert_eq!(text(select(page, "nav.trail")[0]), trail, "{name}");
        assert_eq!(select(page, "nav.tabs [aria-current=page]").len(), 1, "{name}");
    });
}

/// What a program that fills the form would send: hidden fields and ticked boxes.
fn filled(form: ElementRef<'_>) -> Vec<(String, String)> {
    form.select(&Selector::parse("input[name]").unwrap())
        .filter(|input| {
            !matches!(input.attr("type"), Some("checkbox" | "radio")) || input.attr("checked").is_some()
        })
        .map(|input| {
            (input.attr("name").unwrap().to_owned(), input.attr("value").unwrap_or_default().to_owned())
        })
        .collect()
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[test]
fn signed_out_both_ways_are_open_and_the_token_field_keeps_nothing() {
    let page = parsed(&samples::authorize(Lang::En, false));
    let forms = select(&page, "main form");
    assert_eq!(
        forms.iter().map(|form| form.attr("action").unwrap()).collect::<Vec<_>>(),
        ["/login", "https://mcp.example.com/functions/v1/mcp/authorize"]
    );
    assert_eq!(
        filled(forms[0]),
        [pair("csrf", "csrf-proof"), pair("next", "txn-1"), pair("email", ""), pair("password", "")]
    );
    assert_eq!(
        filled(forms[1]),
        [
            pair("transaction", "txn-1"),
            pair("csrf", "csrf-proof"),
            pair("personal_access_token", ""),
            pair("scope", "mico:read"),
            pair("scope", "mico:write"),
        ]
    );
    let field = select(&page, "[name=personal_access_token]")[0].value();
    let attributes = ["type", "autocomplete", "spellcheck", "autocapitalize"].map(|name| field.attr(name));
    assert_eq!(attributes, [Some("password"), Some("off"), Some("false"), Some("none")]);
    assert_eq!(field.attr("value"), None);
}

#[test]
fn signed_in_there_is_one_consent_form_and_a_way_to_another_account() {
    let signed_in = AuthorizePage { workspaces: samples::workspaces(), ..samples::authorize(Lang::Es, true) };
    let page = parsed(&signed_in);
    assert_eq!(select(&page, "form[action$='/authorize']").len(), 1);
    assert!(select(&page, "[name=personal_access_token], [name=password]").is_empty());
    assert_eq!(
        filled(select(&page, "form[action='/logout']")[0]),
        [pair("csrf", "csrf-proof"), pair("next", "txn-1")]
    );
    assert_eq!(select(&page, "select[name=workspace] option[selected]")[0].attr("value"), Some("w1"));
    assert!(text(select(&page, "main")[0]).contains("Has iniciado sesión como Ana Ruiz"));
}

#[test]
fn only_an_unverified_name_stands_in_quotes() {
    let heading = |page: AuthorizePage| text(select(&parsed(&page), "h1")[0]);
    assert_eq!(heading(samples::authorize(Lang::En, true)), "Allow Claude to use Mico?");
    assert_eq!(heading(samples::authorize(Lang::En, false)), "Allow “Cursor” to use Mico?");
    assert_eq!(heading(samples::authorize(Lang::Es, false)), "¿Permitir que «Cursor» use Mico?");
}

#[test]
fn what_a_client_calls_itself_is_text_everywhere() {
    let name = "<script>alert(1)</script>\"'";
    let client = ClientView { name: name.to_owned(), identity: ClientIdentity::Unverified };
    let details = TechnicalDetails {
        redirect_uri: "javascript:alert(1)".to_owned(),
        ..samples::authorize(Lang::En, true).details
    };
    let authorize = AuthorizePage { client: client.clone(), details, ..samples::authorize(Lang::En, true) };
    let connection = samples_settings::connection(Lang::En, "g1");
    let disconnect = AppDisconnectPage { shell: samples::shell(Lang::En, true), client, connection };
    for page in [parsed(&authorize), parsed(&disconnect)] {
        assert_eq!(select(&page, "script").len(), 1, "the page's own script alone");
        assert!(select(&page, "a[href^=javascript]").is_empty());
        assert!(select(&page, "h1 bdi").iter().any(|bdi| text(*bdi) == name));
    }
}

#[test]
fn the_page_after_the_decision_sends_on_once() {
    let sent =
        parsed(&samples::done(Lang::En, DoneOutcome::Connected { return_to: samples::CALLBACK.to_owned() }));
    let refresh = select(&sent, "head > meta[http-equiv=refresh]");
    assert_eq!(refresh[0].attr("content"), Some(format!("0;url={}", samples::CALLBACK).as_str()));
    assert_eq!(select(&sent, "main a")[0].attr("href"), Some(samples::CALLBACK));
    let again = parsed(&samples::done(Lang::En, DoneOutcome::AlreadyConnected));
    assert!(select(&again, "meta[http-equiv=refresh], main a").is_empty());
    assert_eq!(text(select(&again, "h1")[0]), "Already connected");
}

#[test]
fn before_a_token_is_revoked_every_app_that_goes_with_it_is_named() {
    let page = parsed(&TokenRevokePage {
        shell: samples::shell(Lang::En, true),
        token: samples_settings::token(Lang::En),
    });
    let apps: Vec<String> = select(&page, ".alert li").into_iter().map(text).collect();
    assert_eq!(
        apps,
        [
            "Claude from Mico, allowed 3 days ago",
            "Cursor from Mico, allowed on 21 October 2026",
            "MCP Inspector from Mico, allowed yesterday"
        ]
    );
    assert_eq!(text(select(&page, "main form button")[0]), "Revoke token and disconnect 3 apps");
    assert_eq!(filled(select(&page, "main form")[0]), [pair("csrf", "csrf-proof"), pair("id", "t1")]);
}

#[test]
fn a_refused_token_form_says_what_and_where() {
    let page = parsed(&samples_settings::token_new(
        Lang::Es,
        vec![TokenFormError::NameMissing, TokenFormError::ScopesMissing],
    ));
    let alert = select(&page, "[role=alert] a");
    assert_eq!(alert.iter().map(|link| link.attr("href").unwrap()).collect::<Vec<_>>(), ["#name", "#scopes"]);
    assert_eq!(select(&page, "#name")[0].attr("aria-invalid"), Some("true"));
    assert_eq!(select(&page, "#name-error").len(), 1);
}

#[test]
fn the_choices_of_expiry_respect_the_brands_limits() {
    let values =
        |never, max| Expiry::offered(never, max).into_iter().map(Expiry::value).collect::<Vec<_>>().join(" ");
    assert_eq!(values(true, None), "never 7d 30d 90d 365d custom");
    assert_eq!(values(false, Some(90)), "7d 30d 90d custom");
}

#[test]
fn a_lost_registration_is_answered_with_the_way_back_in_every_known_client() {
    let kind = ErrorKind::UnknownClient;
    let page = parsed(&ErrorPage {
        shell: samples::shell(Lang::Es, false),
        kind,
        request_id: None,
        retry_href: None,
    });
    let names: Vec<String> = select(&page, ".steps dt").into_iter().map(text).collect();
    assert_eq!(
        names.join(", "),
        "Claude, Claude Code, ChatGPT, Cursor, VS Code, Windsurf, Codex, Gemini CLI"
    );
    assert!(select(&page, "main a").is_empty());
}
