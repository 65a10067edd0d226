import { join, resolve } from 'node:path';
import { afterEach } from 'vitest';
import { keepEvidence } from './keep-evidence.js';
import { rigFolders } from './rig-folder.js';

const HOME = resolve(import.meta.dirname, '../..');
const EVIDENCE = process.env.WINDLASS_EVIDENCE ?? join(HOME, 'test-results/evidence');

/** A setup file of vitest: of each test that fails, its messages and the logs of its rigs are kept before those end. */
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  const errors = (task.result.errors ?? []).map(({ stack, message }) => stack ?? message);
  await keepEvidence(join(EVIDENCE, task.file.name.replaceAll('/', '-')), task.name, errors, rigFolders);
});
