/**
 * Behind an ORDER BY of a partial index of few rows: takes none away, but PostgreSQL can't know that, and so walks through the index, whatever it knows of the table.
 * A bitmap of the index would visit each row that was once in it until the table is vacuumed; a walk notes in the index which of them are gone, and they are not
 * visited again.
 */
export const BY_THE_INDEX = 'LIMIT (SELECT NULL::bigint)';
