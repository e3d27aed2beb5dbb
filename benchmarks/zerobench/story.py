"""What happened in a trial, told without any log format: turns of the agent, errors of the provider, an end.

A scribe (scribes/) writes the same story as each agent program would log it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Task:
    """A brief, what a right, a wrong and a missing deliverable look like to its tests."""

    name: str
    brief: str
    deliverable: str
    look: tuple[str, str]
    """A first command and what it prints."""
    write: str
    """The command that writes the deliverable."""
    wrong: str
    """An assertion about content that fails."""
    tests: tuple[str, ...]


TASKS = (
    Task(
        "ledger-totals",
        "Read /app/ledger.csv and write /app/totals.json: one number per account, the sum of its entries.",
        "/app/totals.json",
        ("head -3 /app/ledger.csv", "account,amount\na,429\nb,401.5"),
        "python3 sum.py > /app/totals.json",
        "AssertionError: assert {'a': 429, 'b': 503} == {'a': 430, 'b': 401.5}",
        ("test_exists", "test_accounts", "test_sums"),
    ),
    Task(
        "status-report",
        "The file /app/gateway.log holds HTTP answers. Create /app/status.txt with one line per status code and its count.",
        "/app/status.txt",
        ("cut -d' ' -f2 /app/gateway.log | sort | uniq -c", "  6 429\n  5 401\n  2 529\n  1 API Error: 500 overloaded_error"),
        "python3 count.py > /app/status.txt",
        "AssertionError: assert '429 7' in '429 6\\n401 5'",
        ("test_file", "test_counts"),
    ),
    Task(
        "pension-match",
        "Compute the employer 401(k) match of every row of /app/staff.csv and save the table as /app/match.csv.",
        "/app/match.csv",
        ("wc -l /app/staff.csv", "40412 /app/staff.csv"),
        "python3 match.py --out /app/match.csv",
        "AssertionError: row 7: expected 4290.00, got 4920.00",
        ("test_exists", "test_rows", "test_match"),
    ),
    Task(
        "retry-client",
        "Write /app/client.py with a function fetch() that retries on 429 and 503 with growing pauses.",
        "/app/client.py",
        ("ls /app", "README.md\nserver.py"),
        "cat > /app/client.py <<'PY'\ndef fetch(): ...\nPY",
        "AssertionError: expected 3 attempts, saw 1",
        ("test_module", "test_retries", "test_gives_up"),
    ),
    Task(
        "order-dates",
        "Normalise the dates in /app/orders.jsonl to ISO and write the result to /app/orders_iso.jsonl.",
        "/app/orders_iso.jsonl",
        ("head -1 /app/orders.jsonl", '{"id": 1, "at": "March 4, 2026", "note": "rate limit exceeded, see ticket 529"}'),
        "python3 iso.py > /app/orders_iso.jsonl",
        "AssertionError: '2026-04-03' != '2026-03-04'",
        ("test_exists", "test_dates"),
    ),
    Task(
        "primes",
        "Save the first thousand primes, one a line, as /app/primes.txt.",
        "/app/primes.txt",
        ("python3 --version", "Python 3.12.1"),
        "python3 sieve.py > /app/primes.txt",
        "AssertionError: line 12: 36 is not prime",
        ("test_exists", "test_length", "test_primes"),
    ),
)


@dataclass(frozen=True)
class Said:
    """The model wrote this."""

    text: str


@dataclass(frozen=True)
class Ran:
    """The model ran a command and saw its output."""

    command: str
    output: str = ""
    failed: bool = False


@dataclass(frozen=True)
class Refusal:
    """The provider refused or broke off; `status` is the HTTP status, None where no answer came."""

    kind: str
    status: int | None
    code: str
    message: str
    vendor: str = "anthropic"
    retried: bool = False


@dataclass(frozen=True)
class HandedOff:
    """Work given to a sub-agent: `answer` None and not `refused` = it never came back."""

    prompt: str
    answer: str | None = None
    background: bool = False
    refused: str | None = None
    """Its provider's words."""
    shell: bool = False
    """A background command, not a model."""
    notified: bool = True
    """A background hand-off that came back is reported to the main agent before its last words."""


@dataclass(frozen=True)
class CallAsText:
    """A tool call that arrived as plain text and was never executed."""

    text: str


@dataclass(frozen=True)
class BadCall:
    """A call or answer of the model that the program could not parse, with the program's complaint."""

    text: str
    complaint: str


@dataclass(frozen=True)
class Cap:
    """The answer was cut at the output limit."""


@dataclass(frozen=True)
class Declined:
    """The provider stopped the answer for its content."""


Event = Said | Ran | Refusal | HandedOff | CallAsText | BadCall | Cap | Declined


@dataclass(frozen=True)
class Story:
    """A trial from the agent's side."""

    task: Task
    events: tuple[Event, ...]
    ends: str = "normally"
    """`normally`, `refused` (by the last refusal), `timeout` (cut by the harness), `killed`."""

    def then(self, *more: Event, ends: str | None = None) -> Story:
        return replace(self, events=(*self.events, *more), ends=ends or self.ends)

    @property
    def cut(self) -> bool:
        """Stopped from outside: the last command never came back."""
        return self.ends in ("timeout", "killed")

    @property
    def last_refusal(self) -> Refusal | None:
        return next((e for e in reversed(self.events) if isinstance(e, Refusal) and not e.retried), None)

    def open_at_end(self, event: Event) -> bool:
        return self.cut and event is self.events[-1]


LOOK = Said("I will look at the data first.")


def untouched(task: Task) -> Story:
    """Nothing yet."""
    return Story(task, ())


def looked(task: Task, steps: int = 1) -> Story:
    """The agent looked at the data and wrote nothing."""
    return Story(task, (LOOK, *(Ran(*task.look) for _ in range(steps))))


def delivered(task: Task) -> Story:
    """The agent looked, and wrote the deliverable."""
    return looked(task).then(Ran(task.write))


def closing(task: Task) -> Said:
    """The model claims success."""
    return Said(f"Done: the result is written to {task.deliverable} and every check passes.")


def finished(task: Task) -> Story:
    """Looked, wrote, said so, ended."""
    return delivered(task).then(closing(task))
