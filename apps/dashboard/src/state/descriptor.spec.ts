import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flavoursIn } from './descriptor.js';

const SAMPLE = join(import.meta.dirname, '../../../../samples/kubernetes/Definitions');

describe('the flavours of a descriptor', () => {
  it('are those of its files, with VMs, their ports and what can be scaled', () => {
    const flavours = flavoursIn(readdirSync(SAMPLE).map((name) => readFileSync(join(SAMPLE, name), 'utf8')));
    expect(flavours.map(({ id }) => id)).toEqual(['complex', 'podaffinity', 'simple']);
    const [complex] = flavours;
    expect(complex?.vdus.map(({ name, instances, size }) => [name, instances, size])).toEqual([
      ['masterNode', '3 to 5', 'm1.medium, 2 CPUs, 4 GB'],
      ['workerNode', '2 to 4', 'm1.medium, 2 CPUs, 4 GB'],
    ]);
    expect(complex?.vdus[0]?.ports).toContainEqual({ name: 'masterNode_CP1', network: 'external' });
    expect(complex?.aspects.map(({ id }) => id)).toContain('worker_instance');
  });

  it('are none of what can’t be read or is written otherwise, however often it refers to itself', () => {
    const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${Array.from({ length: 12 }, (_, n) => `${'bcdefghijklm'[n] ?? ''}: &${'bcdefghijklm'[n] ?? ''} [${`*${'abcdefghijkl'[n] ?? ''}, `.repeat(9)}]`).join('\n')}`;
    const odd =
      'topology_template: {substitution_mappings: {properties: {flavour_id: x}}, node_templates: [1], policies: {a: 1}}';
    expect(flavoursIn(['{', 'just text', '[]', bomb])).toEqual([]);
    expect(flavoursIn([odd])).toEqual([{ id: 'x', description: '', vdus: [], aspects: [] }]);
  });
});
