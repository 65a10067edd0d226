import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptBench } from '@windlass/driver-kit/testing';
import { PREPARE_NODE } from './scripts.js';

const HEADING = 'Filename Type Size Used Priority\n';
const ON = `${HEADING}/dev/zram0 partition 2097148 0 100\n/swap.img file 2097148 0 -2\n`;

describe('swap', () => {
  let node: ScriptBench;
  beforeEach(() => {
    node = new ScriptBench().programs('hostname', 'modprobe', 'sysctl', 'swapoff');
    for (const folder of ['etc/modules-load.d', 'etc/sysctl.d', 'etc/apt/apt.conf.d']) node.file(`${folder}/README`, '');
    node
      .file('etc/fstab', '/swap.img none swap sw 0 0\n')
      .file('etc/hosts', '')
      .file('proc/swaps', ON)
      .file('cluster', '')
      .file('proxy', '');
  });
  afterEach(() => node.remove());
  const prepare = () => node.run(PREPARE_NODE, ['worker31', node.at('cluster'), node.at('proxy')]);

  it('that stays on is refused before kubeadm: the node, each area and what to do are named', async () => {
    node.program('swapoff', 'exit 255');
    const end = await prepare();
    expect(end.status).toBe(1);
    expect(end.stderr).toContain('worker31: swap stays on (/dev/zram0, /swap.img)');
    expect(end.stderr).toContain('Take it out of the image');
    expect(node.calls).not.toContain('modprobe overlay');
  });

  it('that goes off, stays off after a restart', async () => {
    node.program('swapoff', `printf '${HEADING.trim()}\\n' > ${node.at('proc/swaps')}`);
    expect(await prepare()).toMatchObject({ status: 0, stderr: '' });
    expect(node.read('etc/fstab')).toBe('# windlass: /swap.img none swap sw 0 0\n');
  });
});
