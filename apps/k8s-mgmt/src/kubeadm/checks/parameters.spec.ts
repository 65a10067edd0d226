import { schemaPaths, testKey } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import { schemaFaults } from '@windlass/mgmt-driver';
import { privateKeyFault } from '@windlass/remote-host';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../settings/settings.js';
import { FIELDS, fullParams, KEY, MALFORMED, replaced, REQUIRED, wrongFields } from '../../testing/parameter-table.js';
import { guideParams, PARAMS, validateRequest } from '../../testing/requests.js';
import { parameterSchema } from '../parameters/parameters.js';
import { checkInstantiation } from './check-instantiation.js';

const ROOT = `/additionalParams/${PARAMS}`;

const schemaPathsOf = (params: JsonObject): string[] =>
  schemaFaults(parameterSchema, params, privateKeyFault).map(({ path }) => path);

/** Paths of all faults: the schema's, and where it has none, the driver's own. */
function faults(params: JsonObject): string[] {
  const found = schemaPathsOf(params);
  return found.length > 0
    ? found
    : checkInstantiation(validateRequest(params), defaultSettings).invalidParams.map(({ path }) => path);
}

describe('the parameters of a cluster', () => {
  it('are taken as the guide has them, and what was normalised is told', () => {
    expect(schemaPathsOf(guideParams())).toEqual([]);
    const reply = checkInstantiation(validateRequest(guideParams()), defaultSettings);
    expect(reply.invalidParams).toEqual([]);
    expect(reply.normalised).toEqual({ [PARAMS]: { master_node: { pod_cidr: '192.168.0.0/16' } } });
    expect(reply.warnings).toContain('pod_cidr 192.168.3.0/16 was taken as 192.168.0.0/16');
  });

  it('are taken with the values the schema tolerates: numbers for passwords and switches, ./ before a path, empty proxies', () => {
    const params = guideParams();
    const cluster = params[PARAMS] as JsonObject;
    cluster.script_path = './Scripts/install_k8s_cluster.sh';
    (cluster.master_node as JsonObject).password = 12345;
    (cluster.proxy as JsonObject).https_proxy = '';
    expect(faults(params)).toEqual([]);
  });

  it.each(['by password alone', 'by key alone', 'by a key without a passphrase', 'by either'])(
    'are taken with a login %s',
    (how) => {
      const params = fullParams();
      const cluster = params[PARAMS] as Record<string, JsonObject>;
      const { privateKey } = testKey();
      for (const machines of [cluster.master_node!, cluster.worker_node!]) {
        if (how !== 'by either' && how !== 'by password alone') delete machines.password;
        if (how === 'by password alone') delete machines.private_key;
        if (how === 'by a key without a passphrase') machines.private_key = privateKey;
        if (how !== 'by key alone' && how !== 'by either') delete machines.passphrase;
      }
      expect(schemaPathsOf(params)).toEqual([]);
    },
  );

  it('say what to give where there is neither password nor key, and what is wrong with a key, without a word of it', () => {
    const of = (name: string, value?: string) => {
      const params = replaced(guideParams(), `/master_node/${name}`, value);
      return schemaFaults(parameterSchema, params, privateKeyFault)
        .map(({ reason }) => reason)
        .join();
    };
    expect(of('password')).toBe('is missing: give password or private_key (with passphrase, where the key has one)');
    const { privateKey, secretLines } = KEY;
    const told = [
      of('private_key', privateKey),
      of('private_key', privateKey.slice(0, 150)),
      of('private_key', `x${privateKey}`),
    ];
    expect(told).toEqual([
      'is missing: the private key is encrypted',
      expect.stringContaining('Is it whole, with its line breaks?'),
      expect.stringContaining('is no private key'),
    ]);
    for (const line of secretLines) expect(told.join()).not.toContain(line);
  });

  it('are checked in every field: the table has an example of each, what is required, and a malformed value of each', () => {
    const { fields, required, leaves } = schemaPaths((parameterSchema.properties as JsonObject)[PARAMS] as JsonObject);
    expect([...FIELDS].sort()).toEqual(fields.sort());
    expect([...REQUIRED].sort()).toEqual(required.sort());
    const malformed = new Set(MALFORMED.map(([path]) => path));
    expect(leaves.filter((path) => !malformed.has(path))).toEqual([]);
    expect(schemaPathsOf(fullParams())).toEqual([]);
  });

  it.each(wrongFields())('are refused at $path, once, when it $how', ({ path, params }) => {
    expect(faults(params)).toEqual([`${ROOT}${path}`]);
  });

  it.each(['helm_installation_script_path'])('are refused at %s, which this release does not do', (field) => {
    const params = guideParams();
    (params[PARAMS] as JsonObject)[field] = (fullParams()[PARAMS] as JsonObject)[field]!;
    const { invalidParams } = checkInstantiation(validateRequest(params), defaultSettings);
    expect(invalidParams).toEqual([
      { path: `${ROOT}/${field}`, reason: expect.stringContaining('this release does not do') as string },
    ]);
  });

  it('may hold names that nobody knows, which are told', () => {
    const params = guideParams();
    ((params[PARAMS] as JsonObject).worker_node as JsonObject).nodes = 3;
    const reply = checkInstantiation(validateRequest(params), defaultSettings);
    expect(reply.invalidParams).toEqual([]);
    expect(reply.warnings.join()).toContain(`${ROOT}/worker_node/nodes is no parameter`);
  });
});
