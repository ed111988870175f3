//! How values are written.

use std::time::Duration;

use proptest::prelude::*;

use super::{ByteSize, Language, Localized, PatExpiry, Period, RateLimit, Text};

#[test]
fn durations_are_read_with_their_unit() {
    let read = |text: &str| text.parse::<Period>().map(Period::get).ok();
    assert_eq!(read("500ms"), Some(Duration::from_millis(500)));
    assert_eq!(read("90s"), Some(Duration::from_secs(90)));
    assert_eq!(read("5min"), Some(Duration::from_mins(5)));
    assert_eq!(read("5m"), Some(Duration::from_mins(5)));
    assert_eq!(read("1h"), Some(Duration::from_hours(1)));
    assert_eq!(read("30d"), Some(Duration::from_hours(30 * 24)));
    for wrong in
        ["", "30", "s", "-1s", "+1s", "1.5h", "1h30min", "1 h", "1w", "36526d", "99999999999999999999d"]
    {
        assert_eq!(read(wrong), None, "{wrong}");
    }
    assert_eq!("never".parse(), Ok(PatExpiry::Never));
    assert_eq!("90d".parse(), Ok(PatExpiry::After(Period::days(90))));
}

#[test]
fn sizes_and_rates_are_read_with_their_unit() {
    let size = |text: &str| text.parse::<ByteSize>().map(ByteSize::get).ok();
    assert_eq!((size("4MiB"), size("512KiB"), size("10B")), (Some(4 << 20), Some(512 << 10), Some(10)));
    assert_eq!((size("4"), size("4mib"), size("2GiB")), (None, None, None));
    let rate = |text: &str| text.parse::<RateLimit>().map(|rate| (rate.count.get(), rate.window.get())).ok();
    assert_eq!(rate("120/min"), Some((120, Duration::from_mins(1))));
    assert_eq!(rate("10/s"), Some((10, Duration::from_secs(1))));
    assert_eq!(rate("1000/h"), Some((1000, Duration::from_hours(1))));
    for wrong in ["", "/s", "0/s", "+1/s", "1/d", "1/ s", "1", "4294967296/s"] {
        assert_eq!(rate(wrong), None, "{wrong}");
    }
}

#[test]
fn a_text_falls_back_to_the_language_there_is() {
    let text = |es: Option<&str>, en: Option<&str>| {
        Text::Localized(Localized { es: es.map(str::to_owned), en: en.map(str::to_owned) })
    };
    assert_eq!(text(Some("Leer"), Some("Read")).get(Language::En), "Read");
    assert_eq!(text(Some("Leer"), None).get(Language::En), "Leer");
    assert_eq!(text(None, Some("Read")).get(Language::Es), "Read");
    assert_eq!(Text::from("Mico").get(Language::Es), "Mico");
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_the_same(seconds in 0..3_000_000_000_u64, bytes in 0..=1_u64 << 30, count in 1_u32..) {
        let period = Period::seconds(seconds);
        prop_assert_eq!(period.to_string().parse(), Ok(period));
        let size: ByteSize = format!("{bytes}B").parse().unwrap();
        prop_assert_eq!(size.to_string().parse(), Ok(size));
        let rate: RateLimit = format!("{count}/min").parse().unwrap();
        prop_assert_eq!(rate.to_string().parse(), Ok(rate));
    }

    #[test]
    fn no_text_brings_loading_down(text in "[a-z_\\[\\]{}=.\"\\n0-9:/ ]{0,200}", name in "[A-Z0-9_]{0,20}") {
        let env = std::iter::once((format!("PORTERO__{name}"), text.clone()));
        let _ = super::Config::from_toml(&text, std::path::Path::new("/"), env);
    }
}
