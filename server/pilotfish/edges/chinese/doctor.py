"""The doctor's report and the progress of an index, in Chinese."""

# ruff: noqa: RUF001 - full-width marks are Chinese punctuation

DOCTOR: dict[str, str] = {
    "No model is configured: the built-in demo answers.": "尚未配置模型：由内置演示回答。",
    "Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or the address of a server (ANTHROPIC_BASE_URL, OPENAI_BASE_URL), in the environment.": "请在环境中设置 ANTHROPIC_API_KEY 或 OPENAI_API_KEY，或服务器的地址（ANTHROPIC_BASE_URL、OPENAI_BASE_URL）。",
    # Language servers
    "{0} for {1}: {2}": "{0}，用于 {1}：{2}",
    "none of them is started: {0*}": "均不会启动：{0*}",
    "the folder is not trusted": "该文件夹不受信任",
    "a setting says so": "设置如此规定",
    "not found: {0*}": "未找到：{0*}",
    "{0} does not run for {1}": "{0} 未在为 {1} 运行",
    "{0} is starting for {1}": "{0} 正在为 {1} 启动",
    "{0} {1} runs for {2}; {3*}": "{0} {1} 正在为 {2} 运行；{3*}",
    "documents open: {0}": "打开的文档：{0}",
    "documents open: {0}; busy with: {1}": "打开的文档：{0}；正忙于：{1}",
    # State, programs
    "{0} cannot be written. Set PILOTFISH_HOME to a folder.": "无法写入 {0}。请将 PILOTFISH_HOME 设为一个文件夹。",
    "missing": "缺失",
    "{0}, the editor's own": "{0}，编辑器自带",
    "{0}; the editor's own is not taken: {1*}": "{0}；未采用编辑器自带的程序：{1*}",
    "it is not an absolute path.": "它不是绝对路径。",
    "it is no file that can be run.": "它不是可以运行的文件。",
    "it is no path.": "它不是路径。",
    "it does not answer.": "它没有回应。",
    "it does not say that it is ripgrep.": "它没有表明自己是 ripgrep。",
    "git is not on the PATH; the agent works, but knows no history.": "PATH 中没有 git；代理可以工作，但不了解历史。",
    "{0}, {1*}, {2} s: {3}": "{0}，{1*}，{2} 秒：{3}",
    "process {0} outlived its server {1}, which was killed. The next session ends it.": "进程 {0} 比其已被终止的服务器 {1} 存活更久。下一个会话会结束它。",
    # The model
    "built-in demo (no model is configured)": "内置演示（未配置模型）",
    "{0*} at {1} ({2*})": "{1} 上的 {0*}（{2*}）",
    "no model": "无模型",
    "no key": "无密钥",
    "key from {0}": "密钥来自 {0}",
    # Settings, agents, skills
    "{0*}, folder trusted": "{0*}，文件夹受信任",
    "{0*}, folder not trusted": "{0*}，文件夹不受信任",
    "{0} rule": "{0} 条规则",
    "{0} rules": "{0} 条规则",
    "{0*}, {1} in a folder that is not trusted": "{0*}，{1} 个位于不受信任的文件夹",
    "{0*}, {1} remarks (pilotfish {2} list)": "{0*}，{1} 条备注（pilotfish {2} list）",
    # The index
    "off (codeIntelligence.index.enabled)": "关闭（codeIntelligence.index.enabled）",
    "none yet; the next session makes it": "尚无；下一个会话会建立",
    "damaged": "已损坏",
    "not readable": "无法读取",
    "The disk does not let {0} be read ({1}).": "磁盘不允许读取 {0}（{1}）。",
    "Make room, or mend the permissions of its folder.": "请腾出空间，或修正其文件夹的权限。",
    "{0} cannot be read ({1}). The next session makes it anew.": "无法读取 {0}（{1}）。下一个会话会重新建立。",
    "{0*}, {1} symbols, {2} MB": "{0*}，{1} 个符号，{2} MB",
    "{0} files": "{0} 个文件",
    "{0} files, {1} of them by name only": "{0} 个文件，其中 {1} 个仅有名称",
    # What a process is for
    "shell": "命令",
    "search": "搜索",
    "index": "索引",
    "language_server": "语言服务器",
    "document": "文档",
    "hook": "钩子",
}

INDEX: dict[str, str] = {
    "Pilotfish: index of {0}": "Pilotfish：{0} 的索引",
    "off": "关闭",
    "starting": "正在启动",
    "finding names, {0} of {1} files": "正在查找名称，{0}/{1} 个文件",
    "reading, {0} of {1} files; names are there": "正在读取，{0}/{1} 个文件；名称已就绪",
    "{0} files": "{0} 个文件",
    "kept by another process": "由另一个进程维护",
    "failed: {0*}": "失败：{0*}",
    "it cannot be kept: {0}; {1*}": "无法维护：{0}；{1*}",
    "the disk takes nothing more of {0} ({1}); {2*}": "磁盘无法再写入 {0}（{1}）；{2*}",
    "make room, or mend the permissions of its folder; it is tried again in a while": "请腾出空间，或修正其文件夹的权限；稍后会再次尝试",
    "the database cannot be used: {0}": "无法使用数据库：{0}",
    "{0*}; {1} files beyond the limit are left out": "{0*}；超出上限的 {1} 个文件未纳入",
}
