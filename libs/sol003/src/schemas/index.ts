export { schemaErrors } from './schema-errors.js';
export { SCHEMA_NAMES, schemasOf, type SchemaName } from './schema-files.js';
