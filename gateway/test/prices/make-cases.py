#!/usr/bin/env python3
"""Writes the cases of the table of truth: `python3 make-cases.py`.

The bill of each case is worked out here, in exact decimals, from the providers' published prices and rules. Where `cost` is
given as well, it was worked out by hand, and the program stops if the two differ. A case can also be written by hand: it is
one JSON file in cases/, as README.md explains. This program does not touch files that it does not write, but names them.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "make"))
sys.dont_write_bytecode = True

import anthropic, bedrock, compatible, core, google, media, openai, responses, sheet  # noqa: E401, E402

for part in (openai, responses, compatible, anthropic, google, bedrock, media, sheet):
    part.make()
core.write_all()
