import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { RENEW_CERTIFICATES } from '../certificates/renewal-script.js';
import { LIST_CERTIFICATES } from '../certificates/scripts.js';
import * as connectivity from '../cluster/nodes/scripts.js';
import { JOIN_CONTROL_PLANE } from '../cluster/masters/scripts.js';
import { LOOK_AT_ETCD, READ_ARCHIVE, RESTORE_CONTROL_PLANE, SUM_OF_ARCHIVE, TAKE_SNAPSHOT } from '../snapshots/scripts.js';
import { INSPECT_NODE } from './inspection.js';
import * as scripts from './scripts.js';

describe('scripts that run on nodes', () => {
  it.each(
    Object.entries({
      ...scripts,
      ...connectivity,
      INSPECT_NODE,
      JOIN_CONTROL_PLANE,
      LIST_CERTIFICATES,
      LOOK_AT_ETCD,
      READ_ARCHIVE,
      RENEW_CERTIFICATES,
      RESTORE_CONTROL_PLANE,
      SUM_OF_ARCHIVE,
      TAKE_SNAPSHOT,
    }),
  )('shellcheck has nothing to say about %s', (_name, text) => {
    const { error, status, stdout } = spawnSync('shellcheck', ['--shell=bash', '--severity=style', '-'], {
      input: text,
      encoding: 'utf8',
    });
    if (error !== undefined) throw new Error('shellcheck is missing: ./windlass test installs it', { cause: error });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });
});
