//! Whether an estimate fits.

/// The verdict, from bounds and a capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Even the upper bound fits.
    Fits,
    /// The capacity is between the bounds.
    MayNotFit,
    /// Not even the lower bound fits.
    DoesNotFit,
}

impl Verdict {
    /// From bounds and a capacity, all in bytes.
    pub const fn of(low: u64, high: u64, capacity: u64) -> Self {
        if high <= capacity {
            Self::Fits
        } else if low <= capacity {
            Self::MayNotFit
        } else {
            Self::DoesNotFit
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_fits_when_its_upper_bound_does() {
        assert_eq!(Verdict::of(8, 10, 10), Verdict::Fits);
        assert_eq!(Verdict::of(8, 11, 10), Verdict::MayNotFit);
        assert_eq!(Verdict::of(10, 11, 10), Verdict::MayNotFit);
        assert_eq!(Verdict::of(11, 12, 10), Verdict::DoesNotFit);
    }
}
