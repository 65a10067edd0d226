export * from './start-lcm-api.js';
export { TokenGuard } from './http/token.guard.js';
export { lcmApi } from './service.js';
export { Routes } from './http/routes.js';
export { checkRequest, type DriverChecks } from './instances/check-request.js';
