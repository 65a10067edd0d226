import fc from 'fast-check';
import { testSeed } from './seed.js';

/** A setup file of vitest: fast-check draws with the run's seed, unless a property names its own. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: testSeed() });
