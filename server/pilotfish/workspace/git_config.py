"""Which keys of a repository's own configuration make git run programs.

Owns: the keys that never do, and those that do not in the few commands that Pilotfish runs itself.
Anything that is in neither list is not known to be harmless.
Does not own: reading a configuration (``workspace.git``, ``permissions.git_probe``). Pure.
See also: design 00 §8 (b).
"""

# Sections in which no key makes git run a program when it only reads.
_HARMLESS_SECTIONS = frozenset(
    {"advice", "apply", "blame", "branch", "color", "column", "commit", "fetch", "gc", "gui",
     "i18n", "init", "lfs", "log", "maintenance", "merge", "mergetool", "pack", "pull", "push",
     "rebase", "receive", "rerere", "stash", "status", "tag", "transfer", "user", "versionsort"}
)  # fmt: skip
_HARMLESS_KEYS = {
    "core": frozenset(
        {"repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase",
         "precomposeunicode", "symlinks", "autocrlf", "eol", "safecrlf", "longpaths",
         "preloadindex", "untrackedcache", "abbrev", "compression", "quotepath", "fscache",
         "hidedotfiles", "protecthfs", "protectntfs", "sparsecheckout", "sparsecheckoutcone",
         "sharedrepository", "commentchar", "whitespace", "excludesfile", "trustctime",
         "checkstat", "commitgraph", "multipackindex", "looserefs", "notesref"}
    ),
    "remote": frozenset({"url", "fetch", "pushurl", "push", "prune", "tagopt", "mirror",
                         "gh-resolved", "skipdefaultupdate", "skipfetchall"}),
    "diff": frozenset({"renames", "renamelimit", "algorithm", "context", "mnemonicprefix",
                       "noprefix", "colormoved", "indentheuristic", "relative", "statgraphwidth",
                       "wserrorhighlight", "xfuncname", "funcname", "binary", "wordregex",
                       "interhunkcontext", "suppressblankempty", "autorefreshindex"}),
    "extensions": frozenset({"worktreeconfig", "objectformat", "refstorage", "compatobjectformat"}),
}  # fmt: skip
_BOOLEAN_ONLY = {("core", "fsmonitor")}
"""Harmless as yes or no; any other value names a program."""

_BOOLEANS = frozenset({"true", "false", "yes", "no", "on", "off", "1", "0", ""})

SWITCHES = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.editor=:",
    "core.quotePath=false", "gc.auto=0", "maintenance.auto=false", "submodule.recurse=false",
    "diff.ignoreSubmodules=dirty", "advice.detachedHead=false",
)  # fmt: skip
"""Put before each command that Pilotfish runs itself: they win over every configuration file."""

# What these would run belongs to commands that Pilotfish does not run itself, or is switched off
# by ``SWITCHES``, by ``--no-ext-diff --no-textconv``, or by an environment that permits no transport.
_SWITCHED_OFF_SECTIONS = frozenset(
    {"alias", "credential", "diff", "difftool", "gpg", "http", "pager", "sendemail",
     "sequence", "submodule", "url", "merge", "gitflow", "gitbutler", "svn", "svn-remote", "git-p4",
     "delta", "hub", "github", "gitlab", "sparse", "index", "feature", "checkout", "clean", "rerere"}
)  # fmt: skip
_SWITCHED_OFF_KEYS = {
    "core": frozenset({"fsmonitor", "hookspath", "editor", "pager", "sshcommand", "askpass",
                       "gitproxy", "bigfilethreshold", "splitindex", "checkroundtripencoding"}),
    "remote": frozenset({"promisor", "partialclonefilter", "uploadpack", "receivepack", "proxy"}),
    "extensions": frozenset({"partialclone", "preciousobjects", "noop"}),
}  # fmt: skip
_LFS_KEYS = frozenset({"repositoryformatversion", "url", "access", "locksverify", "fetchinclude",
                       "fetchexclude", "concurrenttransfers", "allowincompletepush"})  # fmt: skip


def reads_harmlessly(section: str, subsection: str | None, key: str, value: str | None) -> bool:
    """Tell whether an entry cannot make a reading git command run a program.

    Args:
        section: In small letters.
        subsection: What stands in quotes beside it; None where nothing does.
        key: In small letters.
        value: None where only the key stands.
    """
    if (section, key) in _BOOLEAN_ONLY:
        return (value or "").strip().lower() in _BOOLEANS
    if section == "merge" and subsection is not None:
        return key in ("name", "recursive")
    if section in _HARMLESS_SECTIONS:
        return True
    return key in _HARMLESS_KEYS.get(section, frozenset())


def checks_out_harmlessly(
    section: str, subsection: str | None, key: str, value: str | None
) -> bool:
    """Tell whether an entry cannot make one of Pilotfish's own git commands run a program.

    These are given ``SWITCHES``, and write files: a filter that a repository declares would run.
    """
    if (section, key) == ("core", "bare"):
        return (value or "").strip().lower() in {"false", "no", "off", "0"}
    if section == "lfs":
        # The user's own git-lfs would start what these name.
        return key in _LFS_KEYS
    if section in _SWITCHED_OFF_SECTIONS or key in _SWITCHED_OFF_KEYS.get(section, frozenset()):
        return True
    return reads_harmlessly(section, subsection, key, value)
