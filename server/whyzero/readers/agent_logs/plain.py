"""Any other log: lines of text whose speaker nobody knows. They can be shown, and decide nothing by their words alone."""

from __future__ import annotations

from whyzero.model import AgentLog, Speaker
from whyzero.readers.agent_logs.collector import Collector
from whyzero.readers.agent_logs.source import Grammar, Source

NAME = "plain"
ENDINGS = (".txt", ".log", ".jsonl", ".out", ".err", ".stdout", ".stderr", ".pane")
NOT_LOGS = frozenset({"exit-code.txt", "return-code.txt", "install.sh", "instruction.txt", "instruction.md", "prompt.txt"})
TAIL = 40


def read(source: Source) -> AgentLog | None:
    """The largest text file; None where there is none."""
    files = [p for p in source.candidates if p.endswith(ENDINGS) and p.rsplit("/", 1)[-1] not in NOT_LOGS]
    files = [p for p in files if source.folder.size(p)]
    if not files:
        return None
    path = max(files, key=lambda p: source.folder.size(p) or 0)
    log = Collector(path.rsplit("/", 1)[-1].split(".")[0], path, endpoint=source.endpoint)
    lines, _ = source.folder.head_and_tail(path, head=0, tail=TAIL)
    log.lines = [log.say(Speaker.UNKNOWN, text, line, kind="text") for line, text in lines if text.strip()]
    log.last_event = log.lines[-1] if log.lines else None
    return log.without_counts()


GRAMMAR = Grammar(NAME, read)
