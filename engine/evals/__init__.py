"""`verdict eval`: labelled incidents, scored by code that shares nothing with the guard."""
