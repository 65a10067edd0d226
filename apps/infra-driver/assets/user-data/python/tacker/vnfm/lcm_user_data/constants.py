"""How long a script may take, in seconds."""

USER_DATA_TIMEOUT = 60
