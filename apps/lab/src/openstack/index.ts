export { OpenStackEmulator } from './emulator.js';
export type { ArmedFault, Fault, Times } from './faults/fault.js';
export type { Faults } from './faults/faults.js';
export type { ServedRequest } from './server.js';
export type { ProjectInventory } from './state/inventory.js';
export { defaultImages } from './options.js';
export type { EmulatorOptions, FlavorSeed, ImageSeed, NetworkSeed, TenantSeed } from './options.js';
