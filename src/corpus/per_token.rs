//! The word or the topic of every token: in memory, or in a file that is mapped into it.

use std::env::temp_dir;
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

use super::map::MappedFile;
use crate::error::{Error, Result};
use crate::files::checked_file::write_numbers;
use crate::files::temporary::nameless;
use bytemuck::Pod;

/// Numbers, a token each; to be used as a slice. Clones share them until one is changed.
#[derive(Clone)]
pub struct PerToken<T>(Held<T>);

/// The word of every token.
pub type Words = PerToken<u32>;

/// The topic of every token.
pub type Topics = PerToken<u16>;

#[derive(Clone)]
enum Held<T> {
    Owned(Arc<Vec<T>>),
    /// Bytes of a map that are aligned as the numbers are.
    Mapped(Arc<MappedFile>, Range<usize>, PhantomData<T>),
}

impl Words {
    /// The words in `bytes` of a map, little-endian; copied where they cannot be used in place.
    pub(super) fn mapped(map: &Arc<MappedFile>, bytes: Range<usize>) -> Self {
        Self::in_map(map, bytes.clone()).unwrap_or_else(|| Self::copied(&map[bytes]))
    }

    /// The words in `bytes`, little-endian.
    pub(super) fn copied(bytes: &[u8]) -> Self {
        numbers(bytes, u32::from_le_bytes).into()
    }

    /// The same words in a temporary file.
    ///
    /// # Errors
    /// [`Error::Write`] when the folder for temporary files has no room.
    pub(super) fn put_away(&self) -> Result<Self> {
        let (map, bytes) = put_away(|mut out| write_numbers(&mut out, self, |v| v.to_le_bytes()))?;
        Ok(Self::mapped(&map, bytes))
    }
}

impl Topics {
    /// Topics that `write` writes, little-endian, in a temporary file.
    ///
    /// # Errors
    /// As for words.
    pub(crate) fn put_away(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<Self> {
        let (map, bytes) = put_away(write)?;
        Ok(Self::in_map(&map, bytes.clone())
            .unwrap_or_else(|| numbers(&map[bytes], u16::from_le_bytes).into()))
    }
}

/// What `write` writes, in a mapped file of the folder for temporary files that nobody else sees.
fn put_away(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(Arc<MappedFile>, Range<usize>)> {
    let folder = temp_dir();
    let written = || {
        let file = nameless(&folder)?;
        let mut out = BufWriter::new(&file);
        write(&mut out)?;
        out.flush()?;
        drop(out);
        Ok::<File, io::Error>(file)
    };
    let map = written().and_then(|file| MappedFile::unseen(&file)).map_err(Error::write(&folder))?;
    let bytes = 0..map.len();
    Ok((Arc::new(map), bytes))
}

fn numbers<T, const SIZE: usize>(bytes: &[u8], from_le_bytes: fn([u8; SIZE]) -> T) -> Vec<T> {
    bytes.as_chunks().0.iter().map(|&number| from_le_bytes(number)).collect()
}

impl<T: Pod> PerToken<T> {
    /// Those in `bytes` of a map, little-endian, where they can be used in place.
    fn in_map(map: &Arc<MappedFile>, bytes: Range<usize>) -> Option<Self> {
        let is_usable = bytemuck::try_cast_slice::<u8, T>(&map[bytes.clone()]).is_ok();
        (is_usable && cfg!(target_endian = "little"))
            .then(|| Self(Held::Mapped(Arc::clone(map), bytes, PhantomData)))
    }

    /// Lets some of them out of memory until they are used again, if they are in a file.
    pub(super) fn let_go(&self, tokens: Range<usize>) {
        if let Held::Mapped(map, bytes, _) = &self.0 {
            let byte = |token| bytes.start + size_of::<T>() * token;
            map.let_go(byte(tokens.start)..byte(tokens.end));
        }
    }

    /// Some of them; those of a mapped file stay in it.
    pub(super) fn part(&self, tokens: Range<usize>) -> Self {
        match &self.0 {
            Held::Owned(numbers) => numbers[tokens].to_vec().into(),
            Held::Mapped(map, bytes, _) => {
                let byte = |token| bytes.start + size_of::<T>() * token;
                Self(Held::Mapped(Arc::clone(map), byte(tokens.start)..byte(tokens.end), PhantomData))
            }
        }
    }

    /// The file that they lie in, if it is mapped.
    fn file(&self) -> Option<&MappedFile> {
        match &self.0 {
            Held::Owned(_) => None,
            Held::Mapped(file, ..) => Some(file),
        }
    }

    /// Refuses numbers whose file has been written to, as far as its length and time tell.
    pub(super) fn check_stamp(&self) -> Result<()> {
        self.file().map_or(Ok(()), MappedFile::check_stamp)
    }

    /// As [`Self::check_stamp`], with a look at every byte.
    pub(super) fn check_content(&self) -> Result<()> {
        self.file().map_or(Ok(()), MappedFile::check_content)
    }

    /// Whether they lie in a mapped file.
    pub(crate) fn is_mapped(&self) -> bool {
        matches!(self.0, Held::Mapped(..))
    }

    /// The numbers in memory of their own, to be changed.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if let Held::Mapped(..) = self.0 {
            self.0 = Held::Owned(Arc::new(self.to_vec()));
        }
        match &mut self.0 {
            Held::Owned(numbers) => Arc::make_mut(numbers),
            Held::Mapped(..) => unreachable!("has just been copied"),
        }
    }

    /// The numbers in memory of their own.
    pub fn into_vec(mut self) -> Vec<T> {
        std::mem::take(self.to_mut())
    }
}

impl<T: Pod> Deref for PerToken<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Held::Owned(numbers) => numbers,
            Held::Mapped(map, bytes, _) => bytemuck::cast_slice(&map[bytes.clone()]),
        }
    }
}

impl<T: Pod> DerefMut for PerToken<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.to_mut()
    }
}

impl<T> From<Vec<T>> for PerToken<T> {
    fn from(numbers: Vec<T>) -> Self {
        Self(Held::Owned(Arc::new(numbers)))
    }
}

impl<'a, T: Pod> IntoIterator for &'a PerToken<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Pod + PartialEq> PartialEq for PerToken<T> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<T: Pod + Eq> Eq for PerToken<T> {}

impl<T: Pod + PartialEq, A: AsRef<[T]>> PartialEq<A> for PerToken<T> {
    fn eq(&self, other: &A) -> bool {
        self[..] == *other.as_ref()
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for PerToken<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}
