"""The report of a run: rows, totals and the verdict on the whole run, as JSON and as text.

Nothing here runs anything, and nothing here imports the simulated cluster: the command line and the pytest plugin both
feed a `Session` and print what it says.
"""

from lockstep.report.document import ReportError, document, read, write
from lockstep.report.session import Row, Session

__all__ = ["ReportError", "Row", "Session", "document", "read", "write"]
