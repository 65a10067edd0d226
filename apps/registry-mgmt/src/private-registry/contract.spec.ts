import { OFFERED } from '@windlass/driver-kit';
import { driverContractSuite, testKey } from '@windlass/driver-kit/testing';
import { registryParts } from '../service.js';
import { healOf, hookOf, IMAGE_PATH, paramsOf, PASSWORD, requestOf } from './testing/bench.js';

const KEY = testKey('of-the-key');
const proxy = { http_proxy: 'http://me:proxy-word@proxy.example:3128', https_proxy: '', no_proxy: '10.0.0.0/8' };
const params = paramsOf({
  image_path: IMAGE_PATH,
  port_no: '5001',
  ssh_private_key: KEY.privateKey,
  ssh_passphrase: 'of-the-key',
  proxy,
});

driverContractSuite('the driver of the private registry', {
  parts: registryParts,
  params,
  uses: OFFERED,
  secrets: [PASSWORD, 'proxy-word', 'of-the-key', ...KEY.secretLines],
  request: requestOf(),
  hooks: [hookOf(), hookOf({ hook: 'heal_end', heal: healOf() })],
});
