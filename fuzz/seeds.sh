#!/usr/bin/env bash
# Makes tests/fixtures/fuzz anew: a few small inputs for every target, from the fixtures of the tests, from what was found once, and from
# the program itself, by the path HDP_GPU_PROGRAM or built for this. `cargo test --test fuzz` gives them to the targets.
set -euo pipefail
cd "$(dirname "$0")/.."

fixtures=tests/fixtures/formats
corpus=tests/fixtures/fuzz
rm -rf $corpus
cut=$'\n--8<--\n'

# A seed for a target, from standard input.
seed() { mkdir -p "$corpus/$1" && cat >"$corpus/$1/$2"; }
copy() { mkdir -p "$corpus/$1" && cp "${@:2}" "$corpus/$1/"; }

copy uci $fixtures/gensim.uci
copy ldac $fixtures/gensim.ldac
copy mm $fixtures/*.m{m,tx}
copy svmlight $fixtures/*.svmlight
copy npz $fixtures/*.npz
copy vocabulary $fixtures/*.vocab $fixtures/gensim.dict.txt
printf '1\n3\n3\n1 3 2\n1 1 1\n1 3 1\n' | seed uci unordered
printf '0 qid:3 0:1 2:2 # a note\n+1,2 1:1.0\n' | seed svmlight query
printf '3\n0\tapple\t2\n1\tbee\t1\n2\tbell\t1\n' | seed vocabulary dictionary
printf 'apple\nbee\nbell\n' | seed vocabulary lines

printf 'The cat sat on the mat.\nÉté, ΟΔΟΣ, don’t; 木の 42!\n\ncat cat sat\n' | seed text lines
printf 'a1\tnews\tthe cat sat\na2\tpoems\tthe mat\n' | seed mallet lines
printf 'id,text,year\r\n1,"a cat, a ""mat""",1999\r\n2,"two\r\nlines",2000\r\n' | seed csv table
printf 'id\ttext\tyear\n1\ta cat\t1999\n2\t"two\nlines"\t2000\n' | seed tsv table
printf '{"id": 1, "text": "a cat", "tags": ["x", null]}\n{"id": "2", "text": null, "year": 2e3}\n' | seed jsonl objects
printf '[{"id": 1, "text": "a cat", "tags": ["x", "]"]},\n {"id": "2", "text": null, "year": 2e3}]\n' | seed json array
printf '<!DOCTYPE html><meta charset=utf-8><p>A c<b>a</b>t&amp;m&eacute;<!-- no --><script>if (a < b) {}</script><br>mat' | seed html page
printf '<w:document><w:p><w:t>A cat &amp; a</w:t><w:tab/><w:t>mat</w:t></w:p><mc:Fallback><w:t>no</w:t></mc:Fallback></w:document>' |
  seed docx body
printf 'a cat%sa mat\n\xff\xfea\0b\0%stwo\nlines\n' "$cut" "$cut" | seed folder files

# Letters of many scripts, in encodings by their place in src/options.rs.
printf '\x00text,year\n\xef\xbb\xbfcaf\xc3\xa9,1\n' | seed encodings utf-8
printf '\x01t\0e\0x\0t\0\n\0a\0\x3d\xd8\x00\xde\n\0' | seed encodings utf-16le
printf '\x17text\ncaf\xe9 \x80\n' | seed encodings windows-1252
printf '\x20text\n\x81\x30\x81\x30 \xc4\xe3\n' | seed encodings gb18030
printf '\x23text\n\x1b$B\x46\x7c\x4b\x5c\x1b(B\n' | seed encodings iso-2022-jp
printf '\x24text\n\x93\xfa\x96\x7b\n' | seed encodings shift_jis

words='new york is far; new york was near. new york, new york! running runs ran: new york and new york'
printf '\x20\0\0\0\0\0\x01%s%stext\n%s' "$words" "$cut" "$words" | seed preparation bigrams
printf '\x5f\x08\1\1\2\xff\0%s%stext,x\n"%s\n",y' "$words" "$cut" "$words" | seed preparation stems
printf '\x08\0\2\2\2\xc0\0%s\n%s%stext\n"new,\nold"%s[^ ]+%snear far' "$words" "$words" "$cut" "$cut" "$cut" |
  seed preparation pattern

# What was found once, or nearly.
printf '\x23text\n\x1b$B\x46' | seed encodings cut-in-an-escape
printf 'a,a,a,a_2,a,text\n1,2,3,4,5,a cat\n' | seed csv equal-names
printf '"text"\n"never closed\n' | seed csv open-quote
printf '1 0:955161\n' | seed svmlight many-tokens
printf '1 0:18446744073709551615 1:1e308\n' | seed svmlight huge-counts
printf '1 4294967295:1\n' | seed ldac last-word
printf '1000000\n1\n1\n1 1 1\n' | seed uci many-documents
printf '1\n1\n1\n1 1 0\n' | seed uci no-tokens
printf '#doc source pos typeindex type topic\n0 a\r 0 0 b\r 0\n' | seed state carriage-returns
printf '{"text": "a \\ud800 b", "text": "again"}\n{}\n' | seed jsonl lone-surrogate
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n' | seed mm symmetric
printf '\xef\xbb\xbf\n\x1b[31mred\x1b[0m \xe2\x80\xaetxt\n' | seed text marks
printf 'apple\napple\n\nbell' | seed vocabulary equal-words
printf '\x08\0\0\0\0\0\0a\nb%stext\n"a\nb"%s(?s).+' "$cut" "$cut" | seed preparation words-over-lines

# What the program writes.
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
mkdir "$made/bin"
if [ -z "${HDP_GPU_PROGRAM:-}" ]; then
  cargo build --quiet --release --no-default-features --features cli --target-dir fuzz/target
  HDP_GPU_PROGRAM=fuzz/target/release/hdp-gpu
fi
cp "$HDP_GPU_PROGRAM" "$made/bin/hdp-gpu"
# The program tells in its files how it was called, so it is called without any folder of this machine.
hdp_gpu() { (cd "$made" && PATH="$made/bin:$PATH" hdp-gpu "$@" >log 2>&1); }
cp $fixtures/gensim.uci $fixtures/gensim.uci.vocab $fixtures/gensim.ldac $fixtures/gensim.ldac.vocab "$made"
keep='--min-count 0 --min-doc-length 0 --stopwords none'
cp "$corpus"/jsonl/objects "$made/corpus.jsonl"
hdp_gpu train gensim.uci --iterations 20 --max-topics 5 --init-topics 3 --device cpu --out run
# shellcheck disable=SC2086
hdp_gpu train corpus.jsonl $keep --id-column id --iterations 3 --max-topics 2 --device cpu --out named
for run in run named; do
  gzip --decompress --stdout "$made/$run/state.gz" | seed state $run
  { cat "$made/$run/vocab.txt"; printf %s "$cut"; cat "$made/$run/model.safetensors"; } | seed model $run
done
hdp_gpu train gensim.uci --iterations 9 --max-topics 5 --init-topics 3 --samples 3 --thin 2 --device cpu --out sums
for run in run sums; do
  for checkpoint in "$made/$run"/checkpoint/*.checkpoint; do
    seed checkpoint "$run-$(basename "$checkpoint")" <"$checkpoint"
    # The target adds the checksum.
    head --bytes=-32 "$checkpoint" | seed checkpoint "$run-$(basename "$checkpoint" .checkpoint)"
  done
done
hdp_gpu prepare gensim.ldac --out counts
# shellcheck disable=SC2086
hdp_gpu prepare corpus.jsonl $keep --id-column id --stem english --bigrams 0.5 --out objects
for name in counts objects; do
  seed prepared $name-whole <"$made/$name"
  # The target adds the checksum.
  head --bytes=-32 "$made/$name" | seed prepared $name
done

# By number of the format, as in Format::ALL; 14 is none.
pack() { { printf "\\x$(printf %02x "$1")"; cat "$2" | "${@:4}"; } | seed compressed "$3"; }
pack 14 "$corpus/uci/gensim.uci" uci.gz gzip
pack 14 "$corpus/text/lines" text cat
pack 4 $fixtures/csr.npz npz.gz gzip
pack 6 "$made/counts" prepared.gz gzip
pack 10 "$corpus/csv/table" csv cat
if command -v zstd >/dev/null; then
  pack 14 "$corpus/ldac/gensim.ldac" ldac.zst zstd
  pack 12 "$corpus/jsonl/objects" jsonl.zst zstd
fi
