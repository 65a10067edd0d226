import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readMedians } from './gate.js';
import { allSpecFiles, suiteOf } from './spec-files.js';
import { changedSince, touchedFiles } from './touched.js';

const HOME = resolve(import.meta.dirname, '../../../..');
const files = allSpecFiles(HOME);
const touched = (...changed: string[]) => touchedFiles(changed, files, readMedians(HOME));
const suites = (...changed: string[]): string[] => [...touched(...changed).keys()].sort();

describe('the slow tests that a change asks for', () => {
  it.each([
    ['apps/k8s-mgmt/src/kubeadm/scale.ts', ['e2e', 'int', 'lab']],
    ['libs/saga/src/engine/machine.ts', ['chaos', 'e2e', 'int', 'unit']],
    ['apps/infra-driver/src/service.ts', ['e2e', 'int', 'openstack']],
    ['apps/k8s-mgmt/src/etcd/quorum.ts', ['e2e', 'int', 'lab']],
    ['libs/user-data/src/sizes.ts', ['int', 'openstack']],
    ['apps/lcm-api/src/instances/vnf-instances.ts', ['int', 'openstack-client']],
    ['apps/storage-mgmt/src/volumes/manifests.ts', ['e2e', 'int']],
    ['deploy/images/Dockerfile', ['containers']],
    ['docker-compose.yml', ['containers']],
    ['docs/testing.md', []],
  ])('of %s are of %j', (changed, of) => {
    expect(suites(changed)).toEqual(of);
  });

  it('are none of the gate, and of those that only a person names just the one that was changed', () => {
    const of = [...touched('apps/lab/src/a.ts', 'libs/saga/src/a.ts').values()].flat();
    expect(of).not.toContain('tests/hazards/with-short-leases.e2e.spec.ts');
    expect(of.filter((file) => file.includes('.named.'))).toEqual([]);
    const named = 'tests/cluster/images.named.e2e.spec.ts';
    expect([...touched(named).values()].flat()).toEqual([named]);
  });

  it('are the chart on a real Kubernetes where the chart was changed, and not with each line of deploy/', () => {
    const charts = (changed: string): string[] => [...touched(changed).values()].flat().filter((file) => file.includes('/chart'));
    expect(charts('deploy/helm/windlass/templates/services.yaml')).toContain('tests/kubernetes/chart.all.containers.spec.ts');
    expect(charts('deploy/images/Dockerfile')).toEqual(['tests/deploy/chart.containers.spec.ts']);
  });

  it('are those of a folder whose support was changed', () => {
    expect([...touched('tests/storage/support/a.ts').values()].flat()).toEqual(['tests/storage/guide.all.e2e.spec.ts']);
  });

  it('are asked of git, which must know the commit', () => {
    expect(changedSince(HOME, 'HEAD')).toEqual(expect.any(Array));
    expect(() => changedSince(HOME, 'no-such-branch')).toThrow('--touched HEAD~3');
  });
});

it.each([
  ['a.spec.ts', 'unit'],
  ['a.all.unit.spec.ts', 'unit'],
  ['a.openstack-client.spec.ts', 'openstack-client'],
  ['a.named.lab.spec.ts', 'lab'],
])('the suite of %s is %s', (file, suite) => {
  expect(suiteOf(file)).toBe(suite);
});
