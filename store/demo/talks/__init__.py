"""What is said in the demo store: three projects, and one talk outside of any."""

from __future__ import annotations

from store.demo.script import Project, Talk
from store.demo.talks import flaky, gateway, limiter, loadtest, loose, orders, refunds, tides, trace

PROJECTS: dict[str, Project] = {
    "gateway": Project("gateway", "/home/mia/src/gateway"),
    "orders": Project("orders", "/home/mia/src/order-service"),
    "tides": Project("tides", "/home/mia/src/tides"),
    "global": Project("global", "/", vcs=False),
}

TALKS: tuple[Talk, ...] = (
    *gateway.TALKS,
    *trace.TALKS,
    *loadtest.TALKS,
    *limiter.TALKS,
    *flaky.TALKS,
    *orders.TALKS,
    *refunds.TALKS,
    *tides.TALKS,
    *loose.TALKS,
)
