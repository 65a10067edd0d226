import fc from 'fast-check';
import { testSeed } from './seed.js';

/**
 * A setup file of vitest: properties that fast-check tries are tried with the run's seed, where they name none of their own. One that fails is told
 * before the test's time is over, with the smallest case that was found by then; one that was not tried in full by then fails.
 */
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: testSeed(),
  interruptAfterTimeLimit: 50_000,
  markInterruptAsFailure: true,
});
