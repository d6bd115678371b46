"""No CuPy: the place of this machine's own GPU on the bus is not asked, and commands start without importing it."""

raise ImportError("CuPy is not here")
