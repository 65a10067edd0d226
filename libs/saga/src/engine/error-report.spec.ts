import { TerminalError } from '@windlass/foundation';
import { expect, it } from 'vitest';
import { errorOf, reportError, storable } from './error-report.js';

it('the remedy that an error knows is kept with it, on both sides of a message, and as it can be stored', () => {
  const remedy = { says: 'Roll back, and ask again', leadsOn: 'rollback' as const, when: 'When it is so' };
  const report = reportError(new TerminalError('x.wrong', `it is wrong. ${remedy.says}`, { remedy }));
  expect(report).toMatchObject({ kind: 'terminal', code: 'x.wrong', remedy });
  expect(reportError(errorOf(report)).remedy).toEqual(remedy);
  expect(reportError(new TerminalError('x.wrong', 'it is wrong'))).not.toHaveProperty('remedy');
  const odd = storable({ ...report, remedy: { ...remedy, says: 'a\u0000b', when: 'c\u0000d' } });
  expect(JSON.stringify(odd)).not.toContain('\\u0000');
});
