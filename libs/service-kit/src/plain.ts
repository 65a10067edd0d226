/** What reads and writes words alone: for the command line, whose options are declared without a framework. */
export * from './access/roles.js';
export * from './config/readers.js';
export * from './config/tls-files.js';
