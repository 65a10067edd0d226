import { RequestCheck, schema } from '@windlass/driver-kit';
import { validateRequestOf } from '@windlass/driver-kit/testing';
import { masked, type JsonObject } from '@windlass/foundation';
import { schemaFaults, secretParameters, type PackageFile, type ValidateRequest } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { PARAM } from '../parameters/of-clusters.js';
import { checkExternalLb, externalLbSchema } from './parameters.js';

/** As the sample body of seeds/4-kubespray-and-load-balancer-spec.txt has it. */
const SEED: JsonObject = {
  ssh_cp_name: 'externalLB_instance',
  ssh_username: 'ubuntu',
  ssh_password: 'ubuntu',
  script_path: './Scripts/ExternalLB_installation.sh',
};
const RIGHT = { ...SEED, ssh_cp_name: 'externalLB_CP1' };

const FILE: PackageFile = {
  path: 'Scripts/ExternalLB_installation.sh',
  size: 512,
  sha256: 'ab'.repeat(32),
  firstLine: '# windlass: builtin',
};

const flavour: ValidateRequest['flavour'] = {
  id: 'simple',
  vdus: ['masterNode', 'workerNode', 'externalLB', 'twins'],
  cps: [
    { id: 'masterNode_CP1', vdu: 'masterNode' },
    { id: 'workerNode_CP2', vdu: 'workerNode' },
    { id: 'externalLB_CP1', vdu: 'externalLB' },
    { id: 'externalLB_CP2', vdu: 'externalLB' },
    { id: 'twins_CP', vdu: 'twins' },
  ],
  aspects: [],
  mostVnfcs: { masterNode: 1, workerNode: 4, externalLB: 1, twins: 2 },
};

function said(lb: JsonObject | undefined, files: PackageFile[] = [FILE]) {
  const requestParams = { [PARAM]: lb === undefined ? {} : { external_lb_param: lb } };
  const request = validateRequestOf({ requestParams, flavour, files });
  const check = new RequestCheck(request, PARAM);
  checkExternalLb(check, request, ['masterNode', 'workerNode']);
  return check.reply();
}

const AT = `/additionalParams/${PARAM}/external_lb_param`;

describe('what a request says of an external load balancer', () => {
  it('is taken as the document has it, once it names a CP', () => {
    expect(said(RIGHT)).toEqual({
      invalidParams: [],
      normalised: {},
      warnings: [
        './Scripts/ExternalLB_installation.sh is not run: its first line says "windlass: builtin"; Windlass\'s own actions install the load balancer',
      ],
    });
  });

  it('may be nothing', () => {
    expect(said(undefined)).toEqual({ invalidParams: [], warnings: [], normalised: {} });
  });

  it('is told the CP that was meant in the place of the one that the document has', () => {
    expect(said(SEED).invalidParams).toEqual([
      { path: `${AT}/ssh_cp_name`, reason: expect.stringContaining('did you mean externalLB_CP1?') as string },
    ]);
  });

  it.each([
    ['of a node', { ssh_cp_name: 'workerNode_CP2' }, '/ssh_cp_name', 'whose VMs are nodes of the cluster'],
    ['of two VMs', { ssh_cp_name: 'twins_CP' }, '/ssh_cp_name', 'may have 2 VMs'],
    ['without its script', { script_path: 'Scripts/other.sh' }, '/script_path', 'the package has no file Scripts/other.sh'],
  ])('is refused for one %s', (_what, other, field, reason) => {
    expect(said({ ...RIGHT, ...other }).invalidParams).toEqual([
      { path: `${AT}${field}`, reason: expect.stringContaining(reason) as string },
    ]);
  });

  it.each([
    ['a script of the package’s own is run', { firstLine: '# mine' }, 'of the package is run on the load balancer'],
    [
      'one whose repository was shut down is not',
      { firstLine: '', hosts: ['apt.kubernetes.io'] },
      'is not run: it takes Kubernetes from',
    ],
    [
      'the reference’s is known by its SHA-256',
      { firstLine: '', sha256: '0b2445403a4b2ce2f905c2b7f77dcdb444a1e445379a11c6aca8e87d4b1f8198' },
      'is not run: it takes Kubernetes from apt.kubernetes.io',
    ],
  ])('says whose script it is: %s', (_what, other, warning) => {
    expect(said(RIGHT, [{ ...FILE, ...other }]).warnings).toEqual([expect.stringContaining(warning)]);
  });
});

describe('the schema of the parameter', () => {
  const faults = (lb: JsonObject) =>
    schemaFaults(
      schema.parametersOf('a driver', 'external_lb_param', externalLbSchema),
      { external_lb_param: lb },
      () => undefined,
    ).map(({ path }) => path);

  it('takes the document’s', () => expect(faults(SEED)).toEqual([]));

  it.each([
    ['script_path', { ...RIGHT, script_path: '' }],
    ['ssh_cp_name', { ...RIGHT, ssh_cp_name: '' }],
    ['ssh_username', { ...RIGHT, ssh_username: 'a b' }],
    ['ssh_password', { ssh_cp_name: 'a', ssh_username: 'b', script_path: 'c' }],
  ])('refuses a %s that can’t be used, at its path', (field, lb) => {
    expect(faults(lb)).toEqual([expect.stringContaining(`/external_lb_param/${field}`)]);
  });

  it('marks what is secret', () => {
    const description = { parameters: schema.parametersOf('a driver', 'external_lb_param', externalLbSchema) };
    const secret = { ssh_password: 'a', ssh_private_key: 'b', ssh_passphrase: 'c' };
    const shown = masked({ external_lb_param: { ...RIGHT, ...secret } }, secretParameters(description));
    expect(shown).toEqual({
      external_lb_param: { ...RIGHT, ssh_password: '***', ssh_private_key: '***', ssh_passphrase: '***' },
    });
  });
});
