//! Flat buffers that are cut in equal parts.

/// Numbers in one of `ranks` equal parts of `total`, which is padded to a multiple of `unit` for each of them.
pub(super) fn partition_numel(total: u64, ranks: u64, unit: u64) -> u64 {
    let ranks = ranks.max(1);
    total.div_ceil(ranks * unit) * unit
}

/// How many of the elements from `offset` on belong to the first part.
pub(super) fn owned_numel(offset: u64, numel: u64, part: u64) -> u64 {
    part.saturating_sub(offset).min(numel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_padded_to_whole_units() {
        assert_eq!(partition_numel(10, 4, 2), 4);
        assert_eq!(partition_numel(16, 4, 2), 4);
        assert_eq!(partition_numel(0, 4, 2), 0);
        assert_eq!(owned_numel(6, 10, 8), 2);
        assert_eq!(owned_numel(9, 10, 8), 0);
    }
}
