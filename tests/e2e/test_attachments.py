"""Pictures and documents in prompts: sent as the model takes them, or refused with the reason."""

import io
from base64 import b64decode, b64encode
from typing import Any

import pytest
from PIL import Image
from pilotfish.engine.media import MAX_MEDIA

from tests.support.chat import Chat
from tests.support.documents import pdf
from tests.support.stage import Stage, all_text
from tests.support.wire_client import Json, WireError

pytestmark = pytest.mark.asyncio(loop_scope="session")


def picture(edge: int, kind: str = "PNG") -> bytes:
    """Return a picture that does not compress to nothing."""
    image = Image.effect_noise((edge, edge), 60).convert("RGB")
    out = io.BytesIO()
    image.save(out, kind)
    return out.getvalue()


def image_block(data: bytes) -> Json:
    return {"type": "image", "mimeType": "image/png", "data": b64encode(data).decode()}


def blob(name: str, data: bytes, media_type: str = "application/octet-stream") -> Json:
    resource = {
        "uri": f"file:///w/{name}",
        "blob": b64encode(data).decode(),
        "mimeType": media_type,
    }
    return {"type": "resource", "resource": resource}


async def send(chat: Chat, *blocks: Json) -> str:
    content = [{"type": "text", "text": "Look at this"}, *blocks]
    params = {"sessionId": chat.id, "prompt": content}
    return (await chat.client.request("session/prompt", params))["stopReason"]


async def refusal(chat: Chat, *blocks: Json) -> str:
    with pytest.raises(WireError) as raised:
        await send(chat, *blocks)
    return str(raised.value)


def said(stage: Stage, kind: str) -> list[Json]:
    return [one for one in stage.said() if one["type"] == kind]


def warnings(stage: Stage) -> list[str]:
    return [
        one["params"]["message"]
        for one in stage.client.notifications
        if one["method"] == "window/showMessage"
    ]


async def test_a_document_goes_to_a_model_that_reads_it(stage: Stage) -> None:
    stage.play(["It is a poem.", "Still a poem."])
    chat = await stage.chat()
    data = pdf(["Roses are red", "Violets are blue"])
    assert await send(chat, blob("a%20poem.pdf", data, "application/pdf")) == "end_turn"
    [document] = said(stage, "document")
    assert document["title"] == "a poem.pdf"
    assert b64decode(document["source"]["data"]) == data
    shown = [one["content"] for one in chat.updates("user_message_chunk")]
    assert [one["text"] for one in shown[:2]] == ["Look at this", "@a poem.pdf"]
    assert shown[2:] == [
        {"type": "resource_link", "uri": "file:///w/a%20poem.pdf", "name": "a poem.pdf"}
    ]
    assert await chat.ask("And now?") == "end_turn"
    assert "a poem.pdf" in all_text(stage.body())


async def test_a_model_that_reads_no_documents_is_told_before_anything_is_sent(
    stage: Stage,
) -> None:
    settings = stage.home / ".pilotfish" / "settings.json"
    settings.write_text('{"model": {"capabilities": {"plain-model": {"images": false}}}}')
    stage.play(["Hello."])
    chat = await stage.chat(model="plain-model")
    refused = await refusal(chat, blob("a.pdf", pdf(["x"])))
    assert "plain-model cannot read PDF documents" in refused
    assert "model.capabilities" in refused
    assert "cannot see pictures" in await refusal(chat, image_block(picture(10)))
    assert await chat.ask("Only words") == "end_turn"
    assert len(stage.fake.requests) == 1
    settings.unlink()


@pytest.mark.parametrize(
    ("block", "told"),
    [
        (blob("long.pdf", pdf(["x"] * 101)), "101 pages; 100 is the limit"),
        (blob("torn.pdf", b"%PDF-1.7\n garbage"), "torn.pdf cannot be read as a PDF"),
        (blob("a.zip", b"PK\x03\x04\xff\xfe\x00\x01"), "is no text, no picture and no PDF"),
        (blob("big.pdf", b"%PDF-" + b"x" * 7_200_000), "more than 7,125,000"),
        (image_block(picture(400)[:9_000]), "Picture 1"),
        ({"type": "audio", "mimeType": "audio/wav", "data": ""}, "audio"),
    ],
    ids=["pages", "torn", "archive", "size", "torn picture", "audio"],
)
async def test_what_no_model_takes_is_refused_with_the_reason(
    stage: Stage, block: Json, told: str
) -> None:
    stage.play(["Hello."])
    chat = await stage.chat()
    assert told in await refusal(chat, block)
    assert await chat.ask("Only words") == "end_turn"
    assert [one["type"] for one in stage.said()].count("text") == len(stage.said())


async def test_a_text_and_a_picture_in_blobs_are_what_they_are(stage: Stage) -> None:
    stage.play(["Seen."])
    chat = await stage.chat()
    small = picture(20)
    assert await send(chat, blob("a.txt", "grüße".encode()), blob("b.bin", small)) == "end_turn"
    assert "grüße" in all_text(stage.body())
    [image] = said(stage, "image")
    assert b64decode(image["source"]["data"]) == small


async def test_large_pictures_are_made_smaller_and_the_user_hears_of_it(stage: Stage) -> None:
    stage.play(["Seen."])
    chat = await stage.chat()
    large = picture(1_700, "JPEG")
    assert await send(chat, image_block(picture(30)), image_block(large)) == "end_turn"
    kept, shrunk = said(stage, "image")
    assert picture_of(kept).size == (30, 30)
    assert max(picture_of(shrunk).size) <= 1568
    [told] = [one for one in warnings(stage) if "Picture 2" in one]
    assert "1700 × 1700" in told


def picture_of(block: Json) -> Image.Image:
    return Image.open(io.BytesIO(b64decode(block["source"]["data"])))


async def test_surplus_pictures_are_refused(stage: Stage) -> None:
    stage.play(["Hello."])
    chat = await stage.chat()
    blocks = [image_block(picture(10))] * 21
    assert "21 pictures; 20 is the limit" in await refusal(chat, *blocks)
    assert await chat.ask("Only words") == "end_turn"


async def test_older_pictures_give_way_before_a_request_holds_too_many(stage: Stage) -> None:
    rounds = MAX_MEDIA // 20 + 1
    stage.play([*["Seen."] * rounds, "Still here.", "Loaded."])
    chat = await stage.chat()
    for _ in range(rounds):
        assert await send(chat, *[image_block(picture(10))] * 20) == "end_turn"
    images = [images_in(body.body) for body in stage.fake.requests]
    assert images == [20, 40, 60, 80, MAX_MEDIA // 2]
    assert "were left out" in all_text(stage.body())
    assert any("older ones were left out" in one for one in warnings(stage))
    assert await chat.ask("And now?") == "end_turn"
    assert images_in(stage.body()) == MAX_MEDIA // 2
    before = stage.body()["messages"]
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    loaded, _ = await stage.reload(chat.id)
    assert await loaded.ask("Loaded?") == "end_turn"
    assert plain(stage.body()["messages"])[: len(before)] == plain(before)


def images_in(body: Any) -> int:
    return sum(
        block["type"] == "image" for message in body["messages"] for block in message["content"]
    )


def plain(messages: list[Json]) -> list[Any]:
    """Return messages without the marks of the cache."""
    return [
        [{key: value for key, value in block.items() if key != "cache_control"} for block in one]
        for one in (message["content"] for message in messages)
    ]


async def test_what_a_prompt_held_can_be_put_into_the_input_again(stage: Stage) -> None:
    stage.play(["Seen."])
    chat = await stage.chat()
    drawn, written = picture(20), pdf(["Roses are red"])
    await send(chat, image_block(drawn), blob("a%20poem.pdf", written, "application/pdf"))
    params = {"sessionId": chat.id, "messageId": chat.facts("prompt")[0]["messageId"]}
    first, second = (await stage.client.request("_pilotfish/session/attached", params))["files"]
    assert (first["name"], first["mimeType"]) == ("", "image/png")
    assert b64decode(first["data"]) == drawn
    assert (second["name"], second["mimeType"]) == ("a poem.pdf", "application/pdf")
    assert b64decode(second["data"]) == written
    with pytest.raises(WireError, match="not part of the session"):
        await stage.client.request(
            "_pilotfish/session/attached", {**params, "messageId": "no-such-prompt"}
        )
