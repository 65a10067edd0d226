import { parameterTableSuite, testKey } from '@windlass/driver-kit/testing';
import { masked, type JsonObject } from '@windlass/foundation';
import { schemaFaults, secretParameters } from '@windlass/mgmt-driver';
import { privateKeyFault } from '@windlass/remote-host';
import { registryParts } from '../service.js';
import { PARAM } from './parameters.js';
import { IMAGE_PATH, LOGIN, params, paramsOf, requestOf, USERS_PASSWORD } from './testing/bench.js';
import { EXPIRED, tlsPair } from './testing/tls.js';

const { driver } = registryParts;
const { parameters } = driver.describe();
const secrets = secretParameters(driver.describe());
const KEY = { passphrase: 'open sesame', ...testKey('open sesame') };

const { tls_certificate, tls_key } = tlsPair();
const TLS = { tls_certificate, tls_key };
const encrypted = tls_key.replaceAll('PRIVATE KEY', 'ENCRYPTED PRIVATE KEY');
const garbled = tls_certificate.replace(/\n.{8}/, '\nAAAAAAAA');

const full = (): JsonObject =>
  paramsOf({
    ssh_private_key: KEY.privateKey,
    ssh_passphrase: KEY.passphrase,
    image_path: IMAGE_PATH,
    registry_image: 'registry:2.8.3',
    registry_cp_name: 'CP1',
    ...LOGIN,
    ...TLS,
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
    const found = wrong.length > 0 ? wrong : driver.validate(requestOf({ requestParams: masked(given, secrets) })).invalidParams;
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
    ['/registry_image', 'registry:2.8.3; reboot'],
    ['/registry_image', '--privileged'],
    ['/registry_image', `registry@sha256:${'0'.repeat(63)}`],
    ['/registry_cp_name', 'CP9'],
    ['/registry_username', 'a:b'],
    ['/registry_username', '#a'],
    ['/registry_username', ''],
    ['/registry_password', ''],
    ['/registry_password', 'two\nlines'],
    ['/registry_password', 'x'.repeat(73)],
    ['/registry_password', 'pässword'],
    ['/tls_certificate', 'a certificate'],
    ['/tls_certificate', garbled],
    ['/tls_certificate', `${tls_certificate}${tls_key}`],
    ['/tls_certificate', EXPIRED],
    ['/tls_key', tls_certificate],
    ['/tls_key', encrypted],
    ['/tls_key', KEY.publicKey],
    ['/port_no', 0],
    ['/port_no', '65536'],
    ['/port_no', 'http'],
    ['/port_no', 80.5],
    ['/proxy/http_proxy', 'socks5://proxy:1'],
    ['/proxy/https_proxy', 'http://proxy"'],
    ['/proxy/no_proxy', 'a\nHTTP_PROXY=b'],
  ],
  others: [
    ['/registry_password', 'is missing beside the user', paramsOf({ registry_username: 'puller' })],
    ['/registry_username', 'is missing beside the password', paramsOf({ registry_password: USERS_PASSWORD })],
    ['/tls_key', 'is missing beside the certificate', paramsOf({ tls_certificate })],
    ['/tls_certificate', 'is missing beside the key', paramsOf({ tls_key })],
  ],
});
