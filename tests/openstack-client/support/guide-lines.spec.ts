import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { guideLines } from './guide-lines.js';

const home = resolve(import.meta.dirname, '../../..');

/** The line without its comment. */
const bare = (line: string): string => line.replace(/\s+#.*$/, '');

it('the guide has the lines of the user guide of Kubernetes clusters, which the suite openstack-client types', async () => {
  const lines = Object.entries(await guideLines(home)).map(([name, line]) => [name, bare(line)]);
  expect(Object.fromEntries(lines)).toEqual({
    show: "openstack vnflcm show $VNF -f json -c 'Instantiated Vnf Info'",
    scaleOut: 'openstack vnflcm scale --type "SCALE_OUT" --aspect-id worker_instance --number-of-steps 1 $VNF',
    scaleIn: 'openstack vnflcm scale --type "SCALE_IN" --aspect-id worker_instance --number-of-steps 1 $VNF',
    healOne: 'openstack vnflcm heal $VNF --vnfc-instance $VNFC',
    healAll: 'openstack vnflcm heal $VNF',
    terminate: 'openstack vnflcm terminate --termination-type FORCEFUL $VNF',
    delete: 'openstack vnflcm delete $VNF',
  });
});
