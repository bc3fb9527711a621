"""A talk that was killed in the middle: one tool never came back, one had only begun."""

# ruff: noqa: E501 - what is said stays in one piece

from __future__ import annotations

from store.demo.blocks import ask, say
from store.demo.script import Step, Talk
from store.demo.tools import bash, pending, running

CRASHED = Talk(
    key="crashed",
    title="Load test against staging",
    project="gateway",
    ago=150,
    slug="dusty-comet",
    acts=(
        ask(
            "Run the load test against staging with 400 clients and tell me when p99 leaves 80 ms.",
            after=1,
        ),
        Step(
            (
                bash(
                    "k6 version",
                    "k6 v0.57.0 (go1.24.1, linux/amd64)\n",
                    about="Checks the tool",
                    ms=120,
                ),
            )
        ),
        Step(
            (
                say("Starting slowly: 50 clients first, then up."),
                running(
                    "bash",
                    {
                        "command": "k6 run --stage 2m:50 --stage 8m:400 load/ready.js",
                        "description": "Runs the load test",
                    },
                    "     scenarios: 1 scenario, 400 max VUs\nrunning (02m42.0s), 068/400 VUs, 9120 done\n",
                ),
                pending("write"),
            ),
            finish="",
        ),
    ),
)

TALKS = (CRASHED,)
