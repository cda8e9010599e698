//! The word of every token: in memory, or in a file that is mapped into it.

use std::fmt;
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

use memmap2::Mmap;

/// Word numbers, a token each; to be used as a slice.
#[derive(Clone)]
pub struct Words(Held);

#[derive(Clone)]
enum Held {
    Owned(Vec<u32>),
    /// Bytes of a map that are aligned as words are.
    Mapped(Arc<Mmap>, Range<usize>),
}

impl Words {
    /// The words in `bytes` of a map, little-endian; copied where they cannot be used in place.
    pub(super) fn mapped(map: &Arc<Mmap>, bytes: Range<usize>) -> Self {
        match bytemuck::try_cast_slice::<u8, u32>(&map[bytes.clone()]) {
            Ok(_) if cfg!(target_endian = "little") => Self(Held::Mapped(Arc::clone(map), bytes)),
            _ => Self::copied(&map[bytes]),
        }
    }

    /// The words in `bytes`, little-endian.
    pub(super) fn copied(bytes: &[u8]) -> Self {
        let (words, _) = bytes.as_chunks();
        words.iter().map(|&word| u32::from_le_bytes(word)).collect::<Vec<_>>().into()
    }

    /// Whether they lie in a mapped file.
    pub(crate) fn is_mapped(&self) -> bool {
        matches!(self.0, Held::Mapped(..))
    }

    /// The words in memory of their own, to be changed.
    pub fn to_mut(&mut self) -> &mut Vec<u32> {
        if let Held::Mapped(..) = self.0 {
            self.0 = Held::Owned(self.to_vec());
        }
        match &mut self.0 {
            Held::Owned(words) => words,
            Held::Mapped(..) => unreachable!("has just been copied"),
        }
    }
}

impl Deref for Words {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        match &self.0 {
            Held::Owned(words) => words,
            Held::Mapped(map, bytes) => bytemuck::cast_slice(&map[bytes.clone()]),
        }
    }
}

impl DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [u32] {
        self.to_mut()
    }
}

impl From<Vec<u32>> for Words {
    fn from(words: Vec<u32>) -> Self {
        Self(Held::Owned(words))
    }
}

impl<'a> IntoIterator for &'a Words {
    type Item = &'a u32;
    type IntoIter = std::slice::Iter<'a, u32>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl Eq for Words {}

impl<T: AsRef<[u32]>> PartialEq<T> for Words {
    fn eq(&self, other: &T) -> bool {
        self[..] == *other.as_ref()
    }
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}
