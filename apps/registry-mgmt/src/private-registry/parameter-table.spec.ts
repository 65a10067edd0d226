import { parameterTableSuite, testKey } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import { schemaFaults } from '@windlass/mgmt-driver';
import { privateKeyFault } from '@windlass/remote-host';
import { registryParts } from '../service.js';
import { PARAM } from './parameters.js';
import { IMAGE_PATH, params, paramsOf, requestOf } from './testing/bench.js';

const { driver } = registryParts;
const { parameters } = driver.describe();
const KEY = { passphrase: 'open sesame', ...testKey('open sesame') };

const full = (): JsonObject =>
  paramsOf({
    ssh_private_key: KEY.privateKey,
    ssh_passphrase: KEY.passphrase,
    image_path: IMAGE_PATH,
    port_no: 5001,
    proxy: { http_proxy: 'http://proxy.example:3128', https_proxy: 'http://proxy.example:3128', no_proxy: '10.0.0.0/8' },
  });

parameterTableSuite('a registry', {
  param: PARAM,
  schema: parameters,
  full,
  plain: () => structuredClone(params),
  faults: (given) => {
    const wrong = schemaFaults(parameters, given, privateKeyFault);
    const found = wrong.length > 0 ? wrong : driver.validate(requestOf({ requestParams: given })).invalidParams;
    return found.map(({ path }) => path);
  },
  malformed: [
    ['/ssh_cp_name', ''],
    ['/ssh_cp_name', 'cp2'],
    ['/ssh_username', 'ubuntu; reboot'],
    ['/ssh_password', ''],
    ['/ssh_password', 'two\nlines'],
    ['/ssh_private_key', 'a key'],
    ['/ssh_private_key', KEY.publicKey],
    ['/ssh_passphrase', 'open sasame'],
    ['/ssh_passphrase', 'of nothing'],
    ['/image_path', ''],
    ['/image_path', 'Files/images/other.tar'],
    ['/port_no', 0],
    ['/port_no', '65536'],
    ['/port_no', 'http'],
    ['/port_no', 80.5],
    ['/proxy/http_proxy', 'socks5://proxy:1'],
    ['/proxy/https_proxy', 'http://proxy"'],
    ['/proxy/no_proxy', 'a\nHTTP_PROXY=b'],
  ],
});
