use proptest::prelude::*;

use super::*;

const API: [(&str, &str, &str, &str, &str); 9] = [
    ("listInvoices", "GET", "/invoices", "List invoices", "billing"),
    ("getInvoice", "GET", "/invoices/{invoiceId}", "Get one invoice", "billing"),
    ("deleteInvoice", "DELETE", "/invoices/{invoiceId}", "Delete an invoice for good", "billing"),
    ("createCustomer", "POST", "/customers", "Create a customer", "crm"),
    ("listContacts", "GET", "/contacts", "List the contacts of a customer", "crm"),
    ("refundPayment", "POST", "/payments/{id}/refund", "Refund a payment", "billing"),
    ("ListarReuniones", "GET", "/reuniones", "Lista las reuniones próximas", "agenda"),
    ("search_products", "GET", "/products/search", "Full-text search of products", "catalogue"),
    ("setQuota", "PUT", "/quota", "", ""),
];

fn entries() -> impl Iterator<Item = Entry<'static>> {
    API.iter().map(|(id, method, path, summary, tag)| Entry {
        id,
        method,
        path,
        summary,
        tags: vec![tag],
        ..Entry::default()
    })
}

fn found(query: &str) -> Vec<&'static str> {
    found_in(&Index::new(entries()), query, |_| true)
}

fn found_in(index: &Index, query: &str, visible: impl Fn(usize) -> bool) -> Vec<&'static str> {
    index.search(query, visible).into_iter().map(|at| API[at].0).collect()
}

#[test]
fn spanish_finds_what_is_described_in_english_and_the_other_way_round() {
    for (query, first) in [
        ("listar facturas", "listInvoices"),
        ("borrar una factura", "deleteInvoice"),
        ("ELIMINAR la Factura", "deleteInvoice"),
        ("dar de alta: crear clientes", "createCustomer"),
        ("contactos del cliente", "listContacts"),
        ("devolución de un pago", "refundPayment"),
        ("buscar artículos o productos", "search_products"),
        ("cuota", "setQuota"),
        ("upcoming meetings", "ListarReuniones"),
        ("proximas reuniones", "ListarReuniones"),
        ("creating customers", "createCustomer"),
        ("refunds", "refundPayment"),
    ] {
        assert_eq!(found(query).first(), Some(&first), "{query}: {:?}", found(query));
    }
}

#[test]
fn what_is_named_outright_comes_first() {
    for (query, first) in [
        ("getInvoice", "getInvoice"),
        (" GETINVOICE ", "getInvoice"),
        ("GET /invoices/{invoiceId}", "getInvoice"),
        ("delete /invoices/inv_7", "deleteInvoice"),
        ("/payments/3/refund", "refundPayment"),
        ("GET /invoices?page=2", "listInvoices"),
    ] {
        assert_eq!(found(query).first(), Some(&first), "{query}");
    }
    assert_eq!(found("/invoices/{invoiceId}")[..2], ["getInvoice", "deleteInvoice"]);
}

#[test]
fn the_beginning_of_a_word_finds_it_where_nothing_else_does() {
    assert_eq!(found("contac"), ["listContacts"]);
    assert_eq!(found("reun"), ["ListarReuniones"]);
    assert!(found("x").is_empty() && found("").is_empty() && found("¿¡ — !").is_empty());
    assert!(found("zzzz").is_empty());
    assert!(!found("list").contains(&"refundPayment"));
}

#[test]
fn every_text_counts_and_a_long_query_costs_no_more() {
    let entry = Entry {
        id: "x1",
        method: "POST",
        path: "/x1",
        description: "Recalculates the ledger.",
        parameters: vec!["dryRun"],
        ..Entry::default()
    };
    let index = Index::new([entry]);
    assert_eq!((index.len(), index.is_empty()), (1, false));
    for query in ["ledger", "recalculate", "dry", "run", "add x1", "the", "x1"] {
        assert_eq!(index.search(query, |_| true).is_empty(), query == "the", "{query}");
    }
    let long = "ledger ".repeat(100_000);
    assert_eq!(index.search(&long, |_| true), [0]);
}

proptest! {
    #[test]
    fn what_is_hidden_changes_nothing(query in "(list|get|delete|borrar|factura|invoice|con|reu|pay|of|[a-z ]{1,4}| ){1,5}", bits: u16) {
        let visible = |at: usize| bits & (1 << at) != 0;
        let whole = Index::new(entries());
        let seen: Vec<usize> = (0..API.len()).filter(|at| visible(*at)).collect();
        let alone = Index::new(entries().enumerate().filter(|(at, _)| visible(*at)).map(|(_, entry)| entry));
        let expected: Vec<usize> = alone.search(&query, |_| true).into_iter().map(|at| seen[at]).collect();
        prop_assert_eq!(whole.search(&query, visible), expected);
    }

    #[test]
    fn any_text_is_a_query(query: String) {
        let _ = found(&query);
    }
}

/// A measurement, printed and not asserted: `cargo test --release --lib search::tests::measured -- --nocapture`.
#[test]
fn measured_over_a_thousand_operations() {
    let texts: Vec<(String, String, String)> = (0..1000)
        .map(|n| {
            let (id, _, path, summary, tag) = API[n % API.len()];
            let more = "Answers a page of them, sorted by date, with a cursor for the next one. ".repeat(4);
            (format!("{id}{n}"), format!("{path}/{tag}{n}"), format!("{summary} number {n}. {more}"))
        })
        .collect();
    let started = tokio::time::Instant::now();
    let index = Index::new(texts.iter().map(|(id, path, text)| Entry {
        id,
        method: "GET",
        path,
        summary: text,
        description: text,
        ..Entry::default()
    }));
    let built = started.elapsed();
    let queries =
        ["borrar una factura del cliente", "list invoices", "próximas reuniones", "con", "refundPayment5"];
    for query in queries {
        let started = tokio::time::Instant::now();
        let count = (0..20).map(|_| index.search(query, |_| true).len()).sum::<usize>() / 20;
        println!("{query:?}: {count} found in {:?} (index built in {built:?})", started.elapsed() / 20);
        assert!(count > 0, "{query}");
    }
}
