"""Made-up data of a report, in the shape that src/report/data.rs writes."""

import math
import random

LONG = "x" * 10_000
HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>window.__hacked=1</script>",
    "<img src=x onerror=window.__hacked=1>",
    "{{7*7}}",
    "{% raw %}",
    "${7*7}",
    '"><b>bold</b>',
    "'quoted'",
    "back\\slash",
    "\\u003cscript\\u003e",
    "<!--",
    "]]>",
    "&lt;b&gt;",
    "שלום",
    "مرحبا",
    "\u202eevil\u202c",
    "🦉",
    "👩‍👩‍👧",
    "日本語",
    "a\tb",
    "new\nline",
    "javascript:alert(1)",
    "=1+1",
    LONG,
]
SYLLABLES = "ba ce di fo gu la me ni po ru sa te vi wo xa".split()
SIZES = {  # topics, words a topic, documents, words in the search
    "usual": (60, 60, 300, 3000),
    "large": (600, 100, 6000, 20000),
    "hostile": (12, 40, 40, 300),
    "tiny": (1, 12, 0, 12),
}


def make_words(rng, count, hostile):
    """Words without repetition; the hostile ones come first, so that large topics have them."""
    words = list(HOSTILE) if hostile else []
    seen = set(words)
    while len(words) < count:
        word = "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 4)))
        if word not in seen:
            seen.add(word)
            words.append(word)
    return words


def make_topics(rng, kind):
    """Topics with falling sizes, and n_kv of their words by word."""
    topics, per_topic, _, vocabulary = SIZES[kind]
    numbers = rng.sample(range(topics * 3), topics)
    made, by_word = [], [[] for _ in range(vocabulary)]
    for rank, number in enumerate(numbers):
        tokens = max(40, round(400_000 / (rank + 3) ** 1.3))
        centre = 0 if kind == "hostile" else rng.randrange(vocabulary)
        chosen = {(centre + round(rng.expovariate(1 / 60))) % vocabulary for _ in range(per_topic * 3)}
        chosen = list(range(24)) + list(chosen - set(range(24))) if kind == "hostile" else list(chosen)
        counts = sorted(
            (max(1, round(0.08 * tokens / (i + 1) * rng.uniform(0.8, 1.1))) for i in range(per_topic)),
            reverse=True,
        )
        words = [[v, n] for v, n in zip(chosen[:per_topic], counts)]
        for v, n in words:
            by_word[v].append((n, number))
        angle, far = rng.uniform(0, 2 * math.pi), rng.gauss(0, 1)
        made.append(
            {
                "topic": number,
                "tokens": tokens,
                "documents": max(1, tokens // 90),
                "psi": 1 / (rank + 2) ** 1.2,
                "npmi": None if rank % 17 == 16 else round(rng.uniform(-0.1, 0.5), 4),
                "umass": round(-rng.uniform(0.4, 4), 4),
                "exclusivity": round(rng.uniform(0.1, 0.9), 4),
                "distinctiveness": (spread := 0.04 if rank % 8 == 1 else round(rng.uniform(0.3, 0.95), 4)),
                "background": spread < 0.2,
                "label": [v for v, _ in words[1:4]],
                "x": far * math.cos(angle),
                "y": 0.7 * far * math.sin(angle),
                "near": [],
                "words": words,
                "docs": [],
            }
        )
    total = sum(topic["tokens"] for topic in made)
    for topic in made:
        topic["share"] = topic["tokens"] / total
        others = sorted(
            (math.dist((topic["x"], topic["y"]), (o["x"], o["y"])), o["topic"])
            for o in made
            if o is not topic
        )
        topic["near"] = [number for _, number in others[:8]]
    return made, by_word, total


def as_text(words):
    """Words as the page has text: in parts, every second of which is a word of the topic."""
    parts = ["… "]
    for at, (word, in_topic) in enumerate(words):
        end = ". " if at % 9 == 8 else ", " if at % 5 == 4 else " "
        if in_topic:
            parts += [word, end]
        else:
            parts[-1] += word + end
    return parts


def make_documents(rng, kind, topics, words):
    """Documents with metadata, and the best ten of every topic with a passage: of text, but for every second topic of a hostile page."""
    count = SIZES[kind][2]
    sources = ["press", "parliament", "letters", "court"] + (HOSTILE if kind == "hostile" else [])
    documents = [
        {
            "name": rng.choice(HOSTILE)
            if kind == "hostile"
            else f"The {rng.choice(words)} of {rng.choice(words)}, no. {i + 1}",
            "number": i + 1,
            "tokens": rng.randint(40, 900),
            "meta": [str(1850 + i * 60 // count), rng.choice(sources)],
        }
        for i in range(count)
    ]
    for at, topic in enumerate(topics if count else []):
        own = [words[v] for v, _ in topic["words"]]
        for rank in range(10):
            passage = [
                [rng.choice(own), 1] if rng.random() < 0.4 else [rng.choice(words), 0] for _ in range(40)
            ]
            if kind != "hostile" or at % 2:
                passage = as_text(passage)
            topic["docs"].append([rng.randrange(count), round(0.95 - rank * 0.05, 4), passage])
    return documents


def make_view(rng, topics, unit, values, at):
    """A view of groups: shares in waves with intervals, without the smallest shares."""
    waves = [
        [topic["share"] * (1 + 0.8 * math.sin(i / 9 + rank) + rng.uniform(0, 0.2)) for i in range(len(values))]
        for rank, topic in enumerate(topics)
    ]
    totals = [sum(wave[i] for wave in waves) for i in range(len(values))]
    cells = []
    for rank, wave in enumerate(waves):
        flat = []
        for i, share in enumerate(wave):
            if rank > 5 and (i + rank) % 4 == 0:
                continue
            share = round(1e6 * share / totals[i])
            half = round(share * rng.uniform(0.1, 0.6))
            flat += [i, share, -1, -1] if i % 17 == 16 else [i, share, max(0, share - half), share + half]
        cells.append(flat)
    return {
        "unit": unit,
        "values": values,
        "at": at,
        "documents": [rng.randint(1, 90) for _ in values],
        "tokens": [rng.randint(500, 9000) for _ in values],
        "cells": cells,
    }


def make_groups(rng, kind, topics):
    """Shares of the topics by date, by source, and for many groups by country."""
    if kind == "tiny":
        return []
    years = list(range(1850, 1910))
    months = [(year, month) for year in years[:20] for month in range(1, 13)]
    dates = [
        make_view(rng, topics, "year", [str(year) for year in years], [float(year) for year in years]),
        make_view(rng, topics[:20], "month", [f"{y}-{m:02}" for y, m in months], [y + (m - 1) / 12 for y, m in months]),
        make_view(rng, topics, "decade", [f"{year}s" for year in years[::10]], [float(year) for year in years[::10]]),
    ]
    sources = ["press", "parliament", "letters", "court"] + (HOSTILE if kind == "hostile" else [])
    countries = [f"country {i + 1}" for i in range(300)]
    notes = ["Values that are no dates: 3, the first ‘about 1900’."]
    made = [
        {"column": "date", "kind": "date", "notes": notes, "views": dates},
        {"column": "source", "kind": "name", "notes": [], "views": [make_view(rng, topics, None, sources, [])]},
    ]
    if kind == "usual":
        view = make_view(rng, topics, None, countries, [])
        note = "The page has the 300 most distinctive of 5000 groups; topics-by-group.csv has all."
        made.append({"column": "country", "kind": "name", "notes": [note], "views": [view]})
        ages = [str(age) for age in range(20, 60)]
        view = make_view(rng, topics, None, ages, [float(age) for age in ages])
        made.append({"column": "age", "kind": "number", "notes": [], "views": [view]})
    return made


def make_run(rng, kind, topics, index):
    """The card and the traces of one run."""
    steps = list(range(0, 1001, 10))
    noise = lambda size: rng.gauss(0, size)
    likelihood = [-3_050_000 - 900_000 * math.exp(-i / 60) + noise(2500) for i in steps]
    sizes = [topic["tokens"] for topic in topics]
    ranks = [
        {
            "iteration": i,
            "tokens": sorted((max(1, round(n * f ** (r / 9))) for r, n in enumerate(sizes)), reverse=True)[
                : max(1, round(len(sizes) * f))
            ],
        }
        for i, f in ((10, 0.3), (50, 0.5), (100, 0.7), (500, 0.9), (1000, 1.0))
    ]
    timing = {
        "iteration": list(range(1, 1001)),
        "seconds": [0.03 + 0.02 * math.exp(-i / 200) + abs(noise(0.001)) for i in range(1000)],
    }
    name = HOSTILE[1] if kind == "hostile" else f"run-{index + 1}"
    return {
        "name": name,
        "command": f"hdp-gpu train docword.ap.txt.gz --out {name!r} --iterations 1000 --seed {index + 1}",
        "card": [
            [
                "Corpus",
                "docword.ap.txt.gz (uci), 2 206 documents, 393 565 tokens, 7 074 words"
                if kind != "hostile"
                else HOSTILE[0],
            ],
            [
                "Preparation",
                "left out: 319 stop words, words in fewer than 5 documents" if kind != "hostile" else LONG,
            ],
            ["Seed", str(index + 1)],
            ["Device", "CPU, 8 threads"],
            ["Priors", "α = 0.1, β = 0.01, γ = 1"],
            ["K*", "1000"],
            ["Iterations", "1000"],
            ["Time", "43.1 s"],
            ["Held out", "−7.62 ± 0.03 nats per word"],
            ["Version", "0.1.0"],
        ],
        "trace": {
            "iteration": steps,
            "log_likelihood": likelihood,
            "log_likelihood_lda": [x * 1.02 for x in likelihood],
            "active_topics": [
                round(len(topics) * (1 - math.exp(-(i + 2) / 150))) + (i > 0) * rng.randint(0, 3)
                for i in steps
            ],
        },
        "timing": None if kind == "tiny" else timing,
        "ranks": ranks[-1:] if kind == "tiny" else ranks,
    }


def make_matching(rng, topics, words, runs):
    """Topics of several runs: most are found by all, some by some, and a last one not by the first."""
    if runs < 2:
        return None
    matched = []
    for rank, topic in enumerate(topics[:40]):
        found = [[topic["topic"], topic["share"], 1.0]]
        for run in range(1, runs):
            lacks = rank % 5 == 4 and run >= rank % runs
            found.append(None if lacks else [rng.randrange(999), topic["share"] * 0.9, round(rng.uniform(0.8, 1), 3)])
        matched.append({"label": [words[v] for v in topic["label"]], "found": found})
    alone = {"label": words[-3:], "found": [None] * (runs - 1) + [[7, 0.004, 1.0]]}
    matched.sort(key=lambda topic: -sum(found is not None for found in topic["found"]))
    return {"runs": list(range(runs)), "topics": [*matched, alone]}


def make(kind, runs, seed):
    """All the data of a report."""
    rng = random.Random(seed)
    words = make_words(rng, SIZES[kind][3], kind == "hostile")
    topics, by_word, total = make_topics(rng, kind)
    documents = make_documents(rng, kind, topics, words)
    search = [[x for n, number in sorted(found, reverse=True)[:10] for x in (number, n)] for found in by_word]
    order = [topic["topic"] for topic in topics]
    quantiles = [
        {
            "percent": p,
            "topics": order[(start := round((len(order) - min(5, len(order))) * (1 - p / 100))) : start + 5],
        }
        for p in (100, 75, 50, 25, 5)
    ]
    if kind == "tiny":
        topics[0].update(npmi=None, umass=None, exclusivity=None, x=0.0, y=0.0)
    return {
        "version": "0.1.0",
        "beta": 0.01,
        "vocab_size": len(words),
        "num_tokens": total,
        "runs": [make_run(rng, kind, topics, i) for i in range(runs)],
        "settled": [
            "The log-likelihood has settled: over the last half it rises by less than it varies.",
            "The number of active topics still grows; more iterations may find further small topics.",
        ],
        "diagnostics": [
            {"trace": "log-likelihood", "rhat": 1.012 if runs > 1 else None, "ess": 35.2},
            {"trace": "active topics", "rhat": 1.31 if runs > 1 else None, "ess": None},
        ],
        "topics": topics,
        "words": words,
        "word_tokens": [round((sum(n for n, _ in found) + 1) * rng.uniform(1, 3)) for found in by_word],
        "search": search,
        "documents": documents,
        "metadata": ["year", HOSTILE[2] if kind == "hostile" else "source"],
        "groups": make_groups(rng, kind, topics),
        "no_groups": ["Nearly every document has its own ‘title’: 300 values of 300 documents."],
        "has_samples": runs > 1,
        "quantiles": quantiles[:1] if kind == "tiny" else quantiles,
        "fold_below": 0 if kind == "tiny" else topics[len(topics) * 3 // 4]["tokens"],
        "matching": make_matching(rng, topics, words, runs),
        "bag": kind == "hostile",
    }
