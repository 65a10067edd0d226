export * from './start-lcm-api.js';
export { TokenGuard } from './http/token.guard.js';
export { lcmApi } from './service.js';
export { Routes } from './http/routes.js';
export { PublicUrl } from './http/public-url.js';
export { Rendering } from './rendering/rendering.js';
export { checkRequest, type DriverChecks } from './instances/check-request.js';
