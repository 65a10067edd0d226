import { isJsonObject, type InvalidParam, type JsonObject } from '@windlass/foundation';
import type { ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import type { K8sMgmtSettings } from '../settings.js';
import { cidrsOverlap, formatCidr, parseCidr, type Cidr } from './cidr.js';
import { NODE_PREFIX } from './nodes.js';
import {
  clusterParams,
  DEFAULT_POD_CIDR,
  DEFAULT_SERVICE_CIDR,
  packagePath,
  PARAM,
  type ClusterParams,
  type NodeParams,
} from './parameters.js';
import { knownNames } from './parameter-schema.js';
import { chooseScript } from './script-choice.js';

const ROOT = `/additionalParams/${PARAM}`;

/** What a release to come will do; the schema knows the fields already. */
const NOT_YET: Readonly<Record<string, string>> = {
  helm_installation_script_path: 'installing Helm',
  storage_server: 'a storage server',
  pv_registration_params: 'registering PersistentVolumes',
  private_registry_connection_info: 'connecting to private registries',
};

/** Prefix lengths that kubeadm and the controller manager can work with. */
const PREFIXES = {
  // A node takes a /24, and at most 16 bits may number the nodes.
  pod_cidr: { from: 8, to: NODE_PREFIX - 1 },
  // kubeadm: at most 20 bits of addresses, at least ten of them.
  cluster_cidr: { from: 12, to: 28 },
  k8s_node_cidr: { from: 8, to: 32 },
} as const;

/** The meaning of an instantiation's parameters, which the schema found well-formed. Pure. */
export function checkInstantiation(request: ValidateRequest, settings: K8sMgmtSettings): ValidateReply {
  const check = new InstantiationCheck(request, clusterParams(request.requestParams));
  check.names();
  check.script(settings);
  check.connectionPoints();
  check.ranges();
  return check.reply();
}

class InstantiationCheck {
  readonly #invalid: InvalidParam[] = [];
  readonly #warnings: string[] = [];
  readonly #normalised: JsonObject = {};

  constructor(
    private readonly request: ValidateRequest,
    private readonly params: ClusterParams,
  ) {}

  reply(): ValidateReply {
    const normalised = Object.keys(this.#normalised).length === 0 ? {} : { [PARAM]: this.#normalised };
    return { invalidParams: this.#invalid, warnings: this.#warnings, normalised };
  }

  names(): void {
    for (const [field, what] of Object.entries(NOT_YET)) {
      if ((this.params as unknown as JsonObject)[field] === undefined) continue;
      this.#wrong(`/${field}`, `this release does not do ${what} yet: leave ${field} out`);
    }
    for (const [below, known] of Object.entries(knownNames)) {
      const object = below === '' ? this.params : (this.params as unknown as JsonObject)[below.slice(1)];
      if (!isJsonObject(object)) continue;
      const unknown = Object.keys(object).filter((name) => !known.includes(name));
      for (const name of unknown)
        this.#warnings.push(`${ROOT}${below}/${name} is no parameter of this driver and was passed over`);
    }
  }

  script(settings: K8sMgmtSettings): void {
    const { script_path: path, worker_node: worker, master_node: master } = this.params;
    const choice = chooseScript(path, this.request.files, settings.outdatedScripts);
    if (choice === undefined) this.#wrong('/script_path', `the package has no file ${packagePath(path)}`);
    else if (choice.kind === 'builtin')
      this.#warnings.push(
        `${packagePath(path)} is not run: ${choice.why}; Windlass's own actions install Kubernetes ${settings.kubernetesVersion}`,
      );
    else this.#warnings.push(`${packagePath(path)} of the package is run on every node, as the user who logs in`);
    for (const [below, { username }] of Object.entries({ '/master_node': master, '/worker_node': worker })) {
      // The schema has the same pattern; a client that got around it must not reach a shell.
      if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/.test(username)) this.#wrong(`${below}/username`, 'is no name of a user');
    }
  }

  connectionPoints(): void {
    const master = this.#node('/master_node', this.params.master_node);
    const worker = this.#node('/worker_node', this.params.worker_node);
    if (master !== undefined && master === worker)
      this.#wrong(
        '/worker_node/ssh_cp_name',
        `belongs to VDU ${worker}, as the master's does: a VDU is either masters or workers`,
      );
    const { cluster_cp_name: cluster } = this.params.master_node;
    const cp = this.request.flavour.cps.find(({ id }) => id === cluster);
    if (master === undefined || cp?.vdu === master) return;
    const why =
      cp === undefined
        ? `flavour ${this.request.flavour.id} has no CP ${cluster}; a virtual address for several masters is not done by this release, so it must be one of VDU ${master}'s`
        : `CP ${cluster} belongs to ${cp.vdu === null ? 'no VDU' : `VDU ${cp.vdu}`}, not to the master's VDU ${master}`;
    this.#wrong('/master_node/cluster_cp_name', why);
  }

  /** The VDU of a group of nodes, if its CPs agree on one. */
  #node(below: string, { aspect_id: aspect, ssh_cp_name: ssh, nic_cp_name: nic }: NodeParams): string | undefined {
    const { flavour } = this.request;
    if (aspect !== undefined && !flavour.aspects.includes(aspect))
      this.#wrong(
        `${below}/aspect_id`,
        `flavour ${flavour.id} has no scaling aspect ${aspect}; it has ${listed(flavour.aspects)}`,
      );
    const vdu = this.#vduOf(`${below}/ssh_cp_name`, ssh);
    const other = nic === ssh ? vdu : this.#vduOf(`${below}/nic_cp_name`, nic);
    if (vdu === undefined || other === undefined) return undefined;
    if (vdu !== other)
      this.#wrong(
        `${below}/nic_cp_name`,
        `belongs to VDU ${other}, ssh_cp_name ${ssh} to VDU ${vdu}: both must be the same node's`,
      );
    return vdu;
  }

  #vduOf(path: string, name: string): string | undefined {
    const { flavour } = this.request;
    const cp = flavour.cps.find(({ id }) => id === name);
    if (cp === undefined)
      this.#wrong(path, `flavour ${flavour.id} has no CP ${name}; it has ${listed(flavour.cps.map(({ id }) => id))}`);
    else if (cp.vdu === null) this.#wrong(path, `CP ${name} belongs to no VDU`);
    return cp?.vdu ?? undefined;
  }

  ranges(): void {
    const { master_node: master, proxy } = this.params;
    const pods = this.#range('/master_node', 'pod_cidr', master.pod_cidr ?? DEFAULT_POD_CIDR);
    const services = this.#range('/master_node', 'cluster_cidr', master.cluster_cidr ?? DEFAULT_SERVICE_CIDR);
    const nodes = proxy?.k8s_node_cidr === undefined ? undefined : this.#range('/proxy', 'k8s_node_cidr', proxy.k8s_node_cidr);
    this.#apart('/master_node/cluster_cidr', services, pods, 'pod_cidr');
    this.#apart('/proxy/k8s_node_cidr', nodes, pods, 'pod_cidr');
    this.#apart('/proxy/k8s_node_cidr', nodes, services, 'cluster_cidr');
  }

  #range(below: '/master_node' | '/proxy', field: keyof typeof PREFIXES, text: string): Cidr | undefined {
    const range = parseCidr(text);
    const { from, to } = PREFIXES[field];
    if (range === undefined) this.#wrong(`${below}/${field}`, `${text} is no IPv4 range; one such as 10.0.0.0/16 was expected`);
    else if (range.prefix < from || range.prefix > to)
      this.#wrong(`${below}/${field}`, `${text}: a prefix length from ${from} to ${to} was expected`);
    else {
      this.#normaliseRange(below, field, text, formatCidr(range));
      const [first = 0] = text.split('.').map(Number);
      if (first !== 0 && first !== 127 && first < 224) return range;
      this.#wrong(`${below}/${field}`, `${text} is no range that hosts can have`);
    }
    return undefined;
  }

  #normaliseRange(below: '/master_node' | '/proxy', field: string, text: string, normal: string): void {
    if (text === normal) return;
    this.#warnings.push(`${field} ${text} was taken as ${normal}`);
    const name = below.slice(1);
    this.#normalised[name] = { ...(this.#normalised[name] as JsonObject | undefined), [field]: normal };
  }

  #apart(path: string, one: Cidr | undefined, other: Cidr | undefined, otherField: string): void {
    if (one === undefined || other === undefined || !cidrsOverlap(one, other)) return;
    this.#wrong(path, `${formatCidr(one)} overlaps ${otherField} ${formatCidr(other)}`);
  }

  /** One fault a field: the first. */
  #wrong(below: string, reason: string): void {
    const path = `${ROOT}${below}`;
    if (!this.#invalid.some((fault) => fault.path === path)) this.#invalid.push({ path, reason });
  }
}

const listed = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));
