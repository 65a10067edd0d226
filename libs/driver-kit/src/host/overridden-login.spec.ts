import { masked, type JsonObject } from '@windlass/foundation';
import { schemaFaults, secretParameters } from '@windlass/mgmt-driver';
import { privateKeyFault } from '@windlass/remote-host';
import { describe, expect, it } from 'vitest';
import * as schema from '../driver/schema.js';
import { testKey } from '../testing/test-key.js';
import { loginOf, machineReference, overridingLogin, paramsSource, requestParamsSource, type Login } from './machine-input.js';

interface Params {
  cluster: { node: Login };
}
const shown: Login = { username: 'ubuntu', password: '***', private_key: '***', passphrase: '***' };
const referenced = (override?: ReturnType<typeof overridingLogin>) => {
  const { username, password, private_key, passphrase } = machineReference({
    name: 'a',
    vnfcId: 'a',
    sshCp: 'CP1',
    params: paramsSource<Params>(),
    login: ({ cluster }) => cluster.node,
    shown,
    ...(override === undefined ? {} : { override }),
  });
  return { username, password, private_key, passphrase };
};
const instantiated = (part: keyof Login) => ({ $from: 'instantiate-params', at: `/cluster/node/${part}` });
const requested = (at: string) => ({ $from: 'request-params', at });

describe('a login that a request overrides', () => {
  it('is the instantiation’s as far as the request says nothing', () => {
    const all = {
      username: instantiated('username'),
      password: instantiated('password'),
      private_key: instantiated('private_key'),
      passphrase: instantiated('passphrase'),
    };
    expect(referenced()).toEqual(all);
    expect(referenced(overridingLogin('node', { other_password: '***' }))).toEqual(all);
    const user = overridingLogin('node', { node_username: 'admin' });
    expect(referenced(user)).toEqual({ ...all, username: requested('/node_username') });
  });

  it('has no secret of the instantiation beside one that the request gives', () => {
    expect(referenced(overridingLogin('node', { node_password: '***' }))).toEqual({
      username: instantiated('username'),
      password: requested('/node_password'),
    });
    expect(referenced(overridingLogin('node', { node_private_key: '***', node_passphrase: '***' }))).toEqual({
      username: instantiated('username'),
      private_key: requested('/node_private_key'),
      passphrase: requested('/node_passphrase'),
    });
  });

  it('may stand as an object in a request that repeats the instantiation’s parameters', () => {
    const repeated = loginOf(requestParamsSource<Params>(), ({ cluster }) => cluster.node, { username: 'me', password: '***' });
    expect(referenced(repeated)).toEqual({
      username: requested('/cluster/node/username'),
      password: requested('/cluster/node/password'),
    });
  });
});

describe('the schema of overriding logins', () => {
  const scaling = schema.overridingLogins('Of a scaling', { node: 'Of nodes' }, { steps: { type: 'integer' } });
  const faults = (params: JsonObject) => schemaFaults(scaling, params, privateKeyFault);
  const key = testKey();

  it('asks for none of them, and tries a key that is given', () => {
    expect(faults({})).toEqual([]);
    expect(faults({ node_username: 'admin', node_password: 'p', steps: 1 })).toEqual([]);
    expect(faults({ node_private_key: key.privateKey })).toEqual([]);
    const half = { node_private_key: key.privateKey.slice(0, 150) };
    expect(faults(half).map(({ path }) => path)).toEqual(['/additionalParams/node_private_key']);
    expect(faults({ node_passphrase: 'p' })[0]?.reason).toContain('give node_password or node_private_key');
    expect(faults({ node_password: 'p', node_passphrase: 'p' }).map(({ path }) => path)).toEqual([
      '/additionalParams/node_passphrase',
    ]);
  });

  it('has every secret masked, in the parameters of any operation', () => {
    const params = { node_username: 'admin', node_password: 'p', node_private_key: 'k', node_passphrase: 's' };
    expect(masked(params, secretParameters({ parameters: {}, operationParameters: { SCALE: scaling } }))).toEqual({
      node_username: 'admin',
      node_password: '***',
      node_private_key: '***',
      node_passphrase: '***',
    });
  });
});
