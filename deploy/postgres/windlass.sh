#!/bin/sh
# PostgreSQL's image runs this once, when its volume is new: the role that services connect as, which is no superuser, and its database.
# The superuser is for the audit trail's keeper alone (docs/runbooks/audit-trail.md).
set -eu
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\set password `cat /run/secrets/postgres-password`
CREATE ROLE windlass LOGIN PASSWORD :'password';
CREATE DATABASE windlass OWNER windlass;
SQL
