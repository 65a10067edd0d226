import { crashSuite, undoSuite } from '@windlass/driver-kit/testing';
import { expect } from 'vitest';
import { scaled } from '../testing/requests.js';
import { bench, type BenchOptions } from './testing/bench.js';
import { FOLDER } from './testing/requests.js';

/** A cluster that stands, made without points. */
function standing(points: BenchOptions, hook: BenchOptions['hook'], listed: readonly string[]) {
  const made = bench({ ...points, ...(hook === undefined ? {} : { hook }) });
  made.world.begin('server-master-1', 'master-10-10-0-24', '10.10.0.24');
  for (const address of listed) made.world.listed.set(`worker-${address.replaceAll('.', '-')}`, { ready: true, address });
  return made;
}

crashSuite('an installation by kubespray', {
  bench: (points) => bench({ workers: 1, ...points }),
  stands: ({ world, vims, ansible }) => {
    expect([...world.listed.keys()]).toEqual(['master-10-10-0-24', 'worker-10-10-0-31']);
    expect(vims.vims.size).toBe(1);
    expect(ansible.file(`${FOLDER}/hosts.yaml`)).toContain('worker-10-10-0-31');
  },
});

crashSuite('a worker’s leaving by kubespray', {
  bench: (points) => standing(points, scaled('scale_start'), ['10.10.0.31', '10.10.0.32']),
  stands: ({ world, ansible }) => {
    expect([...world.listed.keys()]).toEqual(['master-10-10-0-24', 'worker-10-10-0-31']);
    expect(ansible.file(`${FOLDER}/hosts.yaml`)).not.toContain('worker-10-10-0-32');
  },
});

undoSuite('the coming of a worker by kubespray', {
  bench: (points) => standing(points, scaled('scale_end'), ['10.10.0.31']),
  left: {
    'prepare-inventory': ({ ansible }) => ansible.file(`${FOLDER}/.windlass`),
    'write-inventory': ({ ansible }) => lineOf(ansible.file(`${FOLDER}/hosts.yaml`), 'worker-10-10-0-32'),
    'run-playbook:scale': ({ world }) => world.listed.get('worker-10-10-0-32'),
  },
});

undoSuite('a worker’s leaving by kubespray', {
  bench: (points) => standing(points, scaled('scale_start'), ['10.10.0.31', '10.10.0.32']),
  left: {
    'prepare-inventory': ({ ansible }) => ansible.file(`${FOLDER}/.windlass`),
    'cordon-node:worker-10-10-0-32': ({ world }) => (world.cordoned.size === 0 ? undefined : true),
    'remove-workers': ({ world }) => (world.listed.has('worker-10-10-0-32') ? undefined : 'gone'),
    'write-inventory:after': ({ ansible }) =>
      lineOf(ansible.file(`${FOLDER}/hosts.yaml`), 'worker-10-10-0-32') === undefined ? 'gone' : undefined,
  },
});

const lineOf = (text: string | undefined, word: string): string | undefined =>
  text?.split('\n').find((line) => line.includes(word));
