"""Language servers that Pilotfish runs itself, for those who have no editor that does.

Invariants: nothing is started in an untrusted workspace; what a server says is hostile input; no
request waits without a limit; a server that hangs or dies holds nobody up.
"""
