"""What a trial's agent left behind, with the speaker of each event known.

To add a program: a module with a `GRAMMAR`, named in `AGENT_LOGS`. The first grammar that recognises a file wins;
recognition is by content, the agent's recorded name only moves its grammar to the front.
"""

from __future__ import annotations

from whyzero.model import AgentLog
from whyzero.readers.agent_logs import (
    atif,
    claude_code,
    codex,
    cursor_cli,
    episodes,
    gemini_cli,
    mini_swe_agent,
    openclaw,
    opencode,
    openhands,
    pi,
    plain,
    swe_agent,
    terminus_2,
)
from whyzero.readers.agent_logs.panes import read_pane_logs
from whyzero.readers.agent_logs.source import Grammar, Source
from whyzero.readers.files import Folder

AGENT_LOGS: tuple[Grammar, ...] = (
    cursor_cli.GRAMMAR,
    claude_code.GRAMMAR,
    codex.GRAMMAR,
    opencode.GRAMMAR,
    mini_swe_agent.GRAMMAR,
    swe_agent.GRAMMAR,
    gemini_cli.GRAMMAR,
    openclaw.GRAMMAR,
    pi.GRAMMAR,
    openhands.GRAMMAR,
    terminus_2.GRAMMAR,
    atif.GRAMMAR,
    episodes.GRAMMAR,
    plain.GRAMMAR,
)
"""Grammars, the most telling first."""


def read_agent_logs(
    folder: Folder,
    base: str,
    agent_name: str | None,
    main_model: str | None = None,
    *,
    endpoint: str | None = None,
    harness_log: str | None = None,
) -> tuple[AgentLog, ...]:
    """The logs below `base` (the agent folder, relative to the run), the main agent's first; () where there are none.

    `endpoint` is the host of the run's own gateway and `harness_log` the trial's log beside the agent folder, where the
    caller knows them.
    """
    if not folder.is_dir(base):
        return ()
    source = Source(folder, base, endpoint, harness_log)
    hinted = sorted(AGENT_LOGS, key=lambda g: g.name != agent_name)
    for grammar in hinted:
        log = grammar.read(source)
        if log is not None:
            return (plain.with_last_words(source, log) if grammar is atif.GRAMMAR else log,)
    return ()


__all__ = ["AGENT_LOGS", "Grammar", "read_agent_logs", "read_pane_logs"]
