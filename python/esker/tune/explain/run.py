"""What bounds a run: facts from its report, and sentences about them."""

from __future__ import annotations

from typing import Any

from esker.tune.explain.effects import effects
from esker.tune.explain.limits import limits
from esker.tune.explain.phases import PHASES
from esker.tune.explain.run_report import Run
from esker.tune.fit.trees import Trees
from esker.tune.machine import Machine

LATE = 1.5
"""The slowest rank takes so many times the mean: that is worth a sentence."""


def explain(run: Run, machine: Machine | None, model: Trees | None, fields: int = 1) -> dict[str, Any]:
    """Facts as for JSON. Without a machine no limits are known, without a model no effects."""
    total = sum(mean for mean, _ in run.phases.values())
    phases = {
        name: {"mean_s": mean, "max_s": most, "share": mean / total if total else 0.0}
        for name, (mean, most) in run.phases.items()
    }
    bound = max(phases, key=lambda name: phases[name]["mean_s"])
    facts: dict[str, Any] = {
        "ranks": run.ranks,
        "steps": run.steps,
        "planned_steps": run.planned_steps,
        "plan_s": run.plan_s,
        "step_s": run.step_s,
        "step_bytes": run.step_bytes,
        "writers": run.writers,
        "phases": phases,
        "bound": bound,
    }
    if machine:
        found = limits(run, machine)
        limit = max(found, key=lambda name: found[name])
        facts |= {"machine": machine.name, "limits_s": found, "limit": limit}
        facts["times_the_limit"] = run.step_s / found[limit] if found[limit] else None
    if model:
        facts["effects"] = effects(run, model, fields)
    facts["sentences"] = sentences(facts)
    return facts


def sentences(facts: dict[str, Any]) -> list[str]:
    """What the facts say, in plain words."""
    phase = facts["phases"][facts["bound"]]
    about = PHASES[facts["bound"]]
    said = [
        f"Longest phase: {facts['bound']} ({about.meaning}), {100 * phase['share']:.0f} % of the time of a rank.",
        f"What to try: {about.advice}.",
    ]
    if phase["mean_s"] and phase["max_s"] / phase["mean_s"] > LATE:
        ratio = phase["max_s"] / phase["mean_s"]
        said.append(f"The slowest rank takes {ratio:.1f} times the mean in this phase: the work is uneven.")
    if facts["planned_steps"] < facts["steps"] and facts["plan_s"] > facts["step_s"]:
        said.append(
            f"{facts['planned_steps']} of {facts['steps']} steps planned, for {facts['plan_s']:.3g} s each: "
            f"{PHASES['plan'].advice}."
        )
    if facts.get("times_the_limit"):
        said.append(
            f"If nothing else took time, {facts['limit']} would remain: {facts['limits_s'][facts['limit']]:.3g} s on "
            f"{facts['machine']}. The step takes {facts['times_the_limit']:.1f} times that."
        )
    said += _of_effects(facts.get("effects", []))
    return said


def _of_effects(found: list[dict[str, Any]]) -> list[str]:
    if not found:
        return []
    best = found[0]
    if best["ratio"] > 0.95:
        return ["The model knows no setting that makes the step more than 5 % faster."]
    change = f"{best['option']}={best['then']} (now {best['now'] or 'not set'})"
    return [
        f"The model predicts {best['ratio']:.2f} of the time with {change}. Try it, or let tune=auto try it."
    ]
