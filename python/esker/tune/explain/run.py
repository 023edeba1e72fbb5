"""What bounds a run: facts from its report, and sentences about them."""

from __future__ import annotations

import dataclasses
from typing import Any

from esker.tune.explain.effects import effects
from esker.tune.explain.limits import limits
from esker.tune.explain.phases import PHASES, WAITING, advice_for
from esker.tune.explain.run_report import Run
from esker.tune.fit.trees import Trees
from esker.tune.machine import Machine

NOTEWORTHY = 0.1
"""A part of the time that is worth a sentence."""


def explain(run: Run, machine: Machine | None, model: Trees | None, fields: int = 1) -> dict[str, Any]:
    """Facts as for JSON. Without a machine no limits are known, without a model no effects."""
    total = sum(phase.critical_s for phase in run.phases.values())
    phases = {
        name: dataclasses.asdict(phase) | {"share": phase.critical_s / total if total else 0.0}
        for name, phase in run.phases.items()
    }
    bound = max(phases, key=lambda name: phases[name]["critical_s"])
    facts: dict[str, Any] = {
        "ranks": run.ranks,
        "steps": run.steps,
        "planned_again": run.planned_again,
        "plan_s": run.plan_s,
        "step_s": run.step_s,
        "step_bytes": run.step_bytes,
        "writers": run.writers,
        "phases": phases,
        "bound": bound,
        "waiting": _waiting(run),
        "advice": [advice.text for advice in advice_for(bound, run)],
    }
    if run.tuning:
        facts["tuning"] = dataclasses.asdict(run.tuning) | {"tried": sorted(run.tuning.tried)}
    if machine:
        found = limits(run, machine)
        limit = max(found, key=lambda name: found[name])
        facts |= {"machine": machine.name, "limits_s": found, "limit": limit}
        facts["times_the_limit"] = run.step_s / found[limit] if found[limit] else None
    if model:
        facts["effects"] = effects(run, model, fields)
    facts["sentences"] = sentences(facts)
    return facts


def _waiting(run: Run) -> dict[str, Any]:
    """What ranks wait on average, and for which phase of the rank that they wait for: the one that takes it longer
    than the mean rank."""
    names = (*WAITING, "exchange")
    waited = [run.phases[name] for name in names if name in run.phases]
    seconds = sum(max(0.0, phase.mean_s - phase.critical_s) for phase in waited)
    work = {
        name: phase.critical_s - phase.mean_s for name, phase in run.phases.items() if name not in WAITING
    }
    longer = {name: more for name, more in work.items() if more > 0}
    return {"mean_s": seconds, "phase": max(longer, key=lambda name: longer[name]) if longer else ""}


def sentences(facts: dict[str, Any]) -> list[str]:
    """What the facts say, in plain words."""
    bound, advice = facts["bound"], facts["advice"]
    share = 100 * facts["phases"][bound]["share"]
    said = [f"What bounds the step: {bound} ({PHASES[bound].meaning}), {share:.0f} % of the critical path."]
    said += _of_waiting(facts)
    said += _of_tuning(facts.get("tuning"))
    if advice:
        said.append(f"What to try: {'; '.join(advice)}.")
    else:
        said.append(f"No other value of an option is known to make {bound} faster.")
    again, steps = facts["planned_again"], facts["steps"]
    if again and again * facts["plan_s"] > NOTEWORTHY * steps * facts["step_s"]:
        said.append(
            f"{again} of {steps} steps planned again, for {facts['plan_s']:.3g} s each: "
            f"{PHASES['plan'].advice[0].text}."
        )
    if facts.get("times_the_limit"):
        said.append(
            f"If nothing else took time, {facts['limit']} would remain: {facts['limits_s'][facts['limit']]:.3g} s on "
            f"{facts['machine']}. The step takes {facts['times_the_limit']:.1f} times that."
        )
    said += _of_effects(facts.get("effects", []))
    return said


def _of_waiting(facts: dict[str, Any]) -> list[str]:
    seconds, name = facts["waiting"]["mean_s"], facts["waiting"]["phase"]
    if not name or seconds < NOTEWORTHY * facts["step_s"]:
        return []
    phase = facts["phases"][name]
    on_critical, on_mean = 1e3 * phase["critical_s"], 1e3 * phase["mean_s"]
    said = f"Ranks wait {1e3 * seconds:.3g} ms of a step on average, most of it for {name}: it takes "
    return [said + f"{on_critical:.3g} ms on the rank that they wait for, {on_mean:.3g} ms on average."]


def _of_tuning(tuning: dict[str, Any] | None) -> list[str]:
    if not tuning:
        return []
    said = f"tune=auto: {tuning['state']}."
    if tuning["best"] and tuning["default_s"]:
        said += f" A step takes {tuning['best_s'] / tuning['default_s']:.2f} of the time with the default."
    if tuning["tried"]:
        said += f" Tried: other values of {', '.join(tuning['tried'])}."
    return [said]


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
