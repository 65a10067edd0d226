import fc from 'fast-check';
import { testSeed } from './seed.js';

/** A setup file of vitest: properties that fast-check tries are tried with the run's seed, where they name none of their own. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: testSeed() });
