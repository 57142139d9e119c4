"""What people do with their sessions: name, search, copy, export and delete them."""

import asyncio
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from pilotfish.session import event_pages

from tests.support.chat import Chat
from tests.support.command_line import pilotfish
from tests.support.stage import Stage, all_text, environment, text_of
from tests.support.wire_client import Json, WireClient, WireError
from tools.fake_model import FakeModel, Stall, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

SECRET = "ghp_" + "q1" * 18


async def test_a_session_is_named_found_and_exported(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        client = stage.client
        read = ToolUse("Read", {"file_path": "a.txt"}, id="toolu_read")
        stage.play([Turn(["I look.", read]), "The Überraschung is a `pond`.", "Later."])
        stage.write("a.txt", f"token {SECRET}\n```\nfence\n")
        chat = await stage.chat()
        await chat.ask("Where do the fish live?")
        rename = {"sessionId": chat.id, "title": "  Fish  and\nwater "}
        await client.request("_pilotfish/sessions/rename", rename)
        listed = await client.request("session/list", {"cwd": str(stage.project)})
        assert [one["title"] for one in listed["sessions"]] == ["Fish and water"]

        async def search(query: str) -> list[Any]:
            params = {"query": query, "cwd": str(stage.project)}
            answer = await client.request("_pilotfish/sessions/search", params)
            assert answer["complete"] is True
            return [one["snippet"] for one in answer["found"]]

        assert await search("überraschung") == ["The Überraschung is a `pond`."]
        assert await search("FISH AND") == [""]
        assert await search("where do the FISH") == ["Where do the fish live?"]
        assert await search("fence") == []

        # A session that is closed is named in its file, and everything else is as it was.
        await client.request("session/close", {"sessionId": chat.id})
        await client.request("_pilotfish/sessions/rename", rename | {"title": "Ponds"})
        again, _ = await stage.reload(chat.id)
        assert (await again.snapshot())["title"] == "Ponds"
        assert await again.ask("And then?") == "end_turn"
        assert len(stage.body()["messages"]) == 5

        exported = await client.request("_pilotfish/sessions/export", {"sessionId": chat.id})
        text: str = exported["markdown"]
        assert text.startswith("# Ponds\n")
        assert "## You\n\nWhere do the fish live?" in text
        assert "**Read** " in text
        assert "```text" in text
        assert SECRET not in text
        with pytest.raises(WireError, match="no session"):
            await client.request("_pilotfish/sessions/export", {"sessionId": "0" * 12})
        with pytest.raises(WireError, match="1 to 200 characters"):
            await client.request("_pilotfish/sessions/rename", rename | {"title": " \n"})


async def test_a_copy_goes_its_own_way(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        client = stage.client
        stage.play(["One.", "Two.", "Three here.", "Three there.", "Other two."])
        chat = await stage.chat()
        await chat.ask("First")
        await chat.ask("Second")
        params: dict[str, Any] = {"sessionId": chat.id, "cwd": str(stage.project), "mcpServers": []}
        forked = await client.request("session/fork", params)
        assert forked["sessionId"] != chat.id
        copy, _ = await stage.reload(forked["sessionId"])
        await chat.ask("Third, here")
        await copy.ask("Third, there")
        assert "Third, here" not in all_text(stage.body())
        assert "Second" in all_text(stage.body())
        second = [one for one in chat.facts("prompt") if one["seq"] > 1][1]["messageId"]
        before = {"_meta": {"pilotfish": {"beforeMessageId": second}}}
        forked = await client.request("session/fork", params | before)
        short, _ = await stage.reload(forked["sessionId"])
        await short.ask("Another second")
        said = all_text(stage.body())
        assert "First" in said
        assert '"Second"' not in said
        assert "Another second" in said
        before = {"_meta": {"pilotfish": {"beforeMessageId": "nope"}}}
        with pytest.raises(WireError, match="not part of the session"):
            await client.request("session/fork", params | before)


async def test_a_copy_takes_back_what_was_changed_before_it_was_made(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        file = stage.write("a.txt", "alpha\n")
        read = ToolUse("Read", {"file_path": "a.txt"})
        edit = ToolUse("Edit", {"file_path": "a.txt", "old_string": "alpha", "new_string": "beta"})
        stage.play([Turn([read]), Turn([edit]), "Changed.", "Two."])
        chat = await stage.chat(permissionMode="acceptEdits")
        await chat.ask("Change it")
        await chat.ask("Second")
        params: dict[str, Any] = {"sessionId": chat.id, "cwd": str(stage.project), "mcpServers": []}
        forked = await stage.client.request("session/fork", params)
        await stage.client.request("session/delete", {"sessionId": chat.id})
        stage.chats.remove(chat)
        copy, _ = await stage.reload(forked["sessionId"])
        points = await stage.client.request("_pilotfish/edits/checkpoints", {"sessionId": copy.id})
        first = points["turns"][0]["turnId"]
        wish = {"sessionId": copy.id, "turnId": first, "what": "files"}
        await stage.client.request("_pilotfish/edits/rewind", wish)
        assert file.read_text(encoding="utf-8") == "alpha\n"


async def test_a_copy_of_a_running_session_has_its_whole_turns(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        sleep = ToolUse("Bash", {"command": "sleep 1000"})
        stage.play(["One.", Turn([sleep]), "Copied."])
        chat = await stage.chat(allowedTools=["Bash"])
        await chat.ask("First")
        chat.send("Second")
        await chat.wait_for_state("running")
        await stage.client.wait_until(lambda: chat.facts("tool") or None, "the command")
        params: dict[str, Any] = {"sessionId": chat.id, "cwd": str(stage.project), "mcpServers": []}
        forked = await stage.client.request("session/fork", params)
        copy, _ = await stage.reload(forked["sessionId"])
        assert [one["reason"] for one in copy.turns()] == ["completed"]
        await copy.ask("Third")
        assert "Second" not in all_text(stage.body())
        await stage.client.request("session/cancel", {"sessionId": chat.id})


async def test_a_small_model_names_a_session_once_and_on_its_bill(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        home = stage.home / ".pilotfish"
        home.mkdir(exist_ok=True)
        settings = {"sessions": {"generateTitles": True}}
        (home / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        stage.play(["A pond.", '"Fish in ponds."', "More."])
        chat = await stage.chat()
        await chat.ask("Where do the fish live, and why there of all places?")
        await stage.client.wait_until(
            lambda: [
                one for one in stage.client.updates("session_info_update")
                if one["update"].get("title") == "Fish in ponds"
            ]
            or None,
            "the name",
        )  # fmt: skip
        question = stage.body()
        assert "Where do the fish live" in all_text(question)
        assert "tools" not in question
        status = (await chat.snapshot())["status"]
        await chat.ask("More?")
        assert len(stage.fake.requests) == 3
        assert "Fish in ponds" not in all_text(stage.body())
        after = (await chat.snapshot())["status"]
        assert after["outputTokens"] > status["outputTokens"] > 0


async def test_a_second_process_is_refused_while_a_session_is_open(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        stage.play(["One.", "Two."])
        chat = await stage.chat()
        await chat.ask("First")
        other = await WireClient.start(environment(stage.home, stage.fake.url), cwd=tmp_path)
        try:
            await other.initialize(stage.project)
            params: dict[str, Any] = {
                "sessionId": chat.id,
                "cwd": str(stage.project),
                "mcpServers": [],
            }
            pid = stage.client.process.pid
            with pytest.raises(WireError, match=rf"process {pid}.*mix up its history"):
                await other.request("session/resume", params)
            with pytest.raises(WireError, match="open in another"):
                await other.request("session/delete", {"sessionId": chat.id})
            forked = await other.request("session/fork", params)
            assert forked["sessionId"] != chat.id
        finally:
            assert await other.stop() == 0
        assert await chat.ask("Second") == "end_turn"


async def test_what_another_program_wrote_into_a_session_costs_its_copy_nothing(
    stage: Stage,
) -> None:
    second = Turn("The second answer.", faults=[Stall(after_events=3)])
    stage.play(["The first answer.", second, "The third answer."])
    chat = await stage.chat()
    await chat.ask("First")
    prompt = chat.send("Second")
    await stage.stalled()
    (transcript,) = (stage.home / ".pilotfish" / "projects").rglob(f"{chat.id}.jsonl")
    with transcript.open("ab") as file:
        file.write(b'{"somebody": "else"}\n')
    stage.fake.release()
    await prompt.stop_reason()
    refused = chat.send("Third")
    await refused.stop_reason()
    assert "Fork the session" in json.dumps(chat.client.notifications[-10:])
    params: dict[str, Any] = {"sessionId": chat.id, "cwd": str(stage.project), "mcpServers": []}
    forked = await stage.client.request("session/fork", params)
    copy, _ = await stage.reload(forked["sessionId"])
    assert await copy.ask("Once more") == "end_turn"
    told = all_text(stage.body())
    assert [told.count(f"The {one} answer.") for one in ("first", "second")] == [1, 1]


async def test_a_session_whose_file_is_gone_says_so(stage: Stage) -> None:
    stage.play(["The first answer."])
    chat = await stage.chat()
    await chat.ask("First")
    (transcript,) = (stage.home / ".pilotfish" / "projects").rglob(f"{chat.id}.jsonl")
    transcript.unlink()
    prompt = chat.send("Second")
    await prompt.stop_reason()
    assert "was deleted by another program" in json.dumps(chat.client.notifications[-10:])
    assert not transcript.exists()


async def test_a_long_session_is_shown_in_parts(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        text = ("x" * 1_000 + "\n") * 40
        count = 2 * event_pages.PAGE_BYTES // len(text)
        names = [stage.write(f"long-{number}.txt", text).name for number in range(count)]
        reads = [Turn([ToolUse("Read", {"file_path": name})]) for name in names]
        stage.play([*reads, "Done."])
        chat = await stage.chat()
        await chat.ask("Read it again and again")
        snapshot = await chat.snapshot()
        assert snapshot["hasEarlier"] is True
        first = snapshot["firstSeq"]
        seqs = [one["_meta"]["pilotfish"]["seq"] for one in snapshot["updates"]]
        assert min(seqs) == first
        while snapshot["hasEarlier"]:
            params = {"sessionId": chat.id, "beforeSeq": snapshot["firstSeq"]}
            snapshot = await stage.client.request("_pilotfish/session/history", params)
            seqs = [one["_meta"]["pilotfish"]["seq"] for one in snapshot["updates"]] + seqs
        assert sorted(set(seqs)) == list(range(1, max(seqs) + 1))


async def test_the_command_line_manages_sessions(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with FakeModel(["The answer.", "Another."]) as fake:
        env = environment(home, fake.url)
        ran = await pilotfish("run", "Ask something", env=env, cwd=tmp_path)
        assert ran.code == 0, ran
        listed = await pilotfish("sessions", "list", "--json", env=env, cwd=tmp_path)
        [entry] = [json.loads(line) for line in listed.stdout.splitlines()]
        assert entry["title"] == "Ask something"
        one = entry["session_id"]
        copied = await pilotfish("sessions", "fork", one, env=env, cwd=tmp_path)
        two = copied.stdout.strip()
        await pilotfish("sessions", "rename", two, "The copy", env=env, cwd=tmp_path)
        ran = await pilotfish("run", "--resume", two, "And more?", env=env, cwd=tmp_path)
        assert ran.code == 0, ran
        assert "Ask something" in json.dumps(fake.requests[-1].body["messages"])
        found = await pilotfish("sessions", "search", "another", env=env, cwd=tmp_path)
        assert two in found.stdout
        assert one not in found.stdout
        document = await pilotfish(
            "sessions", "export", two, "--format", "markdown", env=env, cwd=tmp_path
        )
        assert "## You\n\nAnd more?" in document.stdout
        gone = await pilotfish("sessions", "delete", two, env=env, cwd=tmp_path)
        assert gone.code == 0
        listed = await pilotfish("sessions", "list", env=env, cwd=tmp_path)
        assert one in listed.stdout
        assert two not in listed.stdout
        missing = await pilotfish("sessions", "delete", two, env=env, cwd=tmp_path)
        assert missing.code == 1
        assert [path.stem for path in (home / ".pilotfish" / "locks").iterdir()] == [one]


def shown(stage: Stage) -> str:
    """Return what the user was shown in messages."""
    return "\n".join(
        one["params"]["message"]
        for one in stage.client.notifications
        if one["method"] == "window/showMessage"
    )


async def listed(stage: Stage, **params: str) -> list[str]:
    """Return the sessions that a list shows."""
    found = await stage.client.request("session/list", params)
    return [one["sessionId"] for one in found["sessions"]]


@pytest.mark.parametrize("head", [b"\x00\x00\n", b""])
async def test_a_session_without_its_beginning_goes_on_in_its_folder_and_asks(
    tmp_path: Path, head: bytes
) -> None:
    async with Stage.open(tmp_path) as stage:
        stage.play(["Fine.", "As I said.", "Again."])
        chat = await stage.chat(permissionMode="acceptEdits", disallowedTools=["Bash"])
        await chat.ask("Hello")
        await stage.client.request("session/close", {"sessionId": chat.id})
        [transcript] = await asyncio.to_thread(lambda: [*tmp_path.rglob(f"{chat.id}.jsonl")])
        _, *rest = transcript.read_bytes().splitlines(keepends=True)
        transcript.write_bytes(head + b"".join(rest))
        assert await listed(stage, cwd=str(stage.project)) == [chat.id]
        assert await listed(stage) == [chat.id]

        again, loaded = await stage.reload(chat.id)
        assert loaded["modes"]["currentModeId"] == "default"
        assert "no longer holds" in shown(stage)
        assert await again.ask("What did you say?") == "end_turn"
        assert all(word in all_text(stage.body()) for word in ("Hello", "Fine."))
        await stage.client.request("session/close", {"sessionId": chat.id})
        stage.chats.remove(again)
        # What was put in the place of the beginning is one from then on.
        assert await listed(stage) == [chat.id]
        stage.client.notifications.clear()
        once_more, _ = await stage.reload(chat.id)
        assert "no longer holds" not in shown(stage)
        assert await once_more.ask("And now?") == "end_turn"


async def test_a_session_without_its_beginning_never_goes_on_in_a_folder_of_the_same_slug(
    tmp_path: Path,
) -> None:
    async with Stage.open(tmp_path) as stage:
        own, other = tmp_path / "проект", tmp_path / "другой"
        for folder in (own, other):
            folder.mkdir()
            (folder / "where.txt").write_text(folder.name)
        stage.project = own
        read = Turn([ToolUse("Read", {"file_path": "where.txt"})])
        stage.play(["Fine.", "Bye.", read, "I see."])
        chat = await stage.chat()
        await chat.ask("Hello")
        transcript = await close_and_behead(stage, chat)
        # The other folder's sessions are kept beside it.
        stage.project = other
        beside = await stage.chat()
        await beside.ask("Hello")
        assert await asyncio.to_thread(transcript.with_stem(beside.id).exists)

        assert await listed(stage, cwd=str(other)) == [beside.id]
        assert await listed(stage, cwd=str(own)) == [chat.id]
        again, _ = await stage.reload(chat.id)
        assert await again.ask("Where are we?") == "end_turn"
        assert own.name in text_of(stage.results()[0])


async def test_a_session_that_tells_its_folder_nowhere_goes_on_as_a_copy(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        stage.play(["Fine.", "As I said."])
        chat = await stage.chat(disallowedTools=["Bash"])
        await chat.ask("Hello")
        transcript = await close_and_behead(stage, chat)
        # As older versions wrote it.
        old = re.sub(rb'"cwd":"[^"]*",', b"", transcript.read_bytes())
        transcript.write_bytes(old)
        assert await listed(stage, cwd=str(stage.project)) == []
        params: Json = {"sessionId": chat.id, "cwd": str(stage.project), "mcpServers": []}
        with pytest.raises(WireError, match=rf"first line of .*{chat.id}.jsonl is lost"):
            await stage.client.request("session/load", params)
        assert transcript.read_bytes() == old

        copy = shutil.copyfile(transcript, tmp_path / "copy.jsonl")
        ended = await pilotfish(
            *("run", "What did you say?", "--resume", str(copy)),
            env=environment(stage.home, stage.fake.url),
            cwd=stage.project,
        )
        assert (ended.code, "As I said." in ended.stdout) == (0, True), ended.stderr
        assert f"The first line of {copy} is lost." in ended.stderr
        assert all(word in all_text(stage.body()) for word in ("Hello", "Fine."))
        assert transcript.read_bytes() == old
        [new] = await listed(stage, cwd=str(stage.project))
        assert new != chat.id


async def close_and_behead(stage: Stage, chat: Chat) -> Path:
    """Close a session and take the first line off its transcript; returns that."""
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    home = stage.home
    [transcript] = await asyncio.to_thread(lambda: [*home.rglob(f"{chat.id}.jsonl")])
    _, *rest = transcript.read_bytes().splitlines(keepends=True)
    transcript.write_bytes(b"".join(rest))
    return transcript
