import type { JsonObject } from '@windlass/foundation';
import type { NodePortService } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../settings/settings.js';
import { FILES, lbParams, lbRequest, LB_ADDRESS, NODE_PORTS, SCRIPT_PATH } from '../testing/node-ports.js';
import { nodePortDriver } from '../node-port.driver.js';
import { LB_PARAM } from './parameters.js';

const driver = nodePortDriver(defaultSettings);
const asked = (more: JsonObject = {}, nodePorts: NodePortService[] = NODE_PORTS) =>
  driver.validate(lbRequest(lbParams(more), { nodePorts }));
const machine = (more: JsonObject) => ({
  external_lb_param: { ssh_ip: LB_ADDRESS, ssh_username: 'ubuntu', ssh_password: '***', ...more },
});
const service = (nodePort: number, protocol = 'TCP'): NodePortService => ({
  namespace: 'default',
  name: 'web',
  ports: [{ nodePort, protocol }],
});
const LB = `/additionalParams/${LB_PARAM}`;
const DEF_FILES = '/additionalParams/lcm-kubernetes-def-files';

describe('a request to instantiate containers behind a load balancer', () => {
  it('that is right has its Services told to hooks, and a warning of ports that are not passed on', () => {
    expect(asked()).toEqual({
      invalidParams: [],
      warnings: ['ports of UDP of the Service voice/sip are not passed on by the load balancer'],
      normalised: { [LB_PARAM]: { node_ports: NODE_PORTS } },
    });
  });

  it.each([
    ['an address that is none', machine({ ssh_ip: '1.2.3' }), NODE_PORTS, `${LB}/external_lb_param/ssh_ip`, 'is no IP address'],
    [
      'a user that is none',
      machine({ ssh_username: 'a b' }),
      NODE_PORTS,
      `${LB}/external_lb_param/ssh_username`,
      'no name of a user',
    ],
    [
      'a script that is not there',
      { script_path: 'Scripts/no.sh' },
      NODE_PORTS,
      `${LB}/script_path`,
      'has no file Scripts/no.sh',
    ],
    ['no port to open', {}, [service(30_060, 'UDP')], DEF_FILES, 'has nothing to pass on'],
    ['no Service at all', {}, [], DEF_FILES, 'has nothing to pass on'],
    ['the port of the API', {}, [service(8383)], DEF_FILES, 'default/web has the nodePort 8383'],
  ])('is refused at its field: %s', (_, more, nodePorts, path, says) => {
    expect(asked(more as JsonObject, nodePorts).invalidParams).toEqual([
      { path, reason: expect.stringContaining(says) as string },
    ]);
  });

  it('is told whose script runs', () => {
    expect(asked({ script_path: SCRIPT_PATH }).warnings[0]).toContain('is run on the load balancer, as the user who logs in');
    const ours = driver.validate(
      lbRequest(lbParams({ script_path: SCRIPT_PATH }), {
        files: FILES.map((file) => ({ ...file, firstLine: '# windlass: builtin' })),
      }),
    );
    expect(ours.warnings[0]).toContain('is not run');
  });
});

describe('a login that a request on the instance gives anew', () => {
  const heal = (ssh_ip: string) =>
    driver.validate(
      lbRequest({ [LB_PARAM]: machine({ ssh_ip, ssh_username: 'root' }) }, { operation: 'HEAL', instantiateParams: lbParams() }),
    ).invalidParams;

  it('is taken for the same machine, and refused for another one', () => {
    expect(heal(LB_ADDRESS)).toEqual([]);
    expect(heal('203.0.113.10')).toEqual([
      { path: `${LB}/external_lb_param/ssh_ip`, reason: expect.stringContaining(`${LB_ADDRESS} was expected`) as string },
    ]);
  });
});
