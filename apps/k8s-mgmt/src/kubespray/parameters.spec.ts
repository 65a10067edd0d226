import { parameterTableSuite, testKey } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import { schemaFaults, type PackageFile } from '@windlass/mgmt-driver';
import { privateKeyFault } from '@windlass/remote-host';
import { expect, it } from 'vitest';
import { KEY } from '../testing/parameter-table.js';
import { flavour } from '../testing/requests.js';
import { checkInstantiation } from './check-request.js';
import { kubesprayParameters } from './parameters.js';
import { documentParams, filledParams, PARAMS, seedParams, validateRequest } from './testing/requests.js';

const FILES: PackageFile[] = [
  { path: 'Scripts/ExternalLB_installation.sh', size: 9, sha256: 'ab'.repeat(32), firstLine: '# windlass: builtin' },
];

/** The cluster's flavour, with a load balancer. */
const withBalancer = () => {
  const { vdus, cps, mostVnfcs, ...others } = flavour();
  return {
    ...others,
    vdus: [...vdus, 'externalLB'],
    cps: [...cps, { id: 'externalLB_CP1', vdu: 'externalLB' }],
    mostVnfcs: { ...mostVnfcs, externalLB: 1 },
  };
};

/** As lcm-api finds it: by the schema, and where that has nothing to say, by the driver. */
function found(params: JsonObject): { path: string; reason: string }[] {
  const faults = schemaFaults(kubesprayParameters, params, privateKeyFault);
  return faults.length > 0
    ? faults
    : checkInstantiation(validateRequest(params, { flavour: withBalancer(), files: FILES })).invalidParams;
}

const partsOf = (params: JsonObject) => params[PARAMS] as Record<string, JsonObject>;

/** With every optional part that the schema knows. */
function full(): JsonObject {
  const params = documentParams();
  const { ansible, master_node: master, worker_node: worker, external_lb_param: balancer } = partsOf(params);
  Object.assign(params[PARAMS] as JsonObject, { verification_image: 'registry.example:5000/mirror/busybox:1.36' });
  Object.assign(ansible!, { inventory_format: 'ini', private_key: KEY.privateKey, passphrase: KEY.passphrase });
  const { privateKey } = testKey();
  Object.assign(master!, { vdu_id: 'masterNode', cluster_fip_name: 'cluster_fip', private_key: privateKey });
  Object.assign(worker!, { vdu_id: 'workerNode', private_key: privateKey });
  Object.assign(balancer!, { ssh_private_key: KEY.privateKey, ssh_passphrase: KEY.passphrase });
  return params;
}

parameterTableSuite('a cluster by kubespray', {
  param: PARAMS,
  schema: kubesprayParameters,
  full,
  plain: filledParams,
  faults: (params) => found(params).map(({ path }) => path),
  // ssh, which Ansible hands a key to, has nobody to ask for its passphrase.
  refused: ['/master_node/passphrase', '/worker_node/passphrase'],
  malformed: [
    ['/script_path', 'two\nlines'],
    ['/vim_name', ''],
    ['/vim_name', 'x'.repeat(256)],
    ['/verification_image', 'busybox;reboot'],
    ['/verification_image', 'docker.io/library/Busybox'],
    ['/ansible/ip_address', 'localhost'],
    ['/ansible/ip_address', '0.0.0.0'],
    ['/ansible/ip_address', '192.0.2.300'],
    ['/ansible/ip_address', '224.0.0.1'],
    ['/ansible/username', 'ansible; reboot'],
    ['/ansible/password', 'two\nlines'],
    ['/ansible/private_key', KEY.publicKey],
    ['/ansible/passphrase', 'of nothing'],
    ['/ansible/kubespray_root_path', ''],
    ['/ansible/kubespray_root_path', 'kubespray'],
    ['/ansible/kubespray_root_path', '/opt/../etc'],
    ['/ansible/kubespray_root_path', '/opt/$(id)'],
    ['/ansible/transferring_inventory_path', ''],
    ['/ansible/transferring_inventory_path', '/opt/a b'],
    ['/ansible/inventory_format', 'toml'],
    ...['master_node', 'worker_node'].flatMap((group) => [
      [`/${group}/aspect_id`, 'no_such_aspect'] as const,
      [`/${group}/vdu_id`, 'no_such_VDU'] as const,
      [`/${group}/ssh_cp_name`, 'no_such_CP'] as const,
      [`/${group}/ssh_cp_name`, 'a/b'] as const,
      [`/${group}/nic_cp_name`, 'no_such_CP'] as const,
      [`/${group}/username`, '$(id)'] as const,
      [`/${group}/password`, ''] as const,
      [`/${group}/private_key`, 'no key'] as const,
      [`/${group}/passphrase`, 'of nothing'] as const,
    ]),
    ['/worker_node/nic_cp_name', 'masterNode_CP1'],
    ['/master_node/pod_cidr', '192.168.0.0'],
    ['/master_node/pod_cidr', '300.168.0.0/16'],
    // Each node has 256 addresses of them.
    ['/master_node/pod_cidr', '10.20.0.0/24'],
    ['/master_node/cluster_cidr', '10.96.0.0/8'],
    ['/master_node/cluster_cidr', '192.168.7.0/24'],
    ['/master_node/cluster_cp_name', 'a b'],
    ['/master_node/cluster_fip_name', 'a b'],
    ['/proxy/http_proxy', 'ftp://host:21'],
    ['/proxy/https_proxy', 'http://u:p$(id)@host:80'],
    ['/proxy/no_proxy', '10.0.0.1;reboot'],
    ['/proxy/k8s_node_cidr', '10.10.0.0/4'],
    ['/proxy/k8s_node_cidr', '192.168.7.0/24'],
    ['/external_lb_param/ssh_cp_name', ''],
    ['/external_lb_param/ssh_cp_name', 'externalLB_instance'],
    ['/external_lb_param/ssh_cp_name', 'workerNode_CP2'],
    ['/external_lb_param/ssh_username', 'a b'],
    ['/external_lb_param/ssh_password', 'two\nlines'],
    ['/external_lb_param/ssh_private_key', KEY.privateKey.slice(0, 150)],
    ['/external_lb_param/ssh_passphrase', 'open sasame'],
    // The driver would use it.
    ['/external_lb_param/script_path', ''],
    ['/external_lb_param/script_path', 'Scripts/absent.sh'],
  ],
  others: [['/ansible', 'is missing', withoutServer()]],
});

function withoutServer(): JsonObject {
  const params = filledParams();
  delete (params[PARAMS] as JsonObject).ansible;
  return params;
}

it('without an Ansible server, which the document has 0..1, a request is told what to give', () => {
  const [fault, ...more] = found(withoutServer());
  expect([fault?.path, more]).toEqual([`/additionalParams/${PARAMS}/ansible`, []]);
  for (const name of ['ip_address', 'username', 'password or private_key', 'kubespray_root_path', 'transferring_inventory_path'])
    expect(fault?.reason).toContain(name);
});

it('the document’s sample is taken once its placeholders are filled, and told where one is left', () => {
  expect(found(documentParams())).toEqual([]);
  expect(found(seedParams()).map(({ path }) => path)).toEqual(
    ['kubespray_root_path', 'transferring_inventory_path'].map((name) => `/additionalParams/${PARAMS}/ansible/${name}`),
  );
});

it.each([
  ['external_lb_param', 'ssh_cp_name', 'externalLB_instance', 'externalLB_CP1'],
  ['master_node', 'ssh_cp_name', 'masterNode_CP2', 'masterNode_CP1'],
  ['worker_node', 'nic_cp_name', 'workerNode_cp', 'workerNode_CP2'],
])('%s.%s %s, which is no CP, is told the nearest that there is', (part, field, given, nearest) => {
  const params = documentParams();
  partsOf(params)[part]![field] = given;
  expect(found(params)).toEqual([
    {
      path: `/additionalParams/${PARAMS}/${part}/${field}`,
      reason: expect.stringContaining(`did you mean ${nearest}?`) as string,
    },
  ]);
});
