export * from './start-infra-driver.js';
export { infraDriver } from './service.js';
export { VimSessions } from './vim-sessions.js';
export type { InfraSettings, PackageReader } from './actions/infra-context.js';
