import { type Json, type JsonObject } from '@windlass/foundation';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../settings.js';
import { guideParams, PARAMS, validateRequest } from '../testing/requests.js';
import { checkInstantiation } from './check-instantiation.js';
import { parameterSchema } from './parameter-schema.js';

const ROOT = `/additionalParams/${PARAMS}`;

const validate = new Ajv2020({ strict: false, allErrors: true, verbose: false }).compile(parameterSchema);

/** As lcm-api does (apps/lcm-api/src/drivers/driver-registry.ts, schemaFaults). */
function schemaFaults(params: JsonObject): string[] {
  if (validate(params)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, params: details }) => {
    const missing = keyword === 'required' ? `/${(details as { missingProperty: string }).missingProperty}` : '';
    return `/additionalParams${instancePath}${missing}`;
  });
}

/** Paths of all faults: the schema's, and where it has none, the driver's own. */
function faults(params: JsonObject): string[] {
  const found = schemaFaults(params);
  return found.length > 0
    ? found
    : checkInstantiation(validateRequest(params), defaultSettings).invalidParams.map(({ path }) => path);
}

/** The guide's request with every optional part that the schema knows. */
function fullParams(): JsonObject {
  const params = guideParams();
  Object.assign(params[PARAMS] as JsonObject, {
    helm_installation_script_path: 'Scripts/install_helm.sh',
    storage_server: {
      ssh_cp_name: 'storage_CP1',
      nic_cp_name: 'storage_CP1',
      username: 'ubuntu',
      password: 'ubuntu',
      cinder_volume_setup_params: [{ volume_resource_id: 'storage_volume', mount_to: '/volume' }],
      nfs_server_setup_params: [{ export_dir: '/volume/nfs', export_to: '10.10.0.0/24' }],
    },
    pv_registration_params: [{ pv_manifest_file_path: 'Files/pv.yaml', nfs_server_cp: 'storage_CP1' }],
    private_registry_connection_info: [
      {
        connection_type: '1',
        server: 'registry.example:5000',
        username: 'u',
        password: 'p',
        certificate_path: 'Files/ca.crt',
        hosts_string: '10.0.0.9 registry',
      },
    ],
  });
  ((params[PARAMS] as JsonObject).master_node as JsonObject).cluster_fip_name = 'cluster_fip';
  return params;
}

function replaced(path: string, value: Json | undefined): JsonObject {
  const params = fullParams();
  const tokens = path.split('/').slice(1);
  let here = params[PARAMS] as JsonObject;
  for (const token of tokens.slice(0, -1)) here = here[token] as JsonObject;
  const last = tokens.at(-1)!;
  if (value === undefined) Reflect.deleteProperty(here, last);
  else here[last] = value;
  return params;
}

/** Every field of the parameters, by its path. */
function paths(value: Json, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const below = `${at}/${key}`;
    return [...(Array.isArray(value) ? [] : [below]), ...paths(member as Json, below)];
  });
}

/** Every field that the schema names. */
function schemaPaths(schema: JsonObject, at = ''): string[] {
  const items = schema.items === undefined ? [] : schemaPaths(schema.items as JsonObject, `${at}/0`);
  const members = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  return [...items, ...members.flatMap(([name, member]) => [`${at}/${name}`, ...schemaPaths(member, `${at}/${name}`)])];
}

const FIELDS = paths(fullParams()[PARAMS]!);

const REQUIRED = [
  ...['/script_path', '/master_node', '/worker_node'],
  ...['ssh_cp_name', 'nic_cp_name', 'username', 'password'].flatMap((name) => [`/master_node/${name}`, `/worker_node/${name}`]),
  '/master_node/cluster_cp_name',
  ...['ssh_cp_name', 'username', 'password', 'cinder_volume_setup_params', 'nfs_server_setup_params'].map(
    (name) => `/storage_server/${name}`,
  ),
  ...['volume_resource_id', 'mount_to'].map((name) => `/storage_server/cinder_volume_setup_params/0/${name}`),
  ...['export_dir', 'export_to'].map((name) => `/storage_server/nfs_server_setup_params/0/${name}`),
  ...['pv_manifest_file_path', 'nfs_server_cp'].map((name) => `/pv_registration_params/0/${name}`),
  ...['connection_type', 'server'].map((name) => `/private_registry_connection_info/0/${name}`),
];

/** Of the right type, and wrong all the same. */
const MALFORMED: [path: string, value: Json][] = [
  ['/script_path', 'Scripts/absent.sh'],
  ['/script_path', ''],
  ['/vim_name', ''],
  ['/vim_name', 'x'.repeat(256)],
  ['/master_node/aspect_id', 'no_such_aspect'],
  ['/worker_node/aspect_id', 'no_such_aspect'],
  ['/master_node/ssh_cp_name', 'no_such_CP'],
  ['/master_node/nic_cp_name', 'no_such_CP'],
  ['/worker_node/ssh_cp_name', 'no_such_CP'],
  ['/worker_node/nic_cp_name', 'outside_CP'],
  ['/worker_node/nic_cp_name', 'masterNode_CP1'],
  ['/master_node/cluster_cp_name', 'workerNode_CP2'],
  ['/master_node/cluster_cp_name', 'vip_CP'],
  ['/master_node/username', 'root; reboot'],
  ['/worker_node/username', '$(id)'],
  ['/master_node/password', 'two\nlines'],
  ['/worker_node/password', ''],
  ['/master_node/pod_cidr', '192.168.0.0'],
  ['/master_node/pod_cidr', '192.168.0.0/33'],
  ['/master_node/pod_cidr', '300.168.0.0/16'],
  ['/master_node/pod_cidr', '192.168.0.0/24'],
  ['/master_node/pod_cidr', '127.0.0.0/16'],
  ['/master_node/cluster_cidr', '10.96.0.0/8'],
  ['/master_node/cluster_cidr', '192.168.187.0/24'],
  ['/master_node/cluster_fip_name', 'a b'],
  ['/proxy/http_proxy', 'ftp://host:21'],
  ['/proxy/http_proxy', 'http://host1:80"; reboot'],
  ['/proxy/https_proxy', 'http://u:p$(id)@host:80'],
  ['/proxy/https_proxy', 'http://host:80\nX: y'],
  ['/proxy/no_proxy', '10.0.0.1;reboot'],
  ['/proxy/k8s_node_cidr', '10.10.0.0/4'],
  ['/proxy/k8s_node_cidr', '192.168.7.0/24'],
];

describe('the parameters of a cluster', () => {
  it('are taken as the guide has them, and what was normalised is told', () => {
    expect(schemaFaults(guideParams())).toEqual([]);
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

  it('are checked in every field that this test knows of: none is left out', () => {
    const properties = (parameterSchema.properties as JsonObject)[PARAMS] as JsonObject;
    expect([...FIELDS].sort()).toEqual(schemaPaths(properties).sort());
    expect(schemaFaults(fullParams())).toEqual([]);
  });

  it.each(REQUIRED)('are refused at %s when it is missing', (path) => {
    expect(faults(replaced(path, undefined))).toEqual([`${ROOT}${path}`]);
  });

  it.each(FIELDS)('are refused at %s, once, when it is of a wrong type', (path) => {
    for (const wrong of [true, path.endsWith('_params') || path.endsWith('_info') ? 'text' : []]) {
      expect(faults(replaced(path, wrong as Json))).toEqual([`${ROOT}${path}`]);
    }
  });

  it.each(MALFORMED)('are refused at %s when it is %j', (path, value) => {
    const params = guideParams();
    const [, group, field] = path.split('/');
    const cluster = params[PARAMS] as JsonObject;
    if (field === undefined) cluster[group!] = value;
    else (cluster[group!] as JsonObject)[field] = value;
    expect(faults(params)).toEqual([`${ROOT}${path}`]);
  });

  it('are refused as a whole when they are missing', () => {
    expect(faults({})).toEqual([ROOT]);
    expect(faults({ [PARAMS]: [] })).toEqual([ROOT]);
  });

  it.each(['helm_installation_script_path', 'storage_server', 'pv_registration_params', 'private_registry_connection_info'])(
    'are refused at %s, which this release does not do',
    (field) => {
      const params = guideParams();
      (params[PARAMS] as JsonObject)[field] = (fullParams()[PARAMS] as JsonObject)[field]!;
      const { invalidParams } = checkInstantiation(validateRequest(params), defaultSettings);
      expect(invalidParams).toEqual([
        { path: `${ROOT}/${field}`, reason: expect.stringContaining('this release does not do') as string },
      ]);
    },
  );

  it('may hold names that nobody knows, which are told', () => {
    const params = guideParams();
    ((params[PARAMS] as JsonObject).worker_node as JsonObject).nodes = 3;
    const reply = checkInstantiation(validateRequest(params), defaultSettings);
    expect(reply.invalidParams).toEqual([]);
    expect(reply.warnings.join()).toContain(`${ROOT}/worker_node/nodes is no parameter`);
  });
});
