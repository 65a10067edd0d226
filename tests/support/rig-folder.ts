import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evidence } from '@windlass/foundation/testing';

/** Makes the folder of a rig, which the rig removes. When a test fails, the logs in the folder are kept (tests/support/evidence.ts). */
export const rigFolder = async (prefix: string): Promise<string> => evidence.folder(await mkdtemp(join(tmpdir(), prefix)));
