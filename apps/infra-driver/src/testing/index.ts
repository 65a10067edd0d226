/** Parts of this service for tests. For tests only. */
export { sandboxed } from '../user-data/testing/script-world.js';
