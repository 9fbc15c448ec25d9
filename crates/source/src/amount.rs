//! Lengths of time and numbers of bytes as a configuration writes them.

use std::time::Duration;

/// `500ms`, `15m`, `24h`: one whole number with its unit.
pub(crate) fn length(text: &str) -> Option<Duration> {
    let (number, unit) = split(text)?;
    let millis = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60 * 1_000,
        "h" => 60 * 60 * 1_000,
        "d" => 24 * 60 * 60 * 1_000,
        _ => return None,
    };
    number.checked_mul(millis).map(Duration::from_millis)
}

/// `8 MiB`, `64 KiB`, `1000 B`: one whole number with its unit.
pub(crate) fn size(text: &str) -> Option<usize> {
    let (number, unit) = split(text)?;
    let unit = match unit {
        "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        _ => return None,
    };
    number.checked_mul(unit).and_then(|bytes| usize::try_from(bytes).ok())
}

fn split(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    Some((number.parse().ok()?, unit.trim_start_matches(' ')))
}

#[cfg(test)]
mod tests {
    use super::{length, size};
    use std::time::Duration;

    #[test]
    fn lengths_have_one_number_and_a_unit() {
        for (text, seconds) in [("15m", 900), ("24h", 86_400), ("7d", 604_800), ("1 s", 1), ("0s", 0)] {
            assert_eq!(length(text), Some(Duration::from_secs(seconds)), "{text}");
        }
        assert_eq!(length("1500ms"), Some(Duration::from_millis(1_500)));
        for text in [
            "",
            "15",
            "m",
            "1.5h",
            "-1s",
            "1h30m",
            "15 min",
            "15M",
            " 15m",
            "99999999999999999999d",
            "18446744073709551615d",
        ] {
            assert_eq!(length(text), None, "{text}");
        }
    }

    #[test]
    fn sizes_have_one_number_and_a_unit() {
        for (text, bytes) in [("8 MiB", 8 << 20), ("64KiB", 64 << 10), ("100 B", 100)] {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
        for text in ["8", "8 MB", "8 mib", "8 GiB", "18446744073709551615 MiB"] {
            assert_eq!(size(text), None, "{text}");
        }
    }
}
