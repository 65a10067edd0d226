"""Part of what user data scripts of packages import; see windlass_run.py."""
