import type { SharedCp, Vnfc, VnfcVolume } from '@windlass/mgmt-driver';
import type { Flavour } from '@windlass/vnf-package';
import { derivedId } from './operation-saga.js';

/**
 * Names one of two made-up worlds. The two differ in everything that the VIM will choose, so that a plan made for both shows where it depends on
 * that.
 */
export type MadeUpWorld = 'one' | 'other';

/** First addresses of the two worlds, in the range that is kept for tests (RFC 2544, 198.18.0.0/15). No two machines in a row share a last octet. */
const BEGINS: Readonly<Record<MadeUpWorld, { network: number; at: number }>> = {
  one: { network: 18, at: 0 },
  other: { network: 19, at: 100 },
};
/** Last octets that are used: neither 0 nor 255. */
const OCTETS = 254;

/** The VMs that an operation would make: their VDUs and their number are known beforehand, the rest of them is made up. */
export class PlaceholderVms {
  /** What people call them, by their made-up id as a VNFC and as a server. */
  readonly names = new Map<string, string>();
  #addresses = 0;

  constructor(
    private readonly vnfInstanceId: string,
    private readonly world: MadeUpWorld,
  ) {}

  /** So many VNFCs of each VDU, in the order in which a stack is read: those that stay, then new ones. */
  vnfcs(flavour: Flavour, counts: Readonly<Record<string, number>>, staying: readonly Vnfc[] = []): Vnfc[] {
    return flavour.vdus.flatMap(({ id: vduId }) => {
      const stay = staying.filter((vnfc) => vnfc.vduId === vduId);
      const come = Math.max(0, (counts[vduId] ?? 0) - stay.length);
      return [...stay, ...Array.from({ length: come }, (_, index) => this.#vnfc(flavour, vduId, stay.length + index + 1))];
    });
  }

  /** Connection points that belong to no VM, by the descriptor, or by the templates alone. @param known names of those that the instance has */
  sharedCps({ cps, vdus, baseHot }: Flavour, known: readonly string[] = []): SharedCp[] {
    const ofVdus = cps.filter(({ vduId }) => vdus.some(({ id }) => id === vduId)).map(({ id }) => id);
    const names = new Set([...cps.map(({ id }) => id), ...(baseHot?.sharedPorts ?? []), ...known]);
    return [...names]
      .filter((name) => !ofVdus.includes(name))
      .map((name) => ({ name, resourceId: this.#id(`cp ${name}`), addresses: [this.#address()], floatingIp: null }));
  }

  /** A VNFC whose server is replaced, and its volumes with `includesStorage`. Everything else stays. */
  replaced(vnfc: Vnfc, { includesStorage }: { includesStorage: boolean }): Vnfc {
    const { hostKeys: _gone, ...kept } = vnfc;
    const volumes = includesStorage ? kept.volumes?.map(({ name }) => this.#volume(name, vnfc.id)) : undefined;
    // A VIM that showed the previous server's host shows the new one's, too.
    const host = (vnfc.host ?? null) === null ? null : this.#host;
    const server = { resourceId: this.#named(`server for ${vnfc.id}`, vnfc.name), createdAt: null, host };
    return { ...kept, ...server, ...(volumes === undefined ? {} : { volumes }) };
  }

  /** A VNFC with some connection points on new networks or with new addresses, which are not known yet. */
  reconnected(vnfc: Vnfc, moves: (cpdId: string) => boolean): Vnfc {
    const cps = vnfc.cps.map((cp) =>
      moves(cp.cpdId) ? { ...cp, mac: null, addresses: [this.#address()], floatingIp: null } : cp,
    );
    return { ...vnfc, cps };
  }

  /** The same for a connection point that belongs to no VM. */
  reconnectedShared(cp: SharedCp): SharedCp {
    return { ...cp, addresses: [this.#address()] };
  }

  #vnfc({ cps, baseHot, vdus }: Flavour, vduId: string, number: number): Vnfc {
    const name = `${vduId}-${number}`;
    const { name: group = null, apart = false } = baseHot?.groups.find(({ vduIds }) => vduIds.includes(vduId)) ?? {};
    return {
      id: this.#named(`vnfc ${name}`, name),
      vduId,
      aspectId: group,
      memberName: group === null ? null : `to-come-${number}`,
      resourceId: this.#named(`server ${name}`, name),
      name,
      createdAt: null,
      // The hosts of servers that are kept apart: a driver may need their names, and then gets them.
      host: apart ? this.#host : null,
      zone: null,
      cps: cps
        .filter((cp) => cp.vduId === vduId)
        .map(({ id }) => ({
          cpdId: id,
          resourceId: this.#id(`port ${id} of ${name}`),
          mac: null,
          addresses: [this.#address()],
          floatingIp: null,
        })),
      volumes: (vdus.find(({ id }) => id === vduId)?.storageIds ?? []).map((storageId) => this.#volume(storageId, name)),
    };
  }

  get #host(): string {
    return `host-in-the-${this.world}-world`;
  }

  #volume(name: string, whose: string): VnfcVolume {
    return { name, resourceId: this.#id(`volume ${name} of ${whose}`), device: null };
  }

  #named(what: string, name: string): string {
    const id = this.#id(what);
    this.names.set(id, name);
    return id;
  }

  #id(what: string): string {
    return derivedId(this.vnfInstanceId, `${what} to come in the ${this.world} world`);
  }

  #address(): string {
    const { network, at } = BEGINS[this.world];
    const place = this.#addresses++ + at;
    return `198.${network}.${Math.floor(place / OCTETS) % 256}.${(place % OCTETS) + 1}`;
  }
}
