//! Values that ranks tell each other, as JSON.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Ranks;

impl Ranks {
    /// Tells all ranks a value of the first one; the others' own is left aside.
    ///
    /// # Panics
    /// When the value cannot be written as JSON.
    pub fn tell<T: Serialize + DeserializeOwned>(&self, value: Option<T>) -> T {
        let mut bytes = match &value {
            Some(value) if self.is_first() => serde_json::to_vec(value).expect("what is told is JSON"),
            _ => Vec::new(),
        };
        self.broadcast(&mut bytes);
        match value {
            Some(value) if self.is_first() => value,
            _ => serde_json::from_slice(&bytes).expect("what was told is what was written"),
        }
    }

    /// Sends bytes to another rank, which does not know how many: it [receives](Self::receive_told) them.
    pub fn send_told(&self, to: usize, bytes: &[u8]) {
        self.send(to, &(bytes.len() as u64).to_le_bytes());
        self.send(to, bytes);
    }

    /// Receives the bytes that another rank sends with [`Self::send_told`].
    pub fn receive_told(&self, from: usize) -> Vec<u8> {
        let mut length = [0_u64];
        self.receive_into(from, &mut length);
        let mut bytes = vec![0; u64::from_le(length[0]) as usize];
        self.receive_into(from, &mut bytes);
        bytes
    }

    /// A value of each rank, in the order of ranks.
    ///
    /// # Panics
    /// When one cannot be written as JSON, or is none of the kind.
    pub fn gather_told<T: Serialize + DeserializeOwned>(&self, own: &T) -> Vec<T> {
        let said = self.gather(&serde_json::to_vec(own).expect("what is said is JSON"));
        said.iter()
            .map(|said| serde_json::from_slice(said).expect("what was said is what was written"))
            .collect()
    }
}
