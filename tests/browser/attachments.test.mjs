// Pictures, PDF documents and files that go along with a message: pasted, dropped, refused, sent, brought back.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT = { timeout: 60_000 };

let model;

async function options() {
  model = await startFakeModel({ turns: [{ content: "Seen.", repeat: "forever" }] });
  return {
    workspace: { "notes/plan.md": "# The plan\n" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

/** A PNG of one colour, 8 by 8 pixels. */
function png(red, green, blue) {
  const row = [0, ...Array(8).fill([red, green, blue]).flat()];
  const pixels = deflateSync(Buffer.from(Array(8).fill(row).flat()));
  const head = Buffer.from([0, 0, 0, 8, 0, 0, 0, 8, 8, 2, 0, 0, 0]);
  const parts = [chunk("IHDR", head), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...parts]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

function crc32(data) {
  let crc = ~0;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** A PDF document with one empty page. */
function pdf() {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] >>",
  ];
  let text = "%PDF-1.4\n";
  const places = objects.map((body, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${body}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 4\n0000000000 65535 f \n${places.join("")}`;
  return Buffer.from(
    `${text}${table}trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
  );
}

/** A file as the page is given it. */
function file(name, type, data) {
  return { name, type, base64: data.toString("base64") };
}

const RED = file("red.png", "image/png", png(255, 0, 0));
const BLUE = file("", "image/png", png(0, 0, 255)); // as a picture of the clipboard is
const PAPER = file("paper.pdf", "application/pdf", pdf());
const TEXT = file("words.txt", "text/plain", Buffer.from("Some words of my own.\n"));

/** Lets a paste or a drop happen over the input, as the browser does it. */
function give(chat, kind, files, uris = []) {
  return chat.part("composer-input").evaluate(
    (field, [how, given, list]) => {
      const data = new globalThis.DataTransfer();
      for (const { name, type, base64 } of given) {
        const bytes = Uint8Array.from(globalThis.atob(base64), (char) => char.charCodeAt(0));
        data.items.add(new globalThis.File([bytes], name, { type }));
      }
      if (list.length > 0) data.setData("application/vnd.code.uri-list", list.join("\r\n"));
      // With Shift the editor leaves a drop to the page.
      const common = { bubbles: true, cancelable: true, shiftKey: true };
      const event =
        how === "paste"
          ? new globalThis.ClipboardEvent("paste", { ...common, clipboardData: data })
          : new globalThis.DragEvent(how, { ...common, dataTransfer: data });
      field.dispatchEvent(event);
    },
    [kind, files, uris],
  );
}

/** What is attached, by its names. */
async function attached(chat) {
  const rows = await chat.frame.locator("[data-testid=attachment]").allInnerTexts();
  return rows.map((text) => text.replace(/\s+/g, " ").trim());
}

async function has(chat, ...names) {
  const same = async () => JSON.stringify(await attached(chat)) === JSON.stringify(names);
  await until(same, `attached: ${names.join(", ")}`);
}

/** The blocks of a kind in what the model was last sent. */
async function sent(count, type) {
  const { body } = (await model.requests(count)).at(-1);
  const last = body.messages.findLast(({ role }) => role === "user");
  return last.content.filter((block) => block.type === type);
}

const size = ({ base64 }) => `${Buffer.from(base64, "base64").length} B`;
const CHIPS = [`red.png ${size(RED)}`, `Picture ${size(BLUE)}`, `paper.pdf ${size(PAPER)}`];

inVsCode("attachments", options, (scenario) => {
  scenario("are pasted and dropped, shown, and taken away again", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    await give(chat, "dragover", [RED]);
    await chat.part("drop-hint").waitFor(LIMIT);
    await give(chat, "drop", [RED]);
    await chat.part("drop-hint").waitFor({ state: "detached", ...LIMIT });
    await has(chat, CHIPS[0]);
    await give(chat, "paste", [BLUE, PAPER, TEXT]);
    await has(chat, ...CHIPS, "words.txt");
    const small = chat.part("attachment", { hasText: "red.png" }).locator("img");
    await shows(() => small.getAttribute("src"), /^data:image\/png;base64,/);
    await shows(() => small.evaluate((img) => img.naturalWidth), 8);
    for (const kind of ["light", "dark", "highContrastDark"]) {
      await workbench.theme(kind);
      await workbench.screenshot(`attachments-${kind}`);
    }
    await chat.part("attachment", { hasText: "words.txt" }).locator(".remove").click();
    await has(chat, ...CHIPS);
  });

  scenario("are kept over a reload, and reach the model whole", async ({ workbench }) => {
    await new Chat(workbench).part("composer-input").fill("What is on these?");
    await workbench.reloadWindow();
    const chat = await new Chat(workbench).open();
    await has(chat, ...CHIPS);
    await shows(() => chat.part("composer-input").inputValue(), "What is on these?");
    await chat.part("composer-input").press("Enter");
    await chat.reply("Seen.");
    await chat.idle();
    await has(chat);
    const pictures = (await sent(1, "image")).map(({ source }) => source.data);
    assert.deepEqual(pictures, [RED.base64, BLUE.base64]);
    const [document] = await sent(1, "document");
    assert.equal(document.title, "paper.pdf");
    assert.equal(document.source.data, PAPER.base64);
    const message = chat.part("prompt", { hasText: "What is on these?" });
    const names = await message.locator("[data-testid=attached] li").allInnerTexts();
    assert.deepEqual(names.slice(0, 2), ["[image]", "[image]"]);
    await shows(() => message.innerText(), /paper\.pdf/);
  });

  scenario("stay with a message that is edited", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    await chat.part("prompt").hover();
    await chat.part("edit-message").click();
    await chat.part("message-edit").fill("And in other words?");
    await chat.part("message-edit").press("Enter");
    await chat.part("prompt", { hasText: "And in other words?" }).waitFor(LIMIT);
    await until(async () => (await model.requests(2)).length === 2, "the second request");
    await chat.idle();
    assert.equal((await sent(2, "image")).length, 2);
    assert.equal((await sent(2, "document")).length, 1);
  });

  scenario("come back into the input when the chat goes back", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    await chat.part("prompt").hover();
    await chat.part("rewind").click();
    await workbench.palette.pickAndGoOn("Conversation only");
    await workbench.messages.answerDialog("Go Back");
    await has(chat, `Picture ${size(RED)}`, `Picture (2) ${size(BLUE)}`, CHIPS[2]);
    await shows(() => chat.part("composer-input").inputValue(), "And in other words?");
    const small = chat.part("attachment", { hasText: "Picture (2)" }).locator("img");
    await until(
      async () => (await small.evaluate((img) => img.naturalWidth)) === 8,
      "a small picture",
    );
    await workbench.screenshot("attachments-again");
    await chat.part("composer-input").press("Enter");
    await chat.reply("Seen.");
    await chat.idle();
    const pictures = (await sent(3, "image")).map(({ source }) => source.data);
    assert.deepEqual(pictures, [RED.base64, BLUE.base64]);
    assert.equal((await sent(3, "document"))[0].source.data, PAPER.base64);
  });

  scenario("a file of the Explorer is read by the server", async ({ workbench, workspace }) => {
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await give(chat, "drop", [], [`file://${workspace}/notes/plan.md`]);
    await has(chat, "notes/plan.md");
    await chat.send("Read it");
    await chat.reply("Seen.");
    await chat.idle();
    assert.match(JSON.stringify((await model.requests(4)).at(-1).body.messages), /# The plan/);
  });

  scenario("what is too much is refused with the reason", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    const refused = (text) => chat.part("refused", { hasText: text }).waitFor(LIMIT);
    await give(chat, "paste", [file("raw.bin", "", Buffer.from([0, 159, 146]))]);
    await refused("raw.bin is no text, no picture and no PDF document.");
    await give(chat, "paste", [file("big.png", "image/png", Buffer.alloc(7_200_000))]);
    await refused("big.png is too large: 7.1 MB is the limit. Mention the file with @ instead");
    await give(chat, "paste", [file("long.txt", "text/plain", Buffer.alloc(400_001, "x"))]);
    await refused("long.txt is too long: 400000 characters are the limit.");
    await give(
      chat,
      "paste",
      Array.from({ length: 21 }, (_, at) => ({ ...RED, name: `${at}.png` })),
    );
    await refused("20.png: 20 pictures are the limit of a message.");
    await shows(async () => (await attached(chat)).length, 20);
    await workbench.screenshot("attachments-refused");
    await give(
      chat,
      "paste",
      Array.from({ length: 6 }, (_, at) => ({ ...PAPER, name: `${at}.pdf` })),
    );
    await refused("5.pdf: 5 documents are the limit of a message.");
  });
});
