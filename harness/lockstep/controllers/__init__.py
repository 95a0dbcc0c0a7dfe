"""The controllers under test: their names, and the options that scenarios give them."""
