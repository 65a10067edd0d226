export * from './announcement-server.js';
export { DriverAsker, type AskedDriver, type DriverAskerOptions } from './driver-asker.js';
export { DriverService, type DriverServiceOptions } from './driver-service.js';
export * from './mgmt-contracts.js';
export * from './proof.js';
