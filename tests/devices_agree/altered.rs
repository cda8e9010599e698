//! Altered shaders: a wrong one is found out, and one that checks its own arithmetic finds nothing wrong.

use hdp_gpu::Settings;
use hdp_gpu::device::{Hooks, OpenOptions};
use hdp_gpu::params::Init;
use hdp_gpu::rng::{Step, key, philox, scale_bits, token_bits, token_block};
use libtest_mimic::Trial;

use crate::agree::{WAYS, agree, on_cpu, on_gpu};
use crate::corpora::drawn;
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for way in WAYS {
        let named = |name: &str| way.named(name);
        for (name, alter) in ALTERATIONS {
            let options = altered_by(way.options(), alter);
            trials.push(trial(named(name), move || is_found_out(options)));
        }
        let options = altered_by(way.options(), with_true_digest);
        trials.push(trial(named("arithmetic_at_its_edges"), move || arithmetic_at_its_edges(options)));
    }
    trials
}

type Alteration = fn(String) -> String;

pub(crate) fn altered_by(options: OpenOptions, alter: Alteration) -> OpenOptions {
    options.with_hooks(Hooks { alter_shader: Some(alter), ..options.hooks })
}

/// One constant altered each.
const ALTERATIONS: [(&str, Alteration); 3] = [
    ("altered_step_is_found_out", |source| replace(&source, "const STEP_Z = 1u;", "const STEP_Z = 9u;")),
    ("altered_alias_step_is_found_out", |source| {
        replace(&source, "const STEP_Z_ALIAS = 2u;", "const STEP_Z_ALIAS = 9u;")
    }),
    ("altered_multiplier_is_found_out", |source| {
        let multiplier = |number: u32| format!("const PHILOX_MULTIPLIER_0 = {number}u;");
        replace(&source, &multiplier(0xD251_1F53), &multiplier(0xD251_1F55))
    }),
];

pub(crate) fn replace(source: &str, from: &str, to: &str) -> String {
    assert_eq!(source.matches(from).count(), 1, "{from}");
    source.replace(from, to)
}

/// The altered shader samples something else; its counts still add up, so only the comparison can tell.
fn is_found_out(options: OpenOptions) {
    assert!(differs(options), "the altered shader gives the same z");
}

/// Whether an altered shader gives another z.
pub(crate) fn differs(options: OpenOptions) -> bool {
    let corpus = drawn(&[50; 40], 100);
    let settings = Settings { init: Init::Random(10), ..Settings::paper() };
    let (mut cpu, mut gpu) = (on_cpu(&corpus, &settings), on_gpu(&corpus, &settings, options));
    (0..5).any(|_| {
        cpu.step().unwrap();
        gpu.step().unwrap();
        cpu.z().unwrap() != gpu.z().unwrap()
    })
}

/// A seed with two halves.
const SEED: u64 = 0x0123_4567_89ab_cdef;

/// The shader first computes a digest of ⌊bits·n/2^64⌋, Philox and tokens' bits over awkward numbers, and does
/// nothing when it is not the host's: the documents are then never ended.
fn arithmetic_at_its_edges(options: OpenOptions) {
    let corpus = drawn(&[3], 2);
    let settings = Settings { init: Init::Random(10), seed: SEED, ..Settings::paper() };
    agree(&corpus, &settings, options, 1);
    let wrong = altered_by(options, with_wrong_digest);
    on_gpu(&corpus, &settings, wrong).step().expect_err("the digest is wrong");
}

/// The halves of 64-bit numbers at which carries come and go: all combinations of four are tried.
const EDGES: [u32; 8] = [0, 1, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];

/// The digest that the shader computes, in 64-bit and 128-bit arithmetic.
fn digest() -> u32 {
    let mix = |digest: u32, word: u32| (digest ^ word).wrapping_mul(0x0100_0193).rotate_left(5);
    let join = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
    let (mut digest, mut noise) = (1, [1; 4]);
    for case in 0..8192u32 {
        let mut x = [0, 3, 6, 9].map(|shift| EDGES[(case >> shift & 7) as usize]);
        if case >= 4096 {
            noise =
                noise.map(|word: u32| word.wrapping_mul(0x9E37_79B1).wrapping_add(0x7F4A_7C15 ^ word >> 15));
            x = [noise[0] ^ x[3], noise[1] ^ x[2].rotate_left(case), noise[2] ^ x[0], noise[3] ^ x[1]];
            noise[(case % 4) as usize] ^= case;
        }
        let scaled = scale_bits(join(x[0], x[1]), join(x[2], x[3]));
        digest = mix(mix(digest, scaled as u32), (scaled >> 32) as u32);
    }
    for case in 0..64usize {
        let x = EDGES[case % 8];
        let block = philox([x, EDGES[case / 8]], [EDGES[case / 8], x, EDGES[(case + 3) % 8], x ^ 5]);
        digest = block.into_iter().fold(digest, mix);
        // The token after this one, in the first iteration: its number carries into the high half.
        let i = join(x, EDGES[case / 8]).wrapping_add(1);
        let bits = token_bits(token_block(key(SEED), i, 1, Step::Z), i);
        digest = mix(mix(digest, bits as u32), (bits >> 32) as u32);
        let block = philox(key(SEED), [i as u32, (i >> 32) as u32, 1, Step::ZAlias as u32]);
        digest = block.into_iter().fold(digest, mix);
    }
    digest
}

const DIGEST_WGSL: &str = "
fn mix(digest: u32, word: u32) -> u32 {
    let product = (digest ^ word) * 0x01000193u;
    return product << 5u | product >> 27u;
}

fn mix4(digest: u32, block: vec4<u32>) -> u32 {
    return mix(mix(mix(mix(digest, block.x), block.y), block.z), block.w);
}

fn edge(at: u32) -> u32 {
    var edges = array<u32, 8>(0u, 1u, 0xffffu, 0x10000u, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu);
    return edges[at % 8u];
}

fn rotated(x: u32, by: u32) -> u32 {
    return select(x << (by % 32u) | x >> (32u - by % 32u), x, by % 32u == 0u);
}

fn digest() -> u32 {
    var digest = 1u;
    var noise = vec4<u32>(1u);
    for (var case_ = 0u; case_ < 8192u; case_ += 1u) {
        var x = vec4<u32>(edge(case_), edge(case_ >> 3u), edge(case_ >> 6u), edge(case_ >> 9u));
        if (case_ >= 4096u) {
            noise = noise * 0x9E3779B1u + (vec4<u32>(0x7F4A7C15u) ^ (noise >> vec4<u32>(15u)));
            x = noise ^ vec4<u32>(x.w, rotated(x.z, case_), x.x, x.y);
            noise[case_ % 4u] ^= case_;
        }
        let scaled = scale_bits(x.xy, x.zw);
        digest = mix(mix(digest, scaled.x), scaled.y);
    }
    for (var case_ = 0u; case_ < 64u; case_ += 1u) {
        let x = edge(case_);
        let y = edge(case_ / 8u);
        let block = philox(vec2<u32>(x, y), vec4<u32>(y, x, edge(case_ + 3u), x ^ 5u));
        digest = mix4(digest, block);
        let i = add64(vec2<u32>(x, y), vec2<u32>(1u, 0u));
        let pair = pair_bits(half64(i));
        let bits = select(pair.xy, pair.zw, (i.x & 1u) == 1u);
        digest = mix(mix(digest, bits.x), bits.y);
        digest = mix4(digest, alias_bits(i));
    }
    return digest;
}
";

fn with_true_digest(source: String) -> String {
    with_digest(&source, digest())
}

fn with_wrong_digest(source: String) -> String {
    with_digest(&source, digest() ^ 1)
}

fn with_digest(source: &str, expected: u32) -> String {
    let start = source.find("fn sample_z(").expect("the kernel is there");
    let body = start + source[start..].find(") {\n").expect("it has a body") + ") {\n".len();
    let check = format!("    if (digest() != {expected}u) {{\n        return;\n    }}\n");
    [&source[..body], &check, &source[body..], DIGEST_WGSL].concat()
}
