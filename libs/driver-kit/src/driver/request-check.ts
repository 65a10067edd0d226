import { isJsonObject, nearest, type InvalidParam, type Json, type JsonObject } from '@windlass/foundation';
import type { PackageFile, ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { cidrsOverlap, formatCidr, parseCidr, type Cidr } from './cidr.js';
import { USER_NAME } from './schema.js';

/** The parameters by which a group of VMs is named. */
export interface GroupNames {
  aspect_id?: string;
  /** In place of `aspect_id`, or beside it. */
  vdu_id?: string;
  ssh_cp_name: string;
  nic_cp_name: string;
}

/** `./Scripts/x.sh` and `Scripts/x.sh` are the same file of a package. */
export const packagePath = (path: string): string => path.replace(/^(\.\/)+/, '');

/**
 * Collects faults of a request's parameters by comparing them with the VNFD's flavour and the package. The schema has found the parameters
 * well-formed. Pointers begin at the driver's own parameters, `/master_node/ssh_cp_name`; of each field only the first fault is kept.
 */
export class RequestCheck {
  readonly #root: string;
  readonly #invalid: InvalidParam[] = [];
  readonly #warnings: string[] = [];
  readonly #normalised: JsonObject = {};

  /** @param param the name in `additionalParams` under which the driver's parameters stand */
  constructor(
    private readonly request: ValidateRequest,
    private readonly param: string,
  ) {
    this.#root = `/additionalParams/${param}`;
  }

  /** What was found. */
  reply(): ValidateReply {
    const normalised = Object.keys(this.#normalised).length === 0 ? {} : { [this.param]: this.#normalised };
    return { invalidParams: this.#invalid, warnings: this.#warnings, normalised };
  }

  /** A field is wrong: 400, with the reason. */
  wrong(pointer: string, reason: string): void {
    const path = `${this.#root}${pointer}`;
    if (!this.#invalid.some((fault) => fault.path === path)) this.#invalid.push({ path, reason });
  }

  /** Adds a warning to the operation, which goes on. */
  warn(text: string): void {
    this.#warnings.push(text);
  }

  /** Warns of names in the parameters that their schema does not know. */
  unknownNames(schema: JsonObject): void {
    this.#unknownNames(this.request.requestParams[this.param] ?? null, schema, '');
  }

  #unknownNames(value: Json, { properties }: JsonObject, pointer: string): void {
    if (!isJsonObject(value) || !isJsonObject(properties)) return;
    for (const [name, member] of Object.entries(value)) {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (isJsonObject(known)) this.#unknownNames(member, known, `${pointer}/${name}`);
      else this.warn(`${this.#root}${pointer}/${name} is no parameter of this driver and was passed over`);
    }
  }

  /** The package's file of that path; wrong where it has none. */
  file(pointer: string, path: string): PackageFile | undefined {
    const file = this.request.files.find((each) => each.path === packagePath(path));
    if (file === undefined) this.wrong(pointer, `the package has no file ${packagePath(path)}`);
    return file;
  }

  /** Checks the name of a machine's user. The schema has the same pattern; a client that got around the schema must not reach a shell. */
  user(pointer: string, name: string): void {
    if (!new RegExp(USER_NAME).test(name)) this.wrong(pointer, 'is no name of a user');
  }

  /** The VDU of a group of VMs, if its CPs agree on one. */
  groupVdu(pointer: string, group: GroupNames): string | undefined {
    const { aspect_id: aspect, vdu_id: named, nic_cp_name: nic } = group;
    const ssh = this.#sshPort(pointer, group.ssh_cp_name);
    const { flavour } = this.request;
    if (aspect !== undefined && !flavour.aspects.includes(aspect))
      this.wrong(
        `${pointer}/aspect_id`,
        `flavour ${flavour.id} has no scaling aspect ${aspect}; it has ${listed(flavour.aspects)}`,
      );
    const vdu = this.cpVdu(`${pointer}/ssh_cp_name`, ssh);
    const other = nic === ssh || nic === group.ssh_cp_name ? vdu : this.cpVdu(`${pointer}/nic_cp_name`, nic);
    if (vdu === undefined || other === undefined) return undefined;
    if (vdu !== other)
      this.wrong(
        `${pointer}/nic_cp_name`,
        `belongs to VDU ${other}, ssh_cp_name ${ssh} to VDU ${vdu}: both must be the same node's`,
      );
    if (named === undefined || named === vdu) return vdu;
    this.wrong(`${pointer}/vdu_id`, `is ${named}, and ssh_cp_name ${ssh} belongs to VDU ${vdu}: both must be the same node's`);
    return undefined;
  }

  /**
   * The port behind `ssh_cp_name`, where that names a floating IP. Hooks see the port, and the login goes to the port's floating IP where it has one.
   */
  #sshPort(object: string, name: string): string {
    const { cps, floatingIps = [] } = this.request.flavour;
    const port = cps.some(({ id }) => id === name) ? undefined : floatingIps.find(({ id }) => id === name)?.cp;
    if (port === undefined || port === null) return name;
    this.take(object, 'ssh_cp_name', port);
    return port;
  }

  /** The VDU that a CP belongs to; wrong where the flavour has no such CP, or it belongs to none. */
  cpVdu(pointer: string, name: string): string | undefined {
    const { flavour } = this.request;
    const cp = flavour.cps.find(({ id }) => id === name);
    if (cp === undefined) {
      const known = flavour.cps.map(({ id }) => id);
      const meant = nearest(name, known);
      const question = meant === undefined ? '' : ` (did you mean ${meant}?)`;
      this.wrong(pointer, `flavour ${flavour.id} has no CP ${name}${question}; it has ${listed(known)}`);
    } else if (cp.vdu === null) this.wrong(pointer, `CP ${name} belongs to no VDU`);
    return cp?.vdu ?? undefined;
  }

  /**
   * An IPv4 range whose prefix length lies between these. A range with host bits is normalised, with a warning.
   * @param object pointer to the object that has the field
   */
  range(object: `/${string}`, field: string, text: string, prefixes: { from: number; to: number }): Cidr | undefined {
    const pointer = `${object}/${field}`;
    const range = parseCidr(text);
    const { from, to } = prefixes;
    if (range === undefined) this.wrong(pointer, `${text} is no IPv4 range; one such as 10.0.0.0/16 was expected`);
    else if (range.prefix < from || range.prefix > to)
      this.wrong(pointer, `${text}: a prefix length from ${from} to ${to} was expected`);
    else {
      this.#normaliseRange(object, field, text, formatCidr(range));
      const [first = 0] = text.split('.').map(Number);
      if (first !== 0 && first !== 127 && first < 224) return range;
      this.wrong(pointer, `${text} is no range that hosts can have`);
    }
    return undefined;
  }

  #normaliseRange(object: string, field: string, text: string, normal: string): void {
    if (text === normal) return;
    this.warn(`${field} ${text} was taken as ${normal}`);
    this.take(object, field, normal);
  }

  /**
   * Sets the value of a field that the hooks see, in place of the request's.
   * @param object pointer to the object that has the field; empty: the parameters themselves
   */
  take(object: string, field: string, value: Json): void {
    const name = object.slice(1);
    if (name === '') this.#normalised[field] = value;
    else this.#normalised[name] = { ...(this.#normalised[name] as JsonObject | undefined), [field]: value };
  }

  /** Checks that two ranges share no address. */
  apart(pointer: string, one: Cidr | undefined, other: Cidr | undefined, otherField: string): void {
    if (one === undefined || other === undefined || !cidrsOverlap(one, other)) return;
    this.wrong(pointer, `${formatCidr(one)} overlaps ${otherField} ${formatCidr(other)}`);
  }
}

const listed = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));
