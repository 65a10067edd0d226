import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvariantError } from '@windlass/foundation';
import { evidence } from '@windlass/foundation/testing';
import { identityOf, isRunning } from '../process-identity.js';

const PREFIX = 'windlass-test';

/** A folder of this test process alone. */
export interface TestFolder {
  path: string;
  remove(): void;
}

/**
 * A fresh folder in the machine's folder for temporary files. The folder's name has the process id; the next test process removes the folders of
 * killed processes.
 */
export function testFolder(): TestFolder {
  sweep();
  const self = identityOf(process.pid);
  if (self === undefined) throw new InvariantError('/proc does not list this process');
  const path = evidence.folder(mkdtempSync(join(tmpdir(), `${PREFIX}-${self.pid}-${self.startedAt}-`)));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid, startedAt] = /^windlass-test-(\d+)-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || startedAt === undefined || isRunning({ pid: Number(pid), startedAt })) continue;
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}
