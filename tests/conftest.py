"""What holds for every test: no setting of this project leaks in from outside."""

import os

for _name in [name for name in os.environ if name.startswith(("VERDICT_", "SLACK_", "OPENAI_"))]:
    # because a developer's own configuration must not decide what a test shows
    del os.environ[_name]
