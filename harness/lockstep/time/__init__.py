"""Virtual time: instants and their spelling, and the event loop on which time moves."""
