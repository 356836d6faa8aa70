"""The Gatekeeper: deterministic checks of bindings against persisted evidence; pure."""
