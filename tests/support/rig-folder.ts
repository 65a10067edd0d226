import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evidence } from '@windlass/foundation/testing';

/** Makes a folder for what a rig starts. The logs in it are kept where a test fails (tests/support/evidence.ts); the rig removes it. */
export const rigFolder = async (prefix: string): Promise<string> => evidence.folder(await mkdtemp(join(tmpdir(), prefix)));
