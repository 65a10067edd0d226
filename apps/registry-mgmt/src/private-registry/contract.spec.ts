import { OFFERED } from '@windlass/driver-kit';
import { driverContractSuite, testKey } from '@windlass/driver-kit/testing';
import { registryParts } from '../service.js';
import { healOf, hookOf, IMAGE_PATH, LOGIN, paramsOf, PASSWORD, requestOf, USERS_PASSWORD } from './testing/bench.js';
import { tlsPair } from './testing/tls.js';
import { PARAM } from './parameters.js';

const KEY = testKey('of-the-key');
const { tls_certificate, tls_key } = tlsPair();
const access = { ...LOGIN, tls_certificate, tls_key };
const secretsOfAccess = [USERS_PASSWORD, ...tls_key.split('\n').filter((line) => /^[A-Za-z0-9+/=]+$/.test(line))];
const proxy = { http_proxy: 'http://me:proxy-word@proxy.example:3128', https_proxy: '', no_proxy: '10.0.0.0/8' };
const params = paramsOf({
  image_path: IMAGE_PATH,
  port_no: '5001',
  ssh_private_key: KEY.privateKey,
  ssh_passphrase: 'of-the-key',
  proxy,
  ...access,
});

driverContractSuite('the driver of the private registry', {
  parts: registryParts,
  params,
  uses: OFFERED,
  secrets: [PASSWORD, 'proxy-word', 'of-the-key', ...KEY.secretLines, ...secretsOfAccess],
  request: requestOf(),
  hooks: [
    hookOf(),
    hookOf({ hook: 'heal_end', heal: healOf() }),
    hookOf({ hook: 'heal_end', heal: healOf(), requestParams: { [PARAM]: access } }),
  ],
  operations: { HEAL: { params: { [PARAM]: access }, secrets: secretsOfAccess } },
});
