//! Bytes in units that a person reads.

/// `bytes` as megabytes below a gigabyte, else as gigabytes.
pub fn size(bytes: u64) -> String {
    let (number, unit) = parts(bytes);
    format!("{number} {unit}")
}

/// From `least` to `most`, with the unit once where both have the same.
pub(super) fn range(least: u64, most: u64) -> String {
    let ((low, low_unit), (high, high_unit)) = (parts(least), parts(most));
    if (&low, low_unit) == (&high, high_unit) {
        format!("{high} {high_unit}")
    } else if low_unit == high_unit {
        format!("{low} to {high} {high_unit}")
    } else {
        format!("{low} {low_unit} to {high} {high_unit}")
    }
}

/// The number and its unit.
fn parts(bytes: u64) -> (String, &'static str) {
    let megabytes = bytes as f64 / 1e6;
    // 999.5 MB and more would be rounded to 1000.
    let (number, unit) = if megabytes < 999.5 { (megabytes, "MB") } else { (megabytes / 1e3, "GB") };
    let digits = usize::from(number < 9.95);
    (format!("{number:.digits$}"), unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_a_person_reads_them() {
        let cases = [
            (0, "0.0 MB"),
            (450_000, "0.5 MB"),
            (9_949_999, "9.9 MB"),
            (9_960_000, "10 MB"),
            (999_400_000, "999 MB"),
            (999_600_000, "1.0 GB"),
            (21_300_000_000, "21 GB"),
            (u64::MAX, "18446744074 GB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn a_range_names_its_unit_once() {
        assert_eq!(range(200_000_000, 400_000_000), "200 to 400 MB");
        assert_eq!(range(200_000_000, 1_400_000_000), "200 MB to 1.4 GB");
        assert_eq!(range(1_200_000_000, 1_210_000_000), "1.2 GB");
    }
}
