"""Words for metrics and their values, the same in reports and on terminals."""

from __future__ import annotations

__all__ = ["group_of", "shown"]


def shown(value: object) -> str:
    """Return a value in few characters; empty where it was not measured."""
    if isinstance(value, float):
        if value != value:
            return ""
        return f"{value:.0f}" if value.is_integer() or abs(value) >= 1000 else f"{value:.4g}"
    return {"True": "yes", "False": "no"}.get(str(value), str(value))


def group_of(metric: str) -> str:
    """Return the group of a metric in words: what stands before its point; empty where there is none."""
    return metric.rpartition(".")[0].replace("_", " ")
