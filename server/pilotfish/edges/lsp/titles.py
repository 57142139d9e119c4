"""Titles of code actions and lenses in the language of the editor.

Owns: the translations. The language is that of ``initialize``; what is not translated is English.
"""

from collections.abc import Callable, Mapping

_CHINESE: Mapping[str, str] = {
    "Fix with Pilotfish": "使用 Pilotfish 修复",
    "Ask Pilotfish about the selection": "就所选内容询问 Pilotfish",
    "Edit the selection with Pilotfish": "使用 Pilotfish 编辑所选内容",
    "Explain the selection with Pilotfish": "使用 Pilotfish 解释所选内容",
    "Document the selection with Pilotfish": "使用 Pilotfish 为所选内容编写文档",
    "Test the selection with Pilotfish": "使用 Pilotfish 测试所选内容",
    "Ask Pilotfish": "询问 Pilotfish",
    "Edit": "编辑",
    "Test": "测试",
}

Translate = Callable[[str], str]
"""Returns a title in the editor's language."""


def titles_in(locale: object) -> Translate:
    """Return what translates titles.

    Args:
        locale: As the editor names it, such as ``zh-cn``; anything else counts as English.
    """
    if not isinstance(locale, str) or not locale.lower().startswith("zh"):
        return str
    return lambda title: _CHINESE.get(title, title)
