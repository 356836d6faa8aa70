"""The Verifier's code: protocol, reference cleaning, guard, score and verdict; pure."""
