"""Running steps: order, counting, stopping at the first failure, and processes left behind.

Each case runs in a Python of its own, because the runner becomes the parent of orphans.
"""

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from tools.checks.left_files import FileWatch

ROOT = Path(__file__).resolve().parents[3]

PRELUDE = """
import json, sys
from pathlib import Path
from tools.checks.counts import Counts
from tools.checks.leftovers import adopt_orphans
from tools.checks.runner import Runner
from tools.checks.steps import Stage, Step

def script(name, code, **more):
    return Step(name=name, stage=Stage.STATIC, command=[sys.executable, "-c", code], **more)

def run(steps, keep_going=False):
    runner = Runner(keep_going=keep_going)
    adopt_orphans()
    runner.run(steps)
    print(json.dumps({
        "passed": runner.counts.passed,
        "failed": runner.counts.failed,
        "failed_steps": [result.step.name for result in runner.results if result.failed],
    }))
"""


def run_case(code: str) -> tuple[dict[str, Any], str]:
    """What the runner found (its last line) and all it printed."""
    program = PRELUDE + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1]), done.stdout


def test_steps_that_hold_are_named_and_their_output_is_not_shown() -> None:
    result, output = run_case('run([script("one", "print(41 + 1)"), script("two", "")])')
    assert result == {"passed": 0, "failed": 0, "failed_steps": []}
    assert "ok   one" in output
    assert "42" not in output


def test_a_failed_step_shows_its_output_counts_as_one_and_ends_the_run() -> None:
    result, output = run_case("""
        bad = script("bad", "print('look here'); raise SystemExit(4)")
        later = Step(name="later", stage=Stage.TESTS, command=[sys.executable, "-c", ""])
        run([bad, later])
        """)
    assert result == {"passed": 0, "failed": 1, "failed_steps": ["bad"]}
    assert "FAIL bad" in output
    assert "| look here" in output
    assert "later" not in output


def test_keep_going_runs_what_comes_after_a_failure() -> None:
    result, output = run_case("""
        later = Step(name="later", stage=Stage.TESTS, command=[sys.executable, "-c", ""])
        run([script("bad", "raise SystemExit(1)"), later], keep_going=True)
        """)
    assert result["failed_steps"] == ["bad"]
    assert "ok   later" in output


def test_failed_tests_count_one_by_one_and_not_once_more_for_the_step(tmp_path: Path) -> None:
    report = str(tmp_path / "report")
    result, _ = run_case(f"""
        code = "open({report!r}, 'w').close(); raise SystemExit(1)"
        run([script("tests", code, report={report!r}, count=lambda _: Counts(passed=5, failed=2))])
        """)
    assert result == {"passed": 5, "failed": 2, "failed_steps": ["tests"]}


def test_a_test_runner_that_breaks_before_it_reports_is_one_failure() -> None:
    result, _ = run_case("""
        run([script("tests", "raise SystemExit(1)", report="/nowhere", count=lambda _: Counts())])
        """)
    assert result == {"passed": 0, "failed": 1, "failed_steps": ["tests"]}


def test_a_program_that_is_missing_is_one_failure() -> None:
    result, output = run_case("""
        run([Step(name="gone", stage=Stage.STATIC, command=["/no/such/program"])])
        """)
    assert result["failed"] == 1
    assert "/no/such/program" in output


def test_a_step_that_hangs_is_ended_and_says_so() -> None:
    result, output = run_case("""
        run([script("slow", "import time; time.sleep(600)", limit_s=0.2)])
        """)
    assert result["failed_steps"] == ["slow"]
    assert "took longer than" in output


def test_a_process_left_behind_is_named_counted_and_ended() -> None:
    # It scrubs its environment and leaves the session: only its parentage tells.
    result, output = run_case("""
        import tools.checks.leftovers as leftovers
        leftovers.GRACE_S = 0.2
        code = (
            "import subprocess; subprocess.Popen(['sleep', '600'], env={'PATH': '/usr/bin:/bin'},"
            " start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)"
        )
        run([script("careless", code)])
        import psutil
        assert not psutil.Process().children(recursive=True)
        """)
    assert result == {"passed": 0, "failed": 1, "failed_steps": []}
    assert "careless left a process behind" in output
    assert "sleep 600" in output


def test_a_file_among_the_temporary_ones_fails_the_run() -> None:
    result, output = run_case("""
        code = "import tempfile; tempfile.mkstemp(prefix='forgotten-')"
        run([script("careless", code, has_scratch=True)])
        """)
    assert result["failed"] == 1
    assert "FAIL careless left a file behind:" in output
    assert "forgotten-" in output


def test_a_step_that_cleans_up_passes_and_its_folder_is_gone() -> None:
    result, output = run_case("""
        tidy = "import tempfile, os; os.rmdir(tempfile.mkdtemp())"
        run([script("tidy", tidy, has_scratch=True)])
        """)
    assert result["failed"] == 0
    assert "ok   tidy" in output


def test_new_files_in_the_users_folder_and_in_the_clone_are_named_once(tmp_path: Path) -> None:
    clone, home = tmp_path / "clone", tmp_path / "home"
    home.mkdir()
    subprocess.run(["git", "init", "--quiet", str(clone)], check=True)
    (clone / ".gitignore").write_text("ignored\n", encoding="utf-8")
    (home / "was-there").touch()
    watch = FileWatch(clone=clone, home_folder=home)
    (clone / "ignored").touch()
    assert watch.new_files() == []
    (clone / "forgotten").touch()
    (home / "new").touch()
    assert watch.new_files() == [str(clone / "forgotten"), str(home / "new")]
    assert watch.new_files() == []
