import { testKey } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import { schemaFaults } from '@windlass/mgmt-driver';
import { privateKeyFault } from '@windlass/remote-host';
import { describe, expect, it } from 'vitest';
import { registryParts } from '../service.js';
import { PARAM, registrySchema } from './parameters.js';
import { archive, params, paramsOf, requestOf } from './testing/bench.js';

const { driver } = registryParts;
const { parameters } = driver.describe();

/** What is wrong, as lcm-api finds it: by the schema first, by the driver where that finds nothing. */
function faults(given: JsonObject): string[] {
  const wrong = schemaFaults(parameters, given, privateKeyFault);
  const found = wrong.length > 0 ? wrong : driver.validate(requestOf({ requestParams: given })).invalidParams;
  return found.map(({ path, reason }) => `${path.replace(`/additionalParams/${PARAM}`, '')}: ${reason}`);
}
const without = (name: string): JsonObject => {
  const { [name]: _left, ...rest } = params[PARAM] as JsonObject;
  return { [PARAM]: rest };
};

describe('the parameters of a registry', () => {
  it.each([
    ['the sample’s', {}],
    ['an image in the package, with ./ before it', { image_path: './Files/images/private_registry.tar' }],
    ['the first port', { port_no: 1 }],
    ['the last port, as a text', { port_no: '65535' }],
    ['a password that is a number', { ssh_password: 12345 }],
    ['a key beside the password', { ssh_private_key: testKey().privateKey }],
    ['only one proxy', { proxy: { https_proxy: 'http://proxy.example:3128' } }],
    ['proxies of nothing', { proxy: {} }],
  ])('may be %s', (_, more) => expect(faults(paramsOf(more))).toEqual([]));

  it('may be a key in place of the password', () =>
    expect(
      faults({ [PARAM]: { ...(without('ssh_password')[PARAM] as JsonObject), ssh_private_key: testKey().privateKey } }),
    ).toEqual([]));

  it.each(['ssh_cp_name', 'ssh_username'])('must have %s', (name) =>
    expect(faults(without(name))).toEqual([`/${name}: is missing`]),
  );

  it('must have a password or a key', () =>
    expect(faults(without('ssh_password'))).toEqual([expect.stringMatching(/^\/ssh_password: is missing/)]));

  it('are marked as secrets where they are, beside what their names tell', () => {
    const { registry_password, tls_key } = registrySchema.properties as JsonObject;
    expect([registry_password, tls_key]).toMatchObject([{ writeOnly: true }, { writeOnly: true }]);
  });

  it('must be there', () => expect(faults({})).toEqual([': is missing']));

  it.each<[string, JsonObject, RegExp]>([
    ['a CP that is none, with the nearest', { ssh_cp_name: 'cp2' }, /^\/ssh_cp_name: .*no CP cp2 \(did you mean CP1\?\)/],
    ['a user that a shell would read otherwise', { ssh_username: 'ubuntu; reboot' }, /^\/ssh_username: /],
    ['an image that the package lacks', { image_path: 'Files/images/other.tar' }, /^\/image_path: the package has no file Files/],
    ['a path that was left empty', { image_path: '' }, /^\/image_path: /],
    ['port 0', { port_no: 0 }, /^\/port_no: 0 is no TCP port/],
    ['port 65536, as a text', { port_no: '65536' }, /^\/port_no: 65536 is no TCP port/],
    ['a port that is no number', { port_no: 'http' }, /^\/port_no: /],
    ['half a port', { port_no: 80.5 }, /^\/port_no: /],
    ['a proxy of another scheme', { proxy: { http_proxy: 'socks5://proxy:1' } }, /^\/proxy\/http_proxy: /],
    ['a proxy with a quote', { proxy: { https_proxy: 'http://proxy"' } }, /^\/proxy\/https_proxy: /],
    ['a no_proxy with a line of its own', { proxy: { no_proxy: 'a\nHTTP_PROXY=b' } }, /^\/proxy\/no_proxy: /],
    ['a key that is none', { ssh_private_key: 'a key' }, /^\/ssh_private_key: /],
  ])('may not be %s', (_, more, fault) => expect(faults(paramsOf(more))).toEqual([expect.stringMatching(fault)]));

  it('may not name an image without a byte', () => {
    const { invalidParams } = driver.validate(requestOf({ files: [{ ...archive, size: 0 }] }));
    expect(invalidParams).toMatchObject([{ reason: expect.stringContaining('is empty in the package') as string }]);
  });

  it('that nobody knows are passed over, and told', () => {
    const { warnings } = driver.validate(requestOf({ requestParams: paramsOf({ imagepath: 'x' }) }));
    expect(warnings).toContain(`/additionalParams/${PARAM}/imagepath is no parameter of this driver and was passed over`);
  });
});
