export * from './cluster-vim.js';
export * from './driver.js';
export * from './hook-context.js';
export * from './hooks.js';
export * from './secret-parameters.js';
export { schemaFaults } from './schema-faults.js';
export type { PrivateKeyCheck, PrivateKeyFault, SshLoginNames } from './ssh-login.js';
export { cmd, Command, quoteWord, type CommandValue } from './cmd.js';
export type * from './host.js';
