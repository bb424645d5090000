//! Conversion between host files and the files embedded in them.

use vramlint_base::{FileId, FileRange, TextRange};
use vramlint_resolve::{Project, SourceFile};

/// An offset in the innermost file: a host file, or a file embedded in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FilePosition {
    /// The file.
    pub file: FileId,
    /// The offset in it.
    pub offset: u32,
}

impl FilePosition {
    /// The innermost file at an offset of a host file. `None` if the file does not exist or the offset is not a character boundary.
    pub(crate) fn innermost(project: &Project, file: FileId, offset: u32) -> Option<Self> {
        let host = project.files.get(file.0 as usize)?;
        if !host.text.is_char_boundary(offset as usize) {
            return None;
        }
        for inner in embedded_files(project, file).filter(|inner| inner.host.as_ref().is_some_and(|(parent, _)| *parent == file))
        {
            if let Some((_, part)) = &inner.host
                && part.range.contains(TextRange::at(offset))
                && let Some(inner_start) = offset_from_host(&part.map, inner.text.len() as u32, offset)
                && let Some(found) = Self::innermost(project, inner.id, inner_start)
            {
                return Some(found);
            }
        }
        Some(Self { file, offset })
    }

    /// Whether a range contains the offset or ends at it.
    pub(crate) fn touches(self, place: FileRange) -> bool {
        place.file == self.file && place.range.contains(TextRange::at(self.offset))
    }

    /// The same for a range that must not be empty.
    pub(crate) fn is_in(self, place: FileRange) -> bool {
        place.file == self.file && self.is_in_range(place.range)
    }

    /// The same for a range in this file.
    pub(crate) const fn is_in_range(self, range: TextRange) -> bool {
        range.contains(TextRange::at(self.offset)) && !range.is_empty()
    }
}

/// The files embedded in a host file, nested ones included; they directly follow their host.
pub(crate) fn embedded_files(project: &Project, file: FileId) -> impl Iterator<Item = &SourceFile> {
    let following = project.files.get(file.0 as usize + 1..).unwrap_or_default();
    following.iter().take_while(|inner| inner.host.is_some())
}

/// A host file and the files embedded in it.
pub(crate) fn file_and_embedded(project: &Project, file: FileId) -> impl Iterator<Item = &SourceFile> {
    project.files.get(file.0 as usize).into_iter().chain(embedded_files(project, file))
}

/// Maps a range to the host file, if it is contiguous there and on character boundaries.
pub(crate) fn to_host(project: &Project, file: FileId, range: TextRange) -> Option<FileRange> {
    let place = project.to_host(FileRange::new(file, range));
    let text = &project.file(place.file).text;
    text.get(place.range.as_usize()).map(|_| place)
}

/// The same, if the host has the same text there: only such a range may be replaced.
pub(crate) fn to_host_exact(project: &Project, file: FileId, range: TextRange) -> Option<FileRange> {
    let place = to_host(project, file, range)?;
    (place.range.slice(&project.file(place.file).text) == range.slice(&project.file(file).text)).then_some(place)
}

/// Maps a host offset to an embedded file of `length` bytes.
fn offset_from_host(map: &[(u32, u32)], length: u32, offset: u32) -> Option<u32> {
    let mut end_of_piece = None;
    for (index, (inner_start, host_start)) in map.iter().enumerate() {
        let end = map.get(index + 1).map_or(length, |(next, _)| *next);
        let size = end.saturating_sub(*inner_start);
        if *host_start <= offset && offset < host_start + size {
            return Some(inner_start + (offset - host_start));
        }
        if offset == host_start + size {
            end_of_piece = Some(end);
        }
    }
    end_of_piece
}
