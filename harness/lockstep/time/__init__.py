"""Virtual time: instants and their text form, and the event loop that moves time."""
