"""`python -m harness.cli` is the `lockstep` command."""

from __future__ import annotations

import sys

from harness.cli import main

sys.exit(main())
