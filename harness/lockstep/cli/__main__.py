"""`python -m lockstep.cli` is the `lockstep` command."""

from __future__ import annotations

import sys

from lockstep.cli import main

sys.exit(main())
