"""One trial directory as a `Trial`: result.json where there is one, else what a killed trial left behind."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from whyzero.model import AgentLog, ExceptionRecord, Limits, Recorded, Reward, Speaker, Spot, Trial, Utterance
from whyzero.readers.agent_logs import read_agent_logs
from whyzero.readers.brief import deliverable_names
from whyzero.readers.files import Folder, parse_time
from whyzero.readers.given import given_in
from whyzero.readers.harbor import rewards
from whyzero.readers.harbor.deliverable import read_deliverable
from whyzero.readers.harbor.exceptions import masked, official
from whyzero.readers.harbor.installed import return_codes
from whyzero.readers.harbor.kinds import is_trial_record
from whyzero.readers.harbor.limits import read_limits
from whyzero.readers.harbor.logs import trial_log
from whyzero.readers.harbor.spans import read_spans
from whyzero.readers.harbor.verifier import read_verifier
from whyzero.readers.shapes import join, obj, text
from whyzero.readers.writes import writes_in

FILE_LIMIT = 500
ORACLE, NOP = "oracle", "nop"


@dataclass(frozen=True, slots=True)
class Around:
    """What the trial's surroundings tell about it."""

    attempt: int = 0
    job_lines: tuple[Utterance, ...] = ()
    """Lines of job.log about this trial."""
    expects_report: bool | None = None
    """Another trial of the task has a ctrf.json."""
    json_first: bool = True
    """This Harbor reads reward.json before reward.txt."""
    endpoint: str | None = None
    """Host of the gateway the trial's agent was pointed at."""
    base: str = ""
    """The trial's folder, where a step is read."""


def read_trial(folder: Folder, base: str, around: Around) -> Trial | None:
    """The trial at `base`, or None where no record of one can be read."""
    result_path, config_path = join(base, "result.json"), join(base, "config.json")
    result = folder.json_object(result_path) if folder.is_file(result_path) else None
    if result is not None and not is_trial_record(result):
        result = None
    config = obj(result.get("config")) if result else {}
    where = result_path
    if not config:
        config = (folder.json_object(config_path) or {}) if folder.is_file(config_path) else {}
        where = config_path
    if result is None and not is_trial_record(config):
        return None
    around = replace(around, endpoint=_endpoint(config), base=base)
    common = _identity(folder, base, result, config, around)
    if result is None:
        return _killed(folder, base, config.get("trial_name"), common, around)
    spans = read_spans(result)
    harness = (*trial_log(folder, base), *around.job_lines, *return_codes(folder, join(base, "agent")))
    first = official(result, result_path, "", spans)
    exceptions = (*((first,) if first else ()), *masked(harness, first))
    limits = read_limits(folder, config, where, exceptions)
    claimed = result.get("reward_valid")
    steps = _steps(folder, base, result, common, limits, around)
    reward = rewards.booked(result, result_path, "", claimed)
    graded = _Part(folder, base, common, reward, around).read()
    return replace(
        common,
        spans=spans,
        exceptions=exceptions,
        limits=limits,
        harness=harness,
        recorded=Recorded.FAILED if first else Recorded.FINISHED,
        steps=_with_trial_exception(steps, exceptions),
        **graded,
    )


def _identity(folder: Folder, base: str, result: dict[str, Any] | None, config: dict[str, Any], around: Around) -> Trial:
    """The fields that say which attempt this is."""
    record = result or {}
    info, agent = obj(record.get("agent_info")), obj(config.get("agent"))
    model = obj(info.get("model_info"))
    name = text(info.get("name")) or text(agent.get("name")) or text(agent.get("import_path"))
    task = (
        text(record.get("task_name")) or text(obj(config.get("task")).get("name")) or _last(obj(config.get("task")).get("path"))
    )
    path = join(base, "result.json" if result else "config.json")
    return Trial(
        id=folder.root.name if base == "." else base.rsplit("/", 1)[-1],
        task=task or str(config.get("trial_name", "")).rsplit("__", 1)[0],
        spot=Spot(path, pointer="/trial_name"),
        attempt=around.attempt,
        agent=name,
        model=text(model.get("name")) or _last(agent.get("model_name")),
        dataset=text(record.get("source")) or text(obj(config.get("task")).get("source")),
        checksum=text(record.get("task_checksum")),
        is_oracle=name == ORACLE,
        is_nop=name == NOP,
        grading_disabled=obj(config.get("verifier")).get("disable") is True,
        started_at=parse_time(record.get("started_at")),
        finished_at=parse_time(record.get("finished_at")),
        files=tuple(folder.walk(base, limit=FILE_LIMIT)),
    )


def _killed(folder: Folder, base: str, name: Any, common: Trial, around: Around) -> Trial:
    """A trial without result.json: Harbor writes it once, at the very end."""
    part = _Part(folder, base, common, Reward(), around).read()
    if "result.json" in folder.names(base):
        return replace(common, recorded=Recorded.FAILED, record_unreadable=True, **part)
    begun = Utterance(Speaker.HARNESS, str(name), common.spot, kind="planned")
    return replace(common, recorded=Recorded.PENDING, harness=(begun, *trial_log(folder, base), *around.job_lines), **part)


@dataclass(frozen=True, slots=True)
class _Part:
    """The folders `agent/`, `verifier/`, `artifacts/` of a trial or of one step."""

    folder: Folder
    base: str
    trial: Trial
    reward: Reward
    around: Around

    def read(self) -> dict[str, Any]:
        """Reward, logs, brief, grading and deliverable, by the names of `Trial`."""
        folder, base = self.folder, self.base
        logs = self._logs()
        path = join(base, "agent/trajectory.json")
        steps = ((folder.json_object(path) or {}) if folder.is_file(path) else {}).get("steps")
        given = given_in(steps, path)
        brief = next((log.brief for log in logs if log.brief), None) or (given[0] if given else None)
        names = deliverable_names(brief.text) if brief else ()
        verifier = join(base, "verifier")
        judged = read_verifier(folder, verifier, names, self.around.expects_report)
        on_disk = rewards.on_disk(folder, verifier, self.around.json_first)
        reward, left = self._reward(on_disk)
        prefix = "" if base == "." else f"{base}/"
        files = tuple(f for f in self.trial.files if f.startswith(prefix))
        return {
            "reward": reward,
            "left_reward": left,
            "logs": logs,
            "brief": brief,
            "given": given,
            "grading": judged.grading,
            "deliverable": replace(
                read_deliverable(folder, base, files, names, judged.missing, judged.seen, reward),
                written=writes_in(steps, path, names),
            ),
        }

    def _logs(self) -> tuple[AgentLog, ...]:
        agent = join(self.base, "agent")
        if not self.folder.is_dir(agent):
            return ()
        return read_agent_logs(
            self.folder,
            agent,
            self.trial.agent,
            self.trial.model,
            endpoint=self.around.endpoint,
            harness_log=join(self.around.base or self.base, "trial.log"),
        )

    def _reward(self, on_disk: Reward) -> tuple[Reward, Reward | None]:
        """The booked reward; what lies on disk beside it explains a missing one and is never the grade."""
        if self.reward.value is not None or self.reward.invalid:
            path = on_disk.spot.path if on_disk.spot else None
            kept = rewards.kept_time(self.folder, path, self.trial.spot.path, self.trial.started_at) if path else None
            return replace(self.reward, written_at=kept), None
        if on_disk.invalid:
            return replace(on_disk, claimed_valid=self.reward.claimed_valid), None
        return self.reward, on_disk if on_disk.value is not None else None


def _steps(folder: Folder, base: str, result: dict[str, Any], common: Trial, limits: Limits, around: Around) -> tuple[Trial, ...]:
    """One `Trial` per entry of step_results; its exception stands only there."""
    found = []
    listed = result.get("step_results")
    for index, record in enumerate(listed if isinstance(listed, list) else []):
        if not isinstance(record, dict):
            continue
        name = text(record.get("step_name")) or str(index + 1)
        pointer, path = f"/step_results/{index}", join(base, "result.json")
        below = join(base, f"steps/{name}")
        spans = read_spans(record)
        first = official(record, path, pointer, spans)
        exceptions = (first,) if first else ()
        step = replace(common, id=f"{common.id}/{name}", spot=Spot(path, pointer=f"{pointer}/step_name"))
        part = _Part(folder, below, step, rewards.booked(record, path, pointer, None), around).read()
        found.append(
            replace(
                step,
                spans=spans,
                exceptions=exceptions,
                limits=read_limits(folder, obj(result.get("config")), path, exceptions) if exceptions else limits,
                recorded=Recorded.FAILED if first else Recorded.FINISHED,
                **part,
            )
        )
    return tuple(found)


def _with_trial_exception(steps: tuple[Trial, ...], exceptions: tuple[ExceptionRecord, ...]) -> tuple[Trial, ...]:
    """An exception of the whole trial ended the step that was under way: the last one."""
    if not steps or not exceptions:
        return steps
    last = steps[-1]
    return (*steps[:-1], replace(last, exceptions=(*last.exceptions, *exceptions), recorded=Recorded.FAILED))


def _endpoint(config: dict[str, Any]) -> str | None:
    """Host and port of the base URL in the agent's settings; the URL itself may hold a login and is not kept."""
    agent = obj(config.get("agent"))
    urls = [agent.get("base_url"), obj(agent.get("kwargs")).get("api_base")]
    urls += [value for name, value in obj(agent.get("env")).items() if name.endswith(("_BASE_URL", "_API_BASE"))]
    for url in urls:
        host = text(url) and re.match(r"^[a-z]+://(?:[^/@\s]*@)?([\w.-]+(?::\d+)?)", str(url), re.I)
        if host:
            return host.group(1)
    return None


def _last(value: Any) -> str | None:
    """Last part of a path or of `provider/model`."""
    found = text(value)
    return found.rstrip("/").rsplit("/", 1)[-1] if found else None
