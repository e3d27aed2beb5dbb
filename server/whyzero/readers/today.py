"""What is asked today: the task, the answer keys and the earlier task that a caller points at."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from whyzero.errors import UsageError
from whyzero.model import Run, Trial
from whyzero.question import KeyFile, Question, Questions
from whyzero.readers.files import Folder
from whyzero.readers.git_history import GitHistory
from whyzero.readers.osmosis.places import is_workspace
from whyzero.readers.task_folder import is_task, of_files, read_brief, read_keys, read_task, read_task_set
from whyzero.readers.workspace_today import workspace_question


class Today:
    """Reads what callers name, and asks git once for each path."""

    def __init__(self) -> None:
        self._history = GitHistory()
        self._past: dict[Path, list[Question]] = {}

    def task(self, path: Path) -> Questions:
        """A task folder, a folder of tasks, a brief in a text file, or an Osmosis workspace.

        Raises:
            UsageError: it is none of these.
        """
        if path.is_file():
            brief = read_brief(path)
            return Questions(brief.path, lambda run, trial: brief, names=brief.names)
        folder = Folder(path)
        if is_task(folder):
            task = read_task(path, self._history)
            return Questions(
                task.path, lambda run, trial: task, names=task.names, given=lambda trial: self._at_digest(Path(task.path), trial)
            )
        if path.is_dir() and is_workspace(path):
            return self._workspace(path)
        tasks = read_task_set(path, self._history) if path.is_dir() else None
        if tasks is None:
            raise UsageError(
                f"The task {str(path)!r} is none. Name a task folder (instruction.md, task.toml), a brief in a text file, "
                "an Osmosis workspace or a folder of tasks."
            )

        def given(trial: Trial) -> Question | None:
            found = tasks.find(trial.task)
            return self._at_digest(Path(found.path), trial) if found else None

        return Questions(str(path), lambda run, trial: tasks.find(trial.task), single=False, given=given)

    def workspace_of(self, run: Run) -> Questions | None:
        """The Osmosis workspace a local run lies in: the default task of such a run."""
        if run.format != "osmosis":
            return None
        around = next((place for place in (run.root, *run.root.parents[:4]) if is_workspace(place)), None)
        return self._workspace(around) if around else None

    def _workspace(self, root: Path) -> Questions:
        read: dict[Path, Question] = {}

        def find(run: Run, trial: Trial) -> Question:
            if run.root not in read:
                read[run.root] = workspace_question(root, run)
            return read[run.root]

        return Questions(str(root), find)

    def keys(self, paths: Iterable[Path], task: Questions | None) -> tuple[KeyFile, ...]:
        """Today's answer keys by name."""
        place = Path(task.path) if task and task.single else None
        inside = Question(str(place), "task folder") if place is not None and place.is_dir() else None
        return read_keys(paths, inside, self._history)

    def against(self, named: str, task: Questions | None) -> Question:
        """The task that the run was given: a folder or a brief, or a revision of the repository that holds today's task.

        Raises:
            UsageError: it is neither.
        """
        path = Path(named)
        if path.is_file():
            return read_brief(path)
        if path.is_dir():
            if is_task(Folder(path)):
                return read_task(path, self._history)
            raise UsageError(f"--against {named!r} is a folder without a task. Name one with instruction.md and task.toml.")
        place = Path(task.path) if task else None
        if place is None:
            raise UsageError(
                f"--against {named!r} is no folder. If it is a revision, give --task too: it belongs to the task's repository."
            )
        commit = self._history.resolve(place if place.is_dir() else place.parent, named)
        if commit is None:
            raise UsageError(
                f"--against {named!r} is neither a folder nor a revision of the repository that holds {place.name!r}. "
                "Look for one with `git log` there."
            )
        found = self._at_commit(place, commit)
        if found is None or not found.briefs:
            raise UsageError(
                f"--against {named!r}: the task {place.name!r} is not there at that revision. Name one at which it is."
            )
        return found

    def _at_commit(self, place: Path, commit: str) -> Question | None:
        where = f"{place}@{commit[:12]}"
        if place.is_dir():
            files = self._history.files(place, commit)
            return of_files(files, where) if files else None
        files = self._history.files(place.parent, commit, place.name)
        return of_files({"instruction.md": files[place.name]}, where) if files and place.name in files else None

    def _at_digest(self, root: Path, trial: Trial) -> Question | None:
        """The task at the commit at which it had the digest that the trial recorded."""
        return self._found(root, trial.checksum.removeprefix("sha256:")) if trial.checksum else None

    def _found(self, root: Path, digest: str) -> Question | None:
        if root not in self._past:
            commits = self._history.commits(root)
            trees = ((commit, self._history.files(root, commit)) for commit in commits)
            self._past[root] = [of_files(files, f"{root}@{commit[:12]}") for commit, files in trees if files]
        return next((task for task in self._past[root] if any(one.value == digest for one in task.digests)), None)
