// @ts-check
// A rule for eslint: what people read goes through the catalogue (l10n/).
//
// It looks at the places in which texts reach people: the words of errors, the properties and calls of the
// editor that show something, and the templates of the webview. What only a log or the server reads is not
// asked about; where an error is for them alone, the line says so.

/** Properties whose texts the editor shows. */
const SHOWN =
  /^(?:ariaLabel|description|detail|label|message|openLabel|placeHolder|prompt|saveLabel|title|tooltip)$/;

/** Calls of the editor that show their text. */
const SHOWS = /^(?:show(?:Error|Information|Warning)Message|setStatusBarMessage)$/;

/** Attributes of elements that are shown or said. */
const SAID = /(?:^|\s)(?:alt|aria-label|label|placeholder|title)="([^"]*)"/g;

/** Two letters at least: marks, units and names of one letter are the same in every language. */
const WORDS = /[A-Za-z]{2}/;

/** Names of their own, of keys and of icons; `main` is the name of the conversation among its agents. */
const NAMES = /\b(?:Pilotfish|Enter|Esc|Ctrl|Cmd|Shift|Alt|main)\b|\$\([\w~-]+\)/g;

/** @param {string} text */
const hasWords = (text) => WORDS.test(text.replaceAll(NAMES, ""));

/**
 * The fixed words of a text; null for everything that is no text.
 * @param {any} node
 * @returns {string | null}
 */
function wordsOf(node) {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type !== "TemplateLiteral") return null;
  return node.quasis.map((/** @type {any} */ quasi) => quasi.value.raw).join(" ");
}

/**
 * What of a template people read: its texts, and its attributes that are said.
 * @param {string} markup
 */
function readInMarkup(markup) {
  const said = [...markup.matchAll(SAID)].map(([, text = ""]) => text);
  const plain = markup.replaceAll(/<!--.*?-->/gs, " ").replaceAll(/<[^>]*>/g, " ");
  return [plain.replaceAll(/&\w+;/g, " "), ...said].join(" ");
}

/** @type {import("eslint").Rule.RuleModule} */
const translated = {
  meta: {
    type: "problem",
    messages: { plain: "People read this: let it go through `t`." },
    schema: [],
  },
  create(context) {
    /** @param {any} node */
    const check = (node, words = wordsOf(node)) => {
      if (words !== null && hasWords(words)) context.report({ node, messageId: "plain" });
    };
    return {
      NewExpression(/** @type {any} */ node) {
        if (/Error$/.test(node.callee.name ?? "")) check(node.arguments[0]);
      },
      Property(/** @type {any} */ node) {
        if (SHOWN.test(node.key.name ?? "") && / |^[A-Z]/.test(wordsOf(node.value) ?? "")) {
          check(node.value);
        }
      },
      CallExpression(/** @type {any} */ node) {
        if (SHOWS.test(node.callee.property?.name ?? ""))
          node.arguments.forEach((/** @type {any} */ one) => check(one));
      },
      TaggedTemplateExpression(/** @type {any} */ node) {
        if (node.tag.name !== "html") return;
        const markup = node.quasi.quasis.map((/** @type {any} */ quasi) => quasi.value.raw);
        check(node, readInMarkup(markup.join("")));
      },
    };
  },
};

export const texts = { rules: { translated } };
