/** What tests look at of this service. Not for a product's use. */
export { sandboxed } from '../user-data/testing/script-world.js';
