"""The scenarios: what is wrong, what Osmosis records of it, and what whyzero has to say. Worked out by hand."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field

from .stub_model import Behaviour
from .workspace import Workspace, rows

EVAL_RUN = ("eval", "run", "configs/eval/arith.toml", "--dataset-file", "data/dev.jsonl", "--name", "dev-run", "-y", "--json")
ONE_AT_A_TIME = ("--max-in-flight", "1")


@dataclass(frozen=True)
class Scenario:
    """One workspace, one injected fault, one call of `osmosis eval run`."""

    name: str
    why: str
    phase: str
    """Expected of the run."""
    causes: Mapping[int | str, str]
    """Expected, by row; `run` is the run itself. Rows that are not named passed."""
    recorded: Mapping[int, str] | None
    """Osmosis's own record by row: the reward, else the error type, else the status. Pending rows are absent. None: no run folder."""
    exit_code: int = 1
    """Of the CLI; negative = killed by that signal."""
    workspace: Workspace = field(default_factory=Workspace)
    model: Behaviour = field(default_factory=Behaviour)
    arguments: tuple[str, ...] = ()
    """After the usual ones. `{model_port}` is the port of the model, `{free_port}` one that nobody uses."""
    stopped_by: signal.Signals | None = None
    """Sent to the CLI once the model holds back an answer and two rows are recorded."""
    told_on_stderr: bool = False
    """The reason stands in no file: only in what the CLI printed."""
    seconds: int = 120
    """After which the CLI is killed and the laboratory is at fault."""
    idle: bool = False
    """It waits nearly all of its time: it may run beside any others."""


ALL_RIGHT = dict.fromkeys(range(4), "1.0")
SET_REWARD = "        ctx.set_reward(1.0 if answer == ctx.label else 0.0)\n"
FIRST_LINE_OF_RUN = "        messages = [dict(message) for message in ctx.prompt]\n"

SCENARIOS = (
    Scenario(
        name="healthy",
        why="Every row is answered with one tool call and graded 1.0.",
        phase="none",
        causes={},
        recorded=ALL_RIGHT,
        exit_code=0,
        model=Behaviour("tool"),
    ),
    Scenario(
        name="wrong-answer",
        why="A wrong number for row 1, no number for row 3; the grader worked on both.",
        phase="none",
        causes={1: "wrong_answer", 3: "wrong_answer"},
        recorded={0: "1.0", 1: "0.0", 2: "1.0", 3: "0.0"},
        exit_code=0,
        model=Behaviour(for_prompts_with={"19 + 23": "wrong", "15 * 15": "prose"}),
    ),
    Scenario(
        name="entrypoint-path-wrong",
        why="experiment.entrypoint names server.py; only main.py exists.",
        phase="layout",
        causes={"run": "config_invalid"},
        recorded={},
        workspace=Workspace(entrypoint="server.py"),
        told_on_stderr=True,
    ),
    Scenario(
        name="secret-missing",
        why="JUDGE_API_KEY is required and set nowhere.",
        phase="layout",
        causes={"run": "secret_missing"},
        recorded={},
        workspace=Workspace(secrets=("OPENAI_API_KEY", "JUDGE_API_KEY")),
        told_on_stderr=True,
    ),
    Scenario(
        name="dataset-row-without-label",
        why="Row 2 has no ground_truth; the CLI refuses before there is a run folder.",
        phase="data",
        causes={"run": "label_missing"},
        recorded=None,
        workspace=Workspace(rows=(*rows(2), {"user_prompt": "What is 100 - 58?"}, rows(4)[3])),
        told_on_stderr=True,
    ),
    Scenario(
        name="dataset-bad-json-line",
        why="Line 3 of the dataset is cut off.",
        phase="data",
        causes={"run": "dataset_invalid"},
        recorded=None,
        workspace=Workspace(rows=(*rows(2), '{"user_prompt": "What is 100 - 58?", "ground_truth": "42"', rows(4)[3])),
        told_on_stderr=True,
    ),
    Scenario(
        name="dataset-row-nobody-can-grade",
        why="A metadata column waives the label rule: row 1 runs with neither, the grader is never called, nothing is logged.",
        phase="data",
        causes={1: "label_missing"},
        recorded={0: "1.0", 1: "rollout_failed", 2: "1.0"},
        exit_code=0,
        workspace=Workspace(
            rows=(
                {"user_prompt": "What is 12 * 7?", "ground_truth": "84", "metadata": {"n": 0}},
                {"user_prompt": "What is 19 + 23?", "ground_truth": "", "metadata": ""},
                {"user_prompt": "What is 100 - 58?", "ground_truth": "42", "metadata": {"n": 2}},
            )
        ),
    ),
    Scenario(
        name="dependency-unresolvable",
        why="The rollout asks for a release that does not exist: `uv sync` fails.",
        phase="startup",
        causes={"run": "dependency_failure"},
        recorded={},
        workspace=Workspace(dependencies=("tomli>=99",)),
    ),
    Scenario(
        name="dependency-not-declared",
        why="main.py imports a package that its pyproject.toml does not name.",
        phase="startup",
        causes={"run": "dependency_failure"},
        recorded={},
        workspace=Workspace(edits=(("import uvicorn\n", "import tomli_w\nimport uvicorn\n"),)),
    ),
    Scenario(
        name="import-failure",
        why="main.py imports a name that the SDK does not have.",
        phase="startup",
        causes={"run": "import_failure"},
        recorded={},
        workspace=Workspace(edits=(("    LocalBackend,\n", "    LocalBackend,\n    RolloutRunner,\n"),)),
    ),
    Scenario(
        name="server-exits-at-startup",
        why="main() needs ARITH_TABLE, which nothing sets: KeyError.",
        phase="startup",
        causes={"run": "server_start_failure"},
        recorded={},
        workspace=Workspace(edits=(("    backend =", '    table = os.environ["ARITH_TABLE"]\n    backend ='),)),
    ),
    Scenario(
        name="server-on-another-port",
        why="The server listens one port beside the one it was given, so the health check runs into its 90 s limit.",
        phase="startup",
        causes={"run": "server_start_failure"},
        recorded={},
        workspace=Workspace(
            edits=(
                (
                    'port=int(os.environ.get("_OSMOSIS_ROLLOUT_PORT", "8000"))',
                    'port=int(os.environ.get("_OSMOSIS_ROLLOUT_PORT", "8000")) + 1',
                ),
            )
        ),
        arguments=("--rollout-port", "{free_port}"),
        told_on_stderr=True,
        seconds=180,
        idle=True,
    ),
    Scenario(
        name="port-taken",
        why="Another program answers on the port that the run was told to use.",
        phase="startup",
        causes={"run": "server_start_failure"},
        recorded={},
        arguments=("--rollout-port", "{model_port}"),
        told_on_stderr=True,
    ),
    Scenario(
        name="model-key-rejected-at-preflight",
        why="The provider refuses the key before anything is dispatched.",
        phase="startup",
        causes={"run": "agent_auth"},
        recorded={},
        model=Behaviour(preflight="http_401"),
        told_on_stderr=True,
    ),
    Scenario(
        name="model-rate-limited",
        why="Row 1 gets 429 on every try.",
        phase="trajectory",
        causes={1: "rate_limited"},
        recorded={0: "1.0", 1: "agent_error", 2: "1.0"},
        exit_code=0,
        workspace=Workspace(rows=rows(3)),
        model=Behaviour(for_prompts_with={"19 + 23": "http_429"}),
    ),
    Scenario(
        name="model-rate-limited-once",
        why="Row 1 gets one 429, which is retried on the way; the row passes.",
        phase="none",
        causes={},
        recorded={0: "1.0", 1: "1.0", 2: "1.0"},
        exit_code=0,
        workspace=Workspace(rows=rows(3)),
        model=Behaviour(for_prompts_with={"19 + 23": "http_429|right"}),
    ),
    Scenario(
        name="model-answers-nothing",
        why="The provider answers row 1 with 200 and no choices.",
        phase="trajectory",
        causes={1: "provider_error"},
        recorded={0: "1.0", 1: "agent_error"},
        exit_code=0,
        workspace=Workspace(rows=rows(2)),
        model=Behaviour(for_prompts_with={"19 + 23": "no_choices"}),
    ),
    Scenario(
        name="malformed-tool-call",
        why="The arguments of row 3's tool call are cut off; the workflow dies of them.",
        phase="trajectory",
        causes={3: "malformed_output"},
        recorded={0: "1.0", 1: "1.0", 2: "1.0", 3: "validation_error"},
        exit_code=0,
        model=Behaviour("tool", {"15 * 15": "malformed_tool"}),
    ),
    Scenario(
        name="workflow-raises",
        why="run() reads a field that chat completions do not have.",
        phase="trajectory",
        causes={0: "workflow_error", 1: "workflow_error"},
        recorded={0: "agent_error", 1: "agent_error"},
        exit_code=0,
        workspace=Workspace(
            rows=rows(2),
            edits=(('calls = message.get("tool_calls") or []', 'calls = message["tools"]'),),
        ),
    ),
    Scenario(
        name="workflow-times-out",
        why="The model never answers row 1; the agent's deadline ends it.",
        phase="trajectory",
        causes={1: "clock"},
        recorded={0: "1.0", 1: "timeout", 2: "1.0"},
        exit_code=0,
        workspace=Workspace(rows=rows(3), agent_timeout=5),
        model=Behaviour(for_prompts_with={"19 + 23": "hang"}),
    ),
    Scenario(
        name="workflow-blocks-the-loop",
        why="run() sleeps synchronously for twice its deadline; the deadline strikes at the first await, which is innocent.",
        phase="trajectory",
        causes={0: "event_loop_blocked"},
        recorded={0: "timeout"},
        exit_code=0,
        workspace=Workspace(
            rows=rows(1),
            agent_timeout=3,
            grader_timeout=3,
            edits=((FIRST_LINE_OF_RUN, FIRST_LINE_OF_RUN + "        time.sleep(6)\n"),),
        ),
    ),
    Scenario(
        name="grader-raises",
        why="grade() reads metadata that no row has.",
        phase="grading",
        causes={0: "grader_error", 1: "grader_error"},
        recorded={0: "validation_error", 1: "validation_error"},
        exit_code=0,
        workspace=Workspace(rows=rows(2), edits=((SET_REWARD, '        tolerance = ctx.metadata["tolerance"]\n' + SET_REWARD),)),
    ),
    Scenario(
        name="grader-never-sets-the-reward",
        why="grade() sets a reward on a match only: a wrong answer is left without one.",
        phase="grading",
        causes={1: "reward_missing"},
        recorded={0: "1.0", 1: "validation_error", 2: "1.0"},
        exit_code=0,
        workspace=Workspace(
            rows=rows(3), edits=((SET_REWARD, "        if answer == ctx.label:\n            ctx.set_reward(1.0)\n"),)
        ),
        model=Behaviour(for_prompts_with={"19 + 23": "wrong"}),
    ),
    Scenario(
        name="grader-hangs",
        why="grade() waits for ever; its own deadline ends it, not the agent's.",
        phase="grading",
        causes={0: "grader_timeout"},
        recorded={0: "timeout"},
        exit_code=0,
        workspace=Workspace(
            rows=rows(1), grader_timeout=3, edits=((SET_REWARD, "        await asyncio.sleep(3600)\n" + SET_REWARD),)
        ),
    ),
    Scenario(
        name="row-skipped",
        why="The grader takes row 2 out of the score; that is no failure.",
        phase="none",
        causes={2: "skipped"},
        recorded={0: "1.0", 1: "1.0", 2: "skipped", 3: "1.0"},
        exit_code=0,
        workspace=Workspace(
            edits=(
                (
                    SET_REWARD,
                    "        if answer is None:\n            ctx.sample.remove_sample = True\n            return\n" + SET_REWARD,
                ),
            )
        ),
        model=Behaviour(for_prompts_with={"100 - 58": "prose"}),
    ),
    Scenario(
        name="server-dies-mid-run",
        why="The server process vanishes while row 2 runs, as in an out-of-memory kill; rows 2 and 3 stay pending.",
        phase="dispatch",
        causes={"run": "server_died"},
        recorded={0: "1.0", 1: "1.0"},
        workspace=Workspace(
            edits=(
                (
                    FIRST_LINE_OF_RUN,
                    FIRST_LINE_OF_RUN + '        if "100 - 58" in messages[-1]["content"]:\n            os._exit(137)\n',
                ),
            )
        ),
        arguments=ONE_AT_A_TIME,
    ),
    Scenario(
        name="interrupted",
        why="Ctrl-C while row 2 runs.",
        phase="dispatch",
        causes={"run": "interrupted"},
        recorded={0: "1.0", 1: "1.0"},
        model=Behaviour(for_prompts_with={"100 - 58": "hang"}),
        arguments=ONE_AT_A_TIME,
        stopped_by=signal.SIGINT,
    ),
    Scenario(
        name="killed",
        why="kill -9 while row 2 runs: the log just stops, and the rollout server outlives the CLI.",
        phase="dispatch",
        causes={"run": "interrupted"},
        recorded={0: "1.0", 1: "1.0"},
        exit_code=-signal.SIGKILL,
        model=Behaviour(for_prompts_with={"100 - 58": "hang"}),
        arguments=ONE_AT_A_TIME,
        stopped_by=signal.SIGKILL,
    ),
)


def named(name: str) -> Scenario:
    """The scenario of that name."""
    return next(s for s in SCENARIOS if s.name == name)
