/** Every command of the product: their names and options, without what they do. */
export { windlassProgram } from './program.js';
