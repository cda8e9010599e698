//! model.safetensors and vocab.txt: Ψ and n, written and read back.

use std::io::Write;

use safetensors::SafeTensors;
use sha2::{Digest, Sha256};

use super::tensors::{Tensor, write_tensors};
use crate::error::Result;
use crate::files::checked_file::hex;
use crate::files::whole::write_whole;
use crate::model::counts::{ColumnBlock, TopicWordCounts};
use crate::model::trained::Model;
use crate::params::{MAX_CONCENTRATION, MIN_CONCENTRATION};
use crate::run::folder::{Folder, name};
use crate::run::record::damaged;

/// The metadata that tells which vocabulary is the model's: the SHA-256 of vocab.txt.
const VOCAB_DIGEST: &str = "vocab_sha256";

fn digest(bytes: &[u8]) -> String {
    hex(Sha256::new_with_prefix(bytes))
}

/// Writes model.safetensors and vocab.txt.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_model(folder: &Folder, model: &Model) -> Result<()> {
    let Model { alpha, beta, gamma, psi, n, vocab } = model;
    let words: String = vocab.iter().flat_map(|word| [word, "\n"]).collect();
    write_whole(&folder.file(name::VOCAB), |out| out.write_all(words.as_bytes()))?;
    let rows = Rows::of(n);
    let metadata = [
        ("alpha", alpha.to_string()),
        ("beta", beta.to_string()),
        ("gamma", gamma.to_string()),
        (VOCAB_DIGEST, digest(words.as_bytes())),
    ];
    write_tensors(
        &folder.file(name::MODEL),
        &metadata,
        &[
            Tensor::f64("psi", &[psi.len()], psi.iter().copied()),
            Tensor::u64("n_indptr", &rows.indptr),
            Tensor::u32("n_indices", &rows.indices),
            Tensor::u32("n_data", &rows.data),
        ],
    )
}

/// n by topic, as a compressed sparse row matrix.
struct Rows {
    indptr: Vec<u64>,
    indices: Vec<u32>,
    data: Vec<u32>,
}

impl Rows {
    fn of(n: &TopicWordCounts) -> Self {
        let mut indptr = vec![0u64; n.topic_tokens.len() + 1];
        for column in n.columns() {
            for &k in column.topic {
                indptr[usize::from(k) + 1] += 1;
            }
        }
        for k in 1..indptr.len() {
            indptr[k] += indptr[k - 1];
        }
        let nonzeros = indptr[n.topic_tokens.len()] as usize;
        let (mut indices, mut data) = (vec![0; nonzeros], vec![0; nonzeros]);
        let mut next = indptr.clone();
        for column in n.columns() {
            for (k, count) in column.iter() {
                let at = next[usize::from(k)] as usize;
                (indices[at], data[at]) = (column.word, count);
                next[usize::from(k)] += 1;
            }
        }
        Self { indptr, indices, data }
    }
}

/// Reads the model of a finished run.
///
/// # Errors
/// [`crate::Error::Read`] or [`crate::Error::Input`] when a file is missing, damaged or does not fit the others.
pub fn read_model(folder: &Folder) -> Result<Model> {
    let words = folder.read(name::VOCAB)?;
    let words_digest = digest(&words);
    let vocab = String::from_utf8(words).map_err(|_| damaged(&folder.file(name::VOCAB), "is not UTF-8"))?;
    let vocab: Vec<String> = vocab.lines().map(str::to_owned).collect();
    let bytes = folder.read(name::MODEL)?;
    let model = parse_model(&bytes, vocab)
        .map_err(|problem| damaged(&folder.file(name::MODEL), format!("not a usable model: {problem}")))?;
    if vocab_digest(&bytes).is_some_and(|of_model| of_model != words_digest) {
        return Err(damaged(&folder.file(name::VOCAB), format!("is not the vocabulary of {}", name::MODEL)));
    }
    Ok(model)
}

/// The digest of its vocabulary that a model has; models of the first versions have none.
fn vocab_digest(bytes: &[u8]) -> Option<String> {
    let (_, header) = SafeTensors::read_metadata(bytes).ok()?;
    header.metadata().as_ref()?.get(VOCAB_DIGEST).cloned()
}

fn parse_model(bytes: &[u8], vocab: Vec<String>) -> Result<Model, String> {
    let tensors = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| error.to_string())?;
    let concentration = |name: &str| -> Result<f64, String> {
        let text = header.metadata().as_ref().and_then(|metadata| metadata.get(name));
        let number = text.and_then(|text| text.parse().ok());
        number.filter(|number| (MIN_CONCENTRATION..=MAX_CONCENTRATION).contains(number)).ok_or_else(|| {
            format!("no number {name} from {MIN_CONCENTRATION:e} to {MAX_CONCENTRATION:e} in its metadata")
        })
    };
    let psi = values(&tensors, "psi", f64::from_le_bytes)?;
    // The z step counts on weights that are at most 1 together.
    if !psi.iter().all(|psi| (0.0..=1.0).contains(psi)) || psi.iter().sum::<f64>() > 1.0 + 1e-6 {
        return Err("psi has numbers that are no shares of one whole".to_owned());
    }
    let rows = Rows {
        indptr: values(&tensors, "n_indptr", u64::from_le_bytes)?,
        indices: values(&tensors, "n_indices", u32::from_le_bytes)?,
        data: values(&tensors, "n_data", u32::from_le_bytes)?,
    };
    let n = rows.into_counts(psi.len(), vocab.len())?;
    if n.active_topics() == 0 {
        return Err("no topic has tokens".to_owned());
    }
    Ok(Model {
        alpha: concentration("alpha")?,
        beta: concentration("beta")?,
        gamma: concentration("gamma")?,
        n,
        psi,
        vocab,
    })
}

/// The values of a tensor with elements of `SIZE` bytes.
fn values<T, const SIZE: usize>(
    tensors: &SafeTensors<'_>,
    name: &str,
    from_le_bytes: impl Fn([u8; SIZE]) -> T,
) -> Result<Vec<T>, String> {
    let tensor = tensors.tensor(name).map_err(|error| error.to_string())?;
    let (values, rest) = tensor.data().as_chunks::<SIZE>();
    if tensor.shape() != [values.len()] || !rest.is_empty() {
        return Err(format!("{name} has an unexpected type or shape"));
    }
    Ok(values.iter().map(|&bytes| from_le_bytes(bytes)).collect())
}

impl Rows {
    /// The same counts by word; `Err` says what does not fit.
    fn into_counts(self, k_star: usize, vocab_size: usize) -> Result<TopicWordCounts, String> {
        let Self { indptr, indices, data } = self;
        let whole = indptr.len() == k_star + 1
            && indptr.first() == Some(&0)
            && indptr.is_sorted()
            && indptr.last() == Some(&(indices.len() as u64))
            && indices.len() == data.len()
            && k_star <= usize::from(u16::MAX);
        if !whole {
            return Err("the parts of n do not fit together".to_owned());
        }
        let mut columns: Vec<Vec<(u16, u32)>> = vec![Vec::new(); vocab_size];
        let mut topic_tokens = vec![0u64; k_star];
        for (k, row) in indptr.windows(2).enumerate() {
            for at in row[0] as usize..row[1] as usize {
                let column = columns.get_mut(indices[at] as usize);
                let column = column.ok_or_else(|| format!("n has a word that {} lacks", name::VOCAB))?;
                if data[at] == 0 || column.last().is_some_and(|&(last, _)| usize::from(last) == k) {
                    return Err("n has a count of 0, or two of one word in one topic".to_owned());
                }
                column.push((k as u16, data[at]));
                topic_tokens[k] += u64::from(data[at]);
            }
        }
        let mut block = ColumnBlock::new(0..vocab_size as u32);
        for column in columns {
            column.into_iter().for_each(|(k, count)| block.push(k, count));
            block.end_column();
        }
        Ok(TopicWordCounts { blocks: vec![block], topic_tokens })
    }
}
