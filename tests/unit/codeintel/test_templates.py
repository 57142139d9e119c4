"""Templates whose page and code take turns: what is good is not blamed, what they define and use is known."""

from pathlib import PurePath

import pytest
from pilotfish.codeintel.languages import grammar_of
from pilotfish.codeintel.symbols import extract_facts
from pilotfish.codeintel.syntax import check_syntax
from pilotfish.codeintel.templates import taken_apart
from pilotfish.codeintel.trees import parse

GRIN = "\N{GRINNING FACE}"

GOOD_ERB = [
    "<% if a %>\n<b></b>\n<% elsif b %>\n<i></i>\n<% else %>\n<% end %>\n",
    "<% case a %>\n<% when 1 %>\none\n<% else %>\n<% end %>\n",
    '<%= form_with model: @a, url: "/" do |f| %><%= f.text_field :b, class: "c" %><% end %>',
    "<%= render 'a', b: { c: 1 } -%>\n<%- d = [1] -%>\n<%== raw %>\n",
    "<% begin %>\n<%= risky! %>\n<% rescue => error %>\n<%= error.message %>\n<% ensure %>\n<% end %>",
    "<% # a note %><% if a %>1<% end %>\n<%# if b %>\n",
    "<% a.each { |b| %><%= b %><% } %>",
    "<%= yield :head %><%= link_to 'x', y unless z? %>\n<%% literal %>\n",
    "<% a = 1 # why %><%= a %>",
    "<% while a do %>\n<% end %>\n",
    f'<p>{GRIN}</p>\n<%= "#{{a}} {GRIN}" %>\n',
    "<a <%= 'b' %> href=\"<%= c %>\"><<%= d %>></a>\n",
    "<script>\nconst a = <%= raw @b.to_json %>;\n<% if c %>let d = 1;<% end %>\n</script>",
    "<style>a { color: <%= b %>; <%= c %> }</style>",
    "",
    "<%",
]
GOOD_EJS = [
    "<% if (a) { %>\n<b></b>\n<% } else if (b) { %>\n<i></i>\n<% } else { %>\n<% } %>\n",
    "<% if (a) %>one<% else %>two\n",
    "<% switch (a) { %>\n<% case 1: %>\none\n<% break; default: %>\n<% } %>\n",
    "<% a.forEach(function (b) { %><%= b.c %><% }) %><% d() %>",
    "<% a.map(b => { %><%- b %><% }); %>",
    "<%- include('a', { b: 1 }) -%>\n<%_ const c = { d: 1 } _%><% e() %>\n",
    "<% include header %>\n<%= { a: 1 }.a %><%= function () { return 1; }() %>\n",
    "<% // a note %><% if (a) { %>1<% } %>\n<%# if (b) %>\n",
    "<% try { %><%= a() %><% } catch (error) { %><%= error %><% } finally { %><% } %>",
    "<% do { %>1<% } while (a()) %>",
    "<% for (let a = 0; a < 3; a++) { %><%= a ? 'b' : 'c' %><% } %><% d = `e` %>",
    f"<p>{GRIN}</p>\n<%= '{GRIN}' %>\n",
    '<a href="http://b/<%= c %>" <% if (d) { %>e<% } %>>f</a>\n',
    "<script>\nconst a = <%- JSON.stringify(b) %>;\n<% if (c) { %>let d = 1;<% } %>\n</script>",
    "<script>var a = {{ b }}; {% if c %} d {% endif %}</script>",
    "",
]
GOOD_PHP = [
    "<?php if ($a): ?>\n<b></b>\n<?php else: ?>\n<i></i>\n<?php endif ?>\n",
    "<p>\n<?php foreach ($a as $b) { ?>\n<li><?= $b ?></li>\n<?php } ?>\n</p>\n",
    "<script>\nvar a = <?= json_encode($b) ?>;\nvar c = {<?= $d ?>};\n</script>\n",
    "<script>\n<?php if ($a): ?>\nvar b = 1;\n<?php endif; ?>\n</script>\n",
    "<style>a { <?= $b ?> }</style>\n<<?= $tag ?>>c</<?= $tag ?>>\n",
    "@if ($a)\n<script>let b = @json($c); let d = {{ $e }};</script>\n@endif\n",
    f"<p>{GRIN}</p><?php echo '{GRIN}'; ?>\n<script>let a = 1;</script>\n",
    "<?php\nfunction a() { return '?> b'; }\n",
    "<?php\n$a = 1;\n?>\n",
]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("a.erb", text) for text in GOOD_ERB),
        *(("a.ejs", text) for text in GOOD_EJS),
        *(("a.php", text) for text in GOOD_PHP),
        ("a.html", "<script>let a = {{ b }};</script><script>{% if c %}</script>\n"),
    ],
)
async def test_a_good_template_is_not_blamed(name: str, text: str) -> None:
    report = await check_syntax(PurePath(name), text)
    assert report is not None
    assert [(each.line, each.message) for each in report.problems] == []


@pytest.mark.parametrize(
    ("name", "text", "line", "quoted"),
    [
        ("a.erb", "<% if a %>\n<p></p>\n<% end) %>\n", 3, ")"),
        ("a.html.erb", f"<p>{GRIN}</p>\n<script>\nlet a = ;\n</script>\n", 3, "="),
        ("a.ejs", "<% if (a { %>\n<p></p>\n<% } %>\n", 1, "`)` is missing"),
        ("a.ejs", "<style>\na { color red }\n</style>\n<%= a %>\n", 2, "color red"),
        ("a.php", "<p></p>\n<?= $a ?>\n<script>\nlet b = ;\n</script>\n", 4, "="),
        ("a.vue", "<template></template>\n<script>\nlet b = ;\n</script>\n", 3, "="),
        ("a.md", "---\na: [\n---\n# B\n", 2, "["),
    ],
)
async def test_what_does_not_parse_within_a_file_is_told(
    name: str, text: str, line: int, quoted: str
) -> None:
    report = await check_syntax(PurePath(name), text)
    assert report is not None
    (problem,) = report.problems
    assert problem.line == line
    assert quoted in problem.message


@pytest.mark.parametrize(
    ("name", "text", "defined", "called"),
    [
        (
            "a.erb",
            "<% total(1) %>\n<script>\nfunction go() { <%= raw x %>; }\n</script>\n",
            [("go", 2)],
            {"total", "raw"},
        ),
        ("a.ejs", "<% function fill() { %>\n<%= made(1) %>\n<% } %>\n", [("fill", 0)], {"made"}),
        (
            "a.php",
            "<?php function f() { g(); } ?>\n<script>\nfunction go() { h(); }\n</script>\n",
            [("f", 0), ("go", 2)],
            {"g", "h"},
        ),
    ],
)
def test_page_and_code_of_a_template_are_known(
    name: str, text: str, defined: list[tuple[str, int]], called: set[str]
) -> None:
    language = grammar_of(PurePath(name))
    assert language is not None
    facts = extract_facts(language, text)
    assert [(one.name, one.name_span.start.line) for one in facts.definitions] == defined
    assert {one.name for one in facts.references if one.role == "call"} == called


@pytest.mark.parametrize(
    ("language", "text", "page", "code"),
    [
        (
            "erb",
            "<b><%= é %></b>\r\n<% if a %>",
            "<b>000000000</b>\r\n          ",
            "       é  ;    \r\n   if a  ;",
        ),
        (
            "ejs",
            "<%- a %>\n<% } %><%_ b() _%>",
            "00000000\n                  ",
            "  ( a );\n   }  ;    b()   ;",
        ),
        ("php", "<b><?= $a ?></b><?php b();", "<b>000000000</b>          ", ""),
    ],
)
def test_every_byte_of_a_template_keeps_its_place(
    language: str, text: str, page: str, code: str
) -> None:
    data = text.encode()
    tree = parse(language, data)
    assert tree is not None
    template = taken_apart(language, tree.root_node, data)
    assert template is not None
    assert len(template.page) == len(data)
    assert template.page.decode() == page
    if code:
        assert len(template.code) == len(data)
        assert template.code.decode() == code
