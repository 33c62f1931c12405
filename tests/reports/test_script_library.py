"""The functions of scripts: how a script takes them, and what those do that no engine is needed for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engines.deltalake import script_functions as delta_rs
from engines.script_library import Library, free_names, library
from reports.counterexamples.plan import GENERATED, _from_start, instants_in
from reports.counterexamples.runtime import LIBRARY, log, storage

MODULE = '''
import os, pyarrow as pa
from pathlib import Path, PurePath


def outer(path: Path, number: int) -> str:
    """Calls another."""
    text = f"{path}"
    # A comment.
    return text + inner(number)  # and another


def inner(number: int) -> str:
    """Uses a module."""
    os = str(number)
    return os + pa.__name__
'''


@pytest.fixture
def found(tmp_path: Path) -> Library:
    (tmp_path / "module.py").write_text(MODULE, encoding="utf-8")
    return library(tmp_path / "module.py")


def test_a_script_has_what_it_calls_and_what_that_imports(found: Library) -> None:
    assert found.called_by("inner(1)") == ["inner"]
    assert found.called_by("def main():\n    outer = 1\n    print(outer)") == [], "a variable of the same name"
    names = found.called_by("outer(1, 2)")
    assert names == ["outer", "inner"]
    used = free_names("\n".join(found.functions[name] for name in names) + "\nPurePath(time.time())")
    assert used == {"Path", "PurePath", "pa", "time"}
    assert found.import_lines(used) == ["import time", "from pathlib import Path, PurePath", "import pyarrow as pa"]


def test_the_lines_of_a_function_stand_in_main(found: Library) -> None:
    lines = found.lines("outer", "result", number=["a", 1])
    assert lines == ['text = f"{path}"', "# A comment.", 'result = text + inner(["a", 1])  # and another']
    assert found.lines("outer")[-1] == "return text + inner(number)  # and another"


def test_instants_are_told_from_the_start_and_other_lines_stay() -> None:
    action = {"add": {"modificationTime": GENERATED - 5, "size": 7, "stats": f'{{"max":{GENERATED}}}', "path": "ü"}}
    line = json.dumps(action, ensure_ascii=False, separators=(",", ":"))
    text = _from_start(f'{line}\n{{"torn": {GENERATED}\n'.encode(), GENERATED)
    expected = line.replace(str(GENERATED - 5), '"T-5"')
    assert text == f'{expected}\n{{"torn": {GENERATED}\n'
    assert _from_start(b'{"a": [1005, 7]}', 1000) == '{"a": ["T+5", "T-993"]}', "near is within 30 years"


def test_a_table_is_restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, start = str(tmp_path / "table"), 1_700_000_000_000
    for module in (storage, log):
        monkeypatch.setattr(module, "ROOT", root)
        monkeypatch.setattr(module, "T", start)
    content = b"PAR1" + (GENERATED - 3).to_bytes(8, "little") + b"PAR1"
    assert instants_in(content) == {4: -3}
    commit = "_delta_log/" + "0" * 20 + ".json"
    storage.restore(
        [
            (commit, -9, '\n{"remove":{"path":"a%20b","deletionTimestamp":"T-9"}}\n'),
            ("_delta_log/c.parquet", 0, "UEFSMQAAAAAAAAAAUEFSMQ=="),
        ]
    )
    storage.set_instants({"_delta_log/c.parquet": {4: -3}})
    storage.restore(storage.as_next_version([("_delta_log/next.json", 2, '{"add":{"path":"x"}}\n')]))
    storage.make_directories(["d"])
    storage.make_links([("l", 1, "d")])
    assert log.version() == 1 and log.removed_at(0, 1) == start - 9
    assert log.name(log.log()[0][0]["remove"]) == "a b"
    assert Path(root, "_delta_log", "c.parquet").read_bytes()[4:12] == (start - 3).to_bytes(8, "little")
    assert os.stat(Path(root, commit)).st_mtime_ns // 10**6 == start - 9
    assert storage.state(f"{root}/l") == "a link to d" and storage.state(f"{root}/d") == "a directory"
    assert set(storage.listing()) >= {commit, "d", "l", "_delta_log/" + "0" * 19 + "1.json"}


def test_time_passes_by_making_the_table_older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delta_rs, "ROOT", str(tmp_path / "table"))
    monkeypatch.setattr(delta_rs, "T", 100)
    commit = tmp_path / "table" / "_delta_log" / ("0" * 20 + ".json")
    commit.parent.mkdir(parents=True)
    commit.write_text('{"add":{"path":"é","modificationTime":50,"stats":"{\\"timestamp\\":50}"}}\n', encoding="utf-8")
    os.utime(commit, ns=(10**15, 10**15))
    delta_rs.make_older(7)
    assert vars(delta_rs)["T"] == 93
    assert commit.read_text("utf-8") == '{"add":{"path":"é","modificationTime":43,"stats":"{\\"timestamp\\":50}"}}\n'
    assert commit.stat().st_mtime_ns == 10**15 - 7 * 10**6


def test_every_script_can_end() -> None:
    assert LIBRARY.lines("ending")[0] == "try:"


@pytest.mark.parametrize(
    ("main", "code", "said"),
    [
        ("print('HOLDS')\n    return 0", 0, "HOLDS\n"),
        ("raise BaseException('a panic')", 2, "CANNOT TELL: BaseException('a panic')\n"),
    ],
    ids=["holds", "panics"],
)
def test_a_script_exits_with_its_answer_also_where_an_ordinary_exit_would_abort(
    main: str, code: int, said: str
) -> None:
    """In 9 of 160 runs on a busy machine, threads of pyarrow aborted it."""
    end = "\n".join(LIBRARY.lines("ending"))
    script = f"import atexit, os, sys\natexit.register(os.abort)\ndef main():\n    {main}\n{end}\n"
    ended = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (code, said)
