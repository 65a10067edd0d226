import { describe, expect, it } from 'vitest';
import { tellingLine } from './telling-line.js';

describe('the line that says why', () => {
  it.each([
    [
      '[ERROR Port-6443]: Port 6443 is in use',
      'kubeadm join ended with status 1:\n[preflight] Some fatal errors occurred:\n\t[ERROR Port-6443]: Port 6443 is in use\nIf you know what you are doing',
    ],
    [
      'E: Unable to locate package kubeadm',
      'apt-get ended with status 100:\nReading package lists...\nE: Unable to locate package kubeadm',
    ],
    ['mount.nfs: Connection refused', 'mount ended with status 32:\nmount.nfs: Connection refused'],
    ['could not write', 'it ended with status 2:\nok so far\ncould not write'],
    ['stack x is CREATE_FAILED: no valid host was found', 'stack x is CREATE_FAILED: no valid host was found'],
    ['it ended with status 2', 'it ended with status 2\nand said nothing'],
    ['', ''],
  ])('%s', (line, text) => {
    expect(tellingLine(text)).toBe(line);
  });

  it('is found in what goes on for ever', () => {
    expect(tellingLine(`it ended with status 1:\n${'x\n'.repeat(500_000)}error: late`)).toBe('it ended with status 1:');
  });
});
