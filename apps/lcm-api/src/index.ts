export * from './start-lcm-api.js';
export { TokenGuard } from './http/token.guard.js';
export { lcmApi } from './service.js';
export { changingRoutes } from './http/routes.js';
