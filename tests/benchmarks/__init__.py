"""Measurements, run by hand; they print ratios to a baseline of the same run and assert nothing.

    python -m tests.benchmarks.large_store --parts 200000 --out /tmp/large.db
    python -m tests.benchmarks.backfill /tmp/large.db
    python -m tests.benchmarks.searching /tmp/large.db
    python -m tests.benchmarks.reading /tmp/large.db
    python -m tests.benchmarks.following /tmp/large-copy.db
    python -m tests.benchmarks.quitting /tmp/large.db
    python -m tests.benchmarks.event_log
    python -m tests.benchmarks.damage RECORDINGS
    python -m tests.benchmarks.damage RECORDINGS --large
    python -m tests.benchmarks.soak
    python -m tests.benchmarks.logs

`large_store` writes a store in opencode's tables from a seed: prose, code, logs, diffs, Chinese,
outputs of 1 MB, images, one very long session. `backfill` compares reading it in with one
INSERT..SELECT into a bare full-text table, and says how soon the newest session is found, how much
memory is needed and what a second pass costs. `searching` compares searches for common and rare
words, beginnings of words, phrases, Chinese and filters with the bare full-text query. `reading`
compares windows of a conversation with their rows alone, and opens the largest tool output on the
screen while a ticker notes how long the program did not listen. `event_log` opens sessions and the
review on a store with a million events and on the same store with few.

CPU seconds come first: they vary by a tenth from run to run, where times on the clock also depend
on what else the machine does. Stores must be at rest, since the baselines read no write-ahead log.
"""
