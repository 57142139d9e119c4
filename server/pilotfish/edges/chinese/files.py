"""What is said of files that cannot be read, written or put back, in Chinese.

These become the answer to a request, and the reason why a file was left alone when changes were
taken back or brought over from an agent's tree.
"""

# ruff: noqa: RUF001 - full-width marks are Chinese punctuation

_TREES: dict[str, str] = {
    "It is a link or a repository; copy {0} by hand.": "它是链接或存储库；请手动复制 {0}。",
    "A link leads it out of {0}; copy {1} by hand.": "有链接使其指向 {0} 之外；请手动复制 {1}。",
    "Compare with {0} by hand.": "请手动与 {0} 比较。",
    "It came or went in both trees; compare with {0}.": "两个工作树都新增或删除了它；请与 {0} 比较。",
    "Both trees changed the same lines; compare with {0}.": "两个工作树更改了相同的行；请与 {0} 比较。",
    "{0} was deleted since.": "{0} 此后已被删除。",
    "{0} was changed since in the same lines, or as a whole; it is left alone.": "{0} 此后在相同的行或整体上被更改；保持原样。",
}

_REVIEW: dict[str, str] = {
    "What commands changed on the disk is not part of this.": "命令在磁盘上所做的更改不包括在内。",
    "{0}: its earlier text is lost.": "{0}：其先前的文本已丢失。",
    "{0}: a hunk is not there any more.": "{0}：某个更改块已不存在。",
    "Look at the changes again.": "请重新查看更改。",
    "{0} was not changed in this session.": "{0} 在此会话中没有更改。",
    "{0} changed in the meantime; look at it again.": "{0} 在此期间已更改；请重新查看。",
    "{0} changed in the meantime; it was left alone.": "{0} 在此期间已更改；保持原样。",
    "{0} was not changed since that message.": "{0} 自该消息以来没有更改。",
    "It is as it was then, as far as this chat knows.": "据此聊天所知，它仍是当时的样子。",
    "That {0} was reviewed could not be kept ({1}).": "无法记录 {0} 已被审阅（{1}）。",
    "An earlier text of {0} is missing from the file history ({1}).": "文件历史中缺少 {0} 的先前文本（{1}）。",
    "Two of the files are the same one; nothing was written.": "其中两个文件是同一个；没有写入任何内容。",
    "{0} was not changed: its text could not be saved to the file history ({1}).": "{0} 没有更改：无法将其文本保存到文件历史（{1}）。",
}

_DISK: dict[str, str] = {
    "{0} cannot be read: {1}.": "无法读取 {0}：{1}。",
    "{0} cannot be written: {1}.": "无法写入 {0}：{1}。",
    "{0} cannot be deleted: {1}.": "无法删除 {0}：{1}。",
    "{0} cannot be resolved: {1}.": "无法解析 {0}：{1}。",
    "{0} is not a regular file.": "{0} 不是普通文件。",
    "{0} is read-only; nothing was written.": "{0} 是只读的；没有写入任何内容。",
    "{0}: what was written reads back differently.": "{0}：写入的内容读回时不一致。",
    "{0} was created by somebody else in the meantime.": "{0} 在此期间已被他人创建。",
    "Read it first.": "请先读取它。",
    "{0}: the edit would change bytes outside the edited text, because of its encoding; nothing was written.": "{0}：由于其编码，修改会改变所改文本之外的字节；没有写入任何内容。",
    "Convert the file to UTF-8 first.": "请先将文件转换为 UTF-8。",
    "{0} was deleted since you read it; nothing was written.": "{0} 在读取后已被删除；没有写入任何内容。",
    "Use Write if it should exist again.": "如果它应重新存在，请使用 Write。",
    "{0} could be written only in part, and not be put back either.": "{0} 只写入了一部分，也无法恢复。",
    "{0} is {1} bytes; the limit is {2}.": "{0} 有 {1} 字节；上限为 {2} 字节。",
    "{0} is a binary file ({1}).": "{0} 是二进制文件（{1}）。",
    "{0} cannot be written back as {1} without loss.": "{0} 无法以 {1} 无损写回。",
    "{0} is in a legacy encoding that cannot be told for certain ({1}), and {2} (U+{3}) is not the same in all of them; nothing was written.": "{0} 使用无法确定的旧编码（{1}），而 {2}（U+{3}）在其中并不相同；没有写入任何内容。",
    "{0} is not UTF-8, and its legacy encoding cannot be told: {1}.": "{0} 不是 UTF-8，且无法判断其旧编码：{1}。",
    "{0} is not valid {1}: {2}.": "{0} 不是有效的 {1}：{2}。",
    "{0} is encoded as {1}, which cannot hold {2} (U+{3}); nothing was written.": "{0} 的编码为 {1}，无法包含 {2}（U+{3}）；没有写入任何内容。",
    "Use characters of that encoding, or convert the file to UTF-8 first.": "请使用该编码的字符，或先将文件转换为 UTF-8。",
    "{0} does not hold a JSON object.": "{0} 不包含 JSON 对象。",
}

_EDITOR: dict[str, str] = {
    "{0} was closed in the editor while it was being edited.": "{0} 在修改期间已在编辑器中关闭。",
    "{0} was closed in the editor before the edit was saved; the edit is lost.": "{0} 在保存修改之前已在编辑器中关闭；修改已丢失。",
    "{0} is read-only in the editor; nothing was written.": "{0} 在编辑器中是只读的；没有写入任何内容。",
    "Ask the user to make it writable there.": "请先在那里将其设为可写。",
    "{0} is open in the editor in another encoding than its own: saved there, it would lose characters; nothing was written.": "{0} 在编辑器中以不同于其自身的编码打开：在那里保存会丢失字符；没有写入任何内容。",
    "Ask the user to reopen it with its encoding there, or to close it.": "请在那里用其自身的编码重新打开它，或将其关闭。",
    "The editor cannot save on request; the file is left unsaved.": "编辑器不支持按请求保存；文件尚未保存。",
    "The editor could not save {0}.": "编辑器无法保存 {0}。",
    "The editor could not save {0}: {1}": "编辑器无法保存 {0}：{1}",
    "The editor did not save {0} in time.": "编辑器没有及时保存 {0}。",
    "The editor may not have saved {0}.": "编辑器可能没有保存 {0}。",
    "The editor did not confirm the edit of {0} within {1} seconds.": "编辑器没有在 {1} 秒内确认对 {0} 的修改。",
    "Read the notebook to see what it holds now.": "请读取该笔记本以查看其当前内容。",
    "Read the file to see what it holds now.": "请读取该文件以查看其当前内容。",
    "The editor refused the edit: {0}": "编辑器拒绝了修改：{0}",
    "The editor may not have changed {0}.": "编辑器可能没有更改 {0}。",
    "{0} changed in the editor; the edit was not applied.": "{0} 在编辑器中已更改；未应用修改。",
    "Read it again.": "请重新读取它。",
    "{0}: the editor did not take the edit within {1} s.": "{0}：编辑器没有在 {1} 秒内接受修改。",
    "Read the file to see whether it changed.": "请读取该文件以查看它是否已更改。",
    "{0} is open in a notebook editor, which can change its cells only.": "{0} 已在笔记本编辑器中打开，只能更改其单元格。",
    "Close it there, then repeat the edit.": "请在那里关闭它，然后重复修改。",
    "{0} is open in a notebook editor with changes that are not saved; nothing was written.": "{0} 已在笔记本编辑器中打开且有未保存的更改；没有写入任何内容。",
    "Ask the user to save it, then read it again and repeat the edit.": "请先保存它，然后重新读取并重复修改。",
    "{0} changed since you read it; nothing was written.": "{0} 在读取后已更改；没有写入任何内容。",
    "Read it again, then repeat the edit on the new text.": "请重新读取它，然后在新文本上重复修改。",
    "{0} was not read yet; nothing was written.": "尚未读取 {0}；没有写入任何内容。",
    "Read it first, then edit it.": "请先读取它，然后修改。",
    "{0} does not exist; nothing was written.": "{0} 不存在；没有写入任何内容。",
    "Check the path, or create the file with Write.": "请检查路径，或用 Write 创建该文件。",
    "{0} leads to another file than when the edit was agreed to; nothing was written.": "{0} 指向的文件与同意修改时不同；没有写入任何内容。",
    "Look where it leads, then repeat the edit.": "请查看它指向何处，然后重复修改。",
    "{0} changed after the edit was agreed to; nothing was written.": "{0} 在同意修改后已更改；没有写入任何内容。",
    "{0} already has exactly this text; nothing was written.": "{0} 已经是这段文本；没有写入任何内容。",
    "{0} changed since the edit was worked out; nothing was written.": "{0} 在拟定修改后已更改；没有写入任何内容。",
    "Ask for it again.": "请重新请求。",
    "{0} is not empty, so an empty old_string cannot be replaced in it.": "{0} 不是空文件，因此无法替换其中空的 old_string。",
    "Give the text to replace, or use Write to replace the whole file.": "请给出要替换的文本，或用 Write 替换整个文件。",
}

_PROCESSES: dict[str, str] = {
    "The search failed: {0}": "搜索失败：{0}",
    "The search found nothing within {0} s and was stopped.": "搜索在 {0} 秒内没有找到任何内容，已停止。",
    "Search a smaller folder, or add a glob.": "请搜索较小的文件夹，或添加 glob。",
    "ripgrep (rg) was not found, so searching files is slow.": "未找到 ripgrep（rg），因此搜索文件较慢。",
    "Install ripgrep, or reinstall Pilotfish, which brings it along.": "请安装 ripgrep，或重新安装自带它的 Pilotfish。",
    "{0} was not started: the client named no terminal.": "{0} 没有启动：客户端没有指定终端。",
    "The terminal of {0} does not answer: {1}.": "{0} 的终端没有响应：{1}。",
    "{0} was not started in a terminal: {1}.": "{0} 没有在终端中启动：{1}。",
    "{0} takes no more input.": "{0} 不再接受输入。",
    "{0} does not read its input.": "{0} 不读取其输入。",
    "{0} was not started: Pilotfish is shutting down.": "{0} 没有启动：Pilotfish 正在关闭。",
    "{0} was not started: {1} bytes are too much input.": "{0} 没有启动：{1} 字节的输入过多。",
    "the workers read none of the files": "工作进程没有读取任何文件",
}

FILES: dict[str, str] = {**_TREES, **_REVIEW, **_DISK, **_EDITOR, **_PROCESSES}
