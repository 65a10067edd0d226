import type { SharedCp, Vnfc, VnfcVolume } from '@windlass/mgmt-driver';
import type { Flavour } from '@windlass/vnf-package';
import { derivedId } from './operation-saga.js';

/** Which of two made-up worlds: they differ in all that only the VIM will choose, so that what a plan takes from that is seen. */
export type MadeUpWorld = 'one' | 'other';

/** First addresses of the two worlds, in the range that is kept for tests (RFC 2544, 198.18.0.0/15). No two machines in a row share a last octet. */
const BEGINS: Readonly<Record<MadeUpWorld, { network: number; at: number }>> = {
  one: { network: 18, at: 0 },
  other: { network: 19, at: 100 },
};
/** Last octets that are used: neither 0 nor 255. */
const OCTETS = 254;

/** VMs that an operation would make, as far as they can be told before: of which VDU, and how many. The rest of them is made up. */
export class MachinesToCome {
  /** What people call them, by their made-up id as a VNFC and as a server. */
  readonly names = new Map<string, string>();
  #addresses = 0;

  constructor(
    private readonly vnfInstanceId: string,
    private readonly world: MadeUpWorld,
  ) {}

  /** So many VNFCs of each VDU, in the order in which a stack is read: those that stay, then those that come. */
  vnfcs(flavour: Flavour, counts: Readonly<Record<string, number>>, staying: readonly Vnfc[] = []): Vnfc[] {
    return flavour.vdus.flatMap(({ id: vduId }) => {
      const stay = staying.filter((vnfc) => vnfc.vduId === vduId);
      const come = Math.max(0, (counts[vduId] ?? 0) - stay.length);
      return [...stay, ...Array.from({ length: come }, (_, index) => this.#vnfc(flavour, vduId, stay.length + index + 1))];
    });
  }

  /** Connection points that are no VM's, by the descriptor or by the templates alone. @param known names of those that the instance has */
  sharedCps({ cps, vdus, baseHot }: Flavour, known: readonly string[] = []): SharedCp[] {
    const ofVdus = cps.filter(({ vduId }) => vdus.some(({ id }) => id === vduId)).map(({ id }) => id);
    const names = new Set([...cps.map(({ id }) => id), ...(baseHot?.sharedPorts ?? []), ...known]);
    return [...names]
      .filter((name) => !ofVdus.includes(name))
      .map((name) => ({ name, resourceId: this.#id(`cp ${name}`), addresses: [this.#address()], floatingIp: null }));
  }

  /** A VNFC whose place gets another server, and other volumes where those go too: all else stays. */
  replaced(vnfc: Vnfc, { includesStorage }: { includesStorage: boolean }): Vnfc {
    const { hostKeys: _gone, ...kept } = vnfc;
    const volumes = includesStorage ? kept.volumes?.map(({ name }) => this.#volume(name, vnfc.id)) : undefined;
    // A VIM that showed where the old one ran shows it of the new one.
    const host = (vnfc.host ?? null) === null ? null : this.#host;
    const server = { resourceId: this.#named(`server for ${vnfc.id}`, vnfc.name), createdAt: null, host };
    return { ...kept, ...server, ...(volumes === undefined ? {} : { volumes }) };
  }

  /** A VNFC of which some connection points are connected otherwise: their addresses are not known yet. */
  reconnected(vnfc: Vnfc, moves: (cpdId: string) => boolean): Vnfc {
    const cps = vnfc.cps.map((cp) =>
      moves(cp.cpdId) ? { ...cp, mac: null, addresses: [this.#address()], floatingIp: null } : cp,
    );
    return { ...vnfc, cps };
  }

  /** The same of one that is no VM's. */
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
      // Kept apart, they are on hosts of which a driver may need to see the names, and then does.
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
