"""Domain vocabulary: plain frozen types that every layer may see.

Owns: ids, messages, events, reasons, calls and their facts, permission vocabulary, errors.
Does not own: behaviour. Nothing here does I/O, reads a clock or knows a protocol.
"""
