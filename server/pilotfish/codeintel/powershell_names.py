"""Names of PowerShell commands: aliases, what reads and writes, what starts others.

Owns: the tables. All names are folded: PowerShell does not tell small letters from capitals.
Does not own: reading a line (``powershell``).
"""

from pilotfish.codeintel.shell_words import name_set


def _aliases(table: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in table.split(";"):
        name, *others = line.split()
        found |= dict.fromkeys(others, name)
    return found


ALIASES = _aliases(
    "add-content ac; clear-content clc; clear-history clhy; clear-item cli; clear-itemproperty clp;"
    "clear-variable clv; compare-object compare diff; convert-path cvpa; copy-item cp copy cpi;"
    "copy-itemproperty cpp; export-alias epal; export-csv epcsv; foreach-object % foreach;"
    "format-custom fc; format-list fl; format-table ft; format-wide fw; get-alias gal;"
    "get-childitem gci ls dir; get-clipboard gcb; get-command gcm; get-content gc cat type;"
    "get-history h history ghy; get-item gi; get-itemproperty gp; get-itempropertyvalue gpv;"
    "get-job gjb; get-location gl pwd; get-member gm; get-module gmo; get-process gps ps;"
    "get-service gsv; get-unique gu; get-variable gv; group-object group; import-alias ipal;"
    "import-csv ipcsv; import-module ipmo; invoke-command icm; invoke-expression iex;"
    "invoke-history ihy r; invoke-item ii; invoke-restmethod irm; invoke-webrequest iwr curl wget;"
    "measure-object measure; move-item mi mv move; move-itemproperty mp; new-alias nal; new-item ni;"
    "new-pssession nsn; new-variable nv; out-gridview ogv; out-host oh; out-printer lp; pop-location"
    " popd; push-location pushd; receive-job rcjb; remove-item rm ri del erase rd rmdir; remove-job"
    " rjb; remove-itemproperty rp; remove-module rmo; remove-pssession rsn; remove-variable rv;"
    "rename-item ren rni; rename-itemproperty rnp; resolve-path rvpa; select-object select;"
    "select-string sls; set-alias sal; set-clipboard scb; set-content sc; set-item si;"
    "set-itemproperty sp; set-location sl cd chdir; set-service ssv; set-variable sv set;"
    "sort-object sort; start-job sajb; start-process saps start; start-service sasv; start-sleep"
    " sleep; stop-job spjb; stop-process spps kill; stop-service spsv; tee-object tee; wait-job wjb;"
    "where-object ? where; write-output echo write; new-psdrive ndr mount; get-psdrive gdr;"
    "remove-psdrive rdr; enter-pssession etsn; connect-pssession cnsn; mkdir md; clear-host cls clear"
)
"""Other names of commands, as Windows PowerShell and PowerShell 7 have them."""

KEYWORDS = name_set(
    "if else elseif for foreach while do until switch function filter class enum try catch finally "
    "trap throw return param begin process end clean exit using data workflow parallel sequence "
    "configuration break continue inlinescript dynamicparam var define from in"
)
"""What stands for syntax where a command would."""

STARTERS = name_set(
    "invoke-expression invoke-command start-process foreach-object start-job start-threadjob "
    "invoke-item invoke-history new-object add-type import-module set-alias new-alias import-alias "
    "set-item set-variable new-variable invoke-wmimethod invoke-cimmethod "
    "new-pssession enter-pssession register-scheduledtask register-objectevent register-wmievent "
    "register-engineevent powershell pwsh powershell_ise cmd bash sh zsh dash wsl wscript cscript "
    "mshta rundll32 regsvr32 schtasks at sudo runas gsudo psexec conhost forfiles wmic msiexec "
    "installutil regasm regsvcs msbuild env xargs nohup time timeout measure-command trace-command "
    "invoke-pester invoke-build"
)
"""Commands that run what others name, so that nothing is known about the line."""

READERS = name_set(
    "get-content get-item get-childitem get-itemproperty get-itempropertyvalue get-filehash "
    "select-string import-csv import-clixml convert-path resolve-path test-path get-acl copy-item "
    "move-item compare-object format-hex"
)
"""Commands whose operands are paths that they read."""

WRITERS = name_set(
    "set-content add-content clear-content out-file new-item remove-item move-item copy-item "
    "rename-item set-itemproperty clear-item export-csv export-clixml tee-object set-acl "
    "expand-archive compress-archive start-transcript export-alias mkdir invoke-webrequest "
    "invoke-restmethod"
)
"""Commands whose operands are paths that they write."""

MOVERS = frozenset({"set-location", "push-location", "pop-location"})
"""Commands after which relative paths lead elsewhere."""

CATASTROPHES = name_set(
    "format-volume clear-disk initialize-disk remove-partition reset-physicaldisk stop-computer "
    "restart-computer format diskpart"
)
"""Commands of which none can be undone."""

DANGEROUS_VERBS = name_set(
    "remove move rename clear stop restart invoke uninstall install register unregister enable "
    "disable set reset dismount mount publish save update grant revoke block unblock suspend debug"
)
"""First halves of names that change more than a file's content."""

DANGEROUS_COMMANDS = name_set(
    "copy-item out-file add-content new-service start-service new-scheduledtask export-csv "
    "set-executionpolicy reg net netsh sc.exe icacls takeown attrib bcdedit vssadmin cipher certutil "
    "bitsadmin start-bitstransfer send-mailmessage"
)
"""More that does harm easily."""
