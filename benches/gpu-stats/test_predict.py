"""The model's arithmetic, by numbers that can be checked by hand: python3 -m unittest discover benches/gpu-stats"""

import unittest
from dataclasses import replace

import stats
from kernels import KERNELS, Loop, Rare, Shape, slowest, some, table_lines
from predict import CORPORA, DEVICES, Assumptions, Thread, cached, cpu_rate, predict, served, token_bytes, waves_held

TOKEN = {"valu": 100, "salu": 250, "branch": 50, "lds": 10, "load": 4, "wait load": 5, "wait lds": 2}
STATS = {
    "kernel": "team8",
    "cold waits": 2,
    "token": TOKEN | {"clocks": 2000, "stalled clocks": 1000},
    "document": {"clocks": 0},
    "waves": {"1000": 10},
    "LDS bytes": {"1000": 4096},
}
# Round numbers: a clock is a nanosecond.
PLAIN = replace(DEVICES[0], simds=1, clock=1.0, near=100, l2=200, dram=400, l2_bytes=1e12, bandwidth=1e6, link=1e9)
CORPUS = replace(CORPORA[0], tokens=1e6, docs=1e4, longest=100)
QUIET = Assumptions(shared_latency=50, submission=0)
# A token whose word has one entry.
SHAPE = Shape("", topics=1, doc_tokens=1, short=1, long=1, held=1, by_topics=0.0, table_topics=1)


class Queue(unittest.TestCase):
    def test_one_customer_waits_for_nobody(self):
        self.assertAlmostEqual(served(2, 6, 1), 1 / 8)

    def test_two_customers_by_hand(self):
        # After one: rate 1/8, queue 1/4. The second finds that queue: response 2·1.25, rate 2 / 8.5.
        self.assertAlmostEqual(served(2, 6, 2), 2 / 8.5)

    def test_many_customers_reach_the_server_and_never_pass_it(self):
        self.assertLessEqual(served(2, 6, 200), 0.5)
        self.assertAlmostEqual(served(2, 6, 200), 0.5, places=2)

    def test_half_a_customer(self):
        self.assertAlmostEqual(served(2, 6, 0.5), 1 / 16)


class Gpu(unittest.TestCase):
    def test_latency_is_the_sum_of_its_parts(self):
        made = predict(PLAIN, CORPUS, STATS, QUIET)
        # Chain 1000; two far loads 2·200; three near ones 3·100; two of workgroup memory 2·50.
        self.assertAlmostEqual(made.latency, 1800e-9)

    def test_issue_is_the_busiest_unit_or_the_sum_of_all(self):
        self.assertAlmostEqual(predict(PLAIN, CORPUS, STATS, QUIET).issue, 300e-9)
        one_unit = replace(PLAIN, scalar_unit=False, wave_lanes=32)
        self.assertAlmostEqual(predict(one_unit, CORPUS, STATS, QUIET).issue, 414e-9)

    def test_a_wave_alone_makes_a_token_per_latency(self):
        alone = predict(PLAIN, CORPUS, STATS | {"waves": {"1000": 1}}, QUIET)
        self.assertAlmostEqual(alone.rate * 1800e-9, 8.0)  # of each of its documents

    def test_few_documents_are_few_waves(self):
        few = predict(PLAIN, replace(CORPUS, docs=1), STATS, QUIET)
        self.assertAlmostEqual(few.rate * few.latency, 1.0)

    def test_the_last_documents_and_the_link_are_paid_for(self):
        made = predict(PLAIN, CORPUS, STATS, QUIET)
        self.assertAlmostEqual(made.z_seconds, 1e6 / made.rate + 0.1 * 100 * made.latency, places=6)

    def test_bandwidth_bounds(self):
        # The word, the counted entry read and written, and the weight and topic of one entry.
        self.assertAlmostEqual(table_lines(SHAPE), 1 + 20 / 64 + 2 + 1 + (1 - 2 / 64))
        # Looked up: a line of blocks, and each of two topics in a line of its own or not.
        long = replace(SHAPE, by_topics=1.0, long=33, held=2, table_topics=16)
        self.assertAlmostEqual(table_lines(long), 1 + 20 / 64 + 2 + 1 + 3 * (1 - (2 / 3) ** 2))
        self.assertEqual(token_bytes(6, 1.0), 8)
        self.assertEqual(token_bytes(6, 0.0), 8 + 64 * 6)
        slow = predict(replace(PLAIN, bandwidth=1e-3), CORPUS, STATS, QUIET)
        self.assertAlmostEqual(slow.rate, 1e6 / 8)

    def test_a_cache_of_a_quarter_of_the_tables_answers_half(self):
        quarter = (8 * CORPUS.nonzeros + 24 * CORPUS.words) / 4
        self.assertAlmostEqual(cached(replace(PLAIN, l2_bytes=quarter), CORPUS, QUIET), 0.5)

    def test_workgroup_memory_limits_waves_of_other_makers(self):
        other = replace(PLAIN, own_code=False, wave_lanes=64, shared_bytes=12288, most_groups=8, most_waves=8)
        self.assertEqual(waves_held(other, STATS, 1000), 3)


class Cpu(unittest.TestCase):
    def test_a_thread_is_one_customer(self):
        thread = Thread("", instructions=400, mispredicted=2, l1_misses=10, l2_misses=4, measured={})
        # 100 + 2·10 + (6·14 + 4·60) / 4 = 201 clocks.
        rate = cpu_rate(thread, 2, clock=1e9, per_clock=4, branch=10, l2=14, l3=60, overlap=4)
        self.assertAlmostEqual(rate, 2e9 / 201)


class Blocks(unittest.TestCase):
    LISTING = """
BB0
/* logical preds: / linear preds: / kind: top-level, */
\t(  1 clk)   s0 = s_mov_b32 0
BB1
/* logical preds: / linear preds: BB0, BB6, / kind: loop-header, */
\t(  1 clk)   s[0-1] = s_cbranch_scc1 block:BB7
BB2
/* logical preds: / linear preds: BB1, BB3, / kind: loop-header, */
\t(  1 clk)   s[0-1] = s_cbranch_scc1 block:BB4
BB3
/* logical preds: / linear preds: BB2, / kind: uniform, */
\t(  2 clk)   v0 = buffer_load_dword s[0-3], v0, 0 offen
\t(320 clk)   s_waitcnt vmcnt(0)
\t(  2 clk)   v0 = v_add_u32 v0, v0
BB4
/* logical preds: / linear preds: BB2, / kind: uniform, */
\t(  1 clk)   s[0-1] = s_cbranch_scc1 block:BB6
BB5
/* logical preds: / linear preds: BB4, / kind: uniform, */
\t(  2 clk)   v1 = v_mov_b32 0x5eed0000
\t( 10 clk)   v1 = v_mul_lo_u32 v1, v1
BB6
/* logical preds: / linear preds: BB4, BB5, / kind: uniform, */
BB7
/* logical preds: / linear preds: BB1, / kind: uniform, */
num_waves: 9
exec = s_mov_b64 s[0-1]
"""

    def program(self) -> stats.Program:
        return stats.Program(self.LISTING)

    def kernel(self, trips: float, share: float):
        loops = (Loop("token", lambda s: 1, (Loop("inner", lambda s: trips),), per_token=True),)
        return replace(KERNELS["team8"], loops=loops, rare=(Rare("rare", "", "", lambda s: share),))

    def test_blocks_count_as_often_as_they_run(self):
        program, shape = self.program(), SHAPE
        weight, token = stats.weights(program, self.kernel(3, 0.25), shape)
        self.assertEqual((weight[2], weight[3], weight[4], weight[5]), (4, 3, 1, 0.25))
        total = stats.count(program, weight, token)
        self.assertEqual(total["load"], 3)
        self.assertEqual(total["wait load"], 3)
        self.assertAlmostEqual(total["stalled clocks"], 3 * 319)
        # The mark itself is not counted: 3 additions and a quarter of a multiplication.
        self.assertAlmostEqual(total["valu"], 3.25)

    def test_another_tree_of_loops_is_refused(self):
        other = replace(self.kernel(3, 0.25), loops=(Loop("token", lambda s: 1, per_token=True),))
        with self.assertRaises(stats.Mismatch):
            stats.weights(self.program(), other, SHAPE)


class Lanes(unittest.TestCase):
    def test_some_and_slowest(self):
        self.assertAlmostEqual(some(0.5, 2), 0.75)
        self.assertAlmostEqual(slowest(6, 3), 6 + 3 + 2)


if __name__ == "__main__":
    unittest.main()
