import { expect, it } from 'vitest';
import { machine } from '../machine.js';
import { manyText } from './many-report.js';

it('shows each thing with little and with much of the past, and how many times as long it takes', () => {
  const text = manyText({
    bench: 'many',
    at: '',
    machine: machine(),
    runs: 3,
    small: { instances: 500, occurrences: 5_000 },
    full: { instances: 50_000, occurrences: 500_000 },
    rows: [{ what: 'purge: journals', small: 1.5, full: 3, ratio: 2 }],
  });
  expect(text).toContain('500 instances, 5000 occurrences');
  expect(text).toMatch(/\| purge: journals +\| 1\.5 +\| 3 +\| 2 +\|/);
  expect(text).toContain('medians of 3 runs');
});
