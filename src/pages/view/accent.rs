//! A brand's colour as a style sheet: kept as chosen where it can be read, moved until it can where it cannot.
//!
//! The pages allow no inline styles, so the two properties come from a file of their own.

/// The darkest background of the light theme and the lightest of the dark one; `app.css` uses the same.
const LIGHT_GROUND: Rgb = Rgb([0xf4, 0xf4, 0xf1]);
const DARK_GROUND: Rgb = Rgb([0x1d, 0x1f, 0x22]);
const WHITE: Rgb = Rgb([0xff, 0xff, 0xff]);
const BLACK: Rgb = Rgb([0x00, 0x00, 0x00]);
/// For brands that name no colour, or none that can be understood.
const DEFAULT: Rgb = Rgb([0x2b, 0x5c, 0x8a]);
/// WCAG 2.2 AA for text.
const READABLE: f64 = 4.5;
const STEPS: u8 = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rgb([u8; 3]);

/// What `/assets/brand-ID.css` serves for a brand's `color` (`#rgb` or `#rrggbb`).
pub fn brand_css(color: Option<&str>) -> String {
    let chosen = color.and_then(Rgb::parse).unwrap_or(DEFAULT);
    format!(
        ":root{{{}}}\n@media (prefers-color-scheme:dark){{:root{{{}}}}}\n",
        properties(chosen, LIGHT_GROUND, BLACK),
        properties(chosen, DARK_GROUND, WHITE)
    )
}

/// The accent is a link's colour on the ground and a button's behind its label: both must be readable.
fn properties(chosen: Rgb, ground: Rgb, towards: Rgb) -> String {
    let accent = (0..=STEPS)
        .map(|step| chosen.mixed(towards, f64::from(step) / f64::from(STEPS)))
        .find(|accent| {
            contrast(*accent, ground) >= READABLE && contrast(*accent, label_on(*accent)) >= READABLE
        })
        .unwrap_or(towards);
    format!("--accent:{};--on-accent:{}", accent.hex(), label_on(accent).hex())
}

fn label_on(accent: Rgb) -> Rgb {
    if contrast(accent, WHITE) >= READABLE { WHITE } else { BLACK }
}

/// The contrast ratio of WCAG: 1 for equal colours, 21 for black on white.
fn contrast(one: Rgb, other: Rgb) -> f64 {
    let (one, other) = (one.luminance(), other.luminance());
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

impl Rgb {
    fn parse(text: &str) -> Option<Self> {
        let digits = text.trim().strip_prefix('#')?;
        let long = match digits.len() {
            3 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
            6 => digits.to_owned(),
            _ => return None,
        };
        let number = u32::from_str_radix(&long, 16).ok()?;
        let [_, red, green, blue] = number.to_be_bytes();
        Some(Self([red, green, blue]))
    }

    fn hex(self) -> String {
        let Self([red, green, blue]) = self;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    fn mixed(self, other: Self, part: f64) -> Self {
        let Self([red, green, blue]) = self;
        let Self([to_red, to_green, to_blue]) = other;
        Self([blend(red, to_red, part), blend(green, to_green, part), blend(blue, to_blue, part)])
    }

    fn luminance(self) -> f64 {
        let Self([red, green, blue]) = self;
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a mean of two bytes is a byte")]
fn blend(from: u8, to: u8, part: f64) -> u8 {
    (f64::from(from) * (1.0 - part) + f64::from(to) * part).round() as u8
}

fn linear(channel: u8) -> f64 {
    let channel = f64::from(channel) / 255.0;
    if channel <= 0.040_45 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_becomes_readable_in_both_themes() {
        let style = include_str!("../../../templates/static/app.css");
        assert!(style.contains(&LIGHT_GROUND.hex()) && style.contains(&DARK_GROUND.hex()));
        let levels = [0x00, 0x33, 0x66, 0x99, 0xcc, 0xff];
        for red in levels {
            for (green, blue) in levels.into_iter().flat_map(|green| levels.map(|blue| (green, blue))) {
                let css = brand_css(Some(&Rgb([red, green, blue]).hex()));
                let colours: Vec<Rgb> =
                    css.match_indices('#').filter_map(|(at, _)| Rgb::parse(&css[at..at + 7])).collect();
                let [light, on_light, dark, on_dark] = colours[..] else { panic!("{css}") };
                assert!(
                    contrast(light, LIGHT_GROUND) >= READABLE && contrast(light, on_light) >= READABLE,
                    "{css}"
                );
                assert!(
                    contrast(dark, DARK_GROUND) >= READABLE && contrast(dark, on_dark) >= READABLE,
                    "{css}"
                );
            }
        }
    }

    #[test]
    fn a_readable_colour_stays_as_chosen_and_nonsense_gets_the_default() {
        assert!(brand_css(Some("#1f6f5c")).starts_with(":root{--accent:#1f6f5c;--on-accent:#ffffff}"));
        for nonsense in [None, Some("red"), Some("#12"), Some("#12345g"), Some("#é1234")] {
            assert!(brand_css(nonsense).starts_with(":root{--accent:#2b5c8a"), "{nonsense:?}");
        }
    }

    #[test]
    fn contrast_is_that_of_the_standard() {
        assert!((contrast(BLACK, WHITE) - 21.0).abs() < 0.01);
        assert!((contrast(Rgb([0x76, 0x76, 0x76]), WHITE) - 4.54).abs() < 0.01);
    }
}
