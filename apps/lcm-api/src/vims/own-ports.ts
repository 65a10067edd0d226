import type { VnfInstanceRecord } from '@windlass/lifecycle';

/** Tells whether ports in use are the VNF's own: a request may name those again. */
export class OwnPorts {
  readonly #ports: ReadonlySet<string>;
  readonly #servers: ReadonlySet<string>;
  readonly #leftovers: boolean;

  constructor({ instantiated, leftovers }: Pick<VnfInstanceRecord, 'instantiated' | 'leftovers'>) {
    const { extVirtualLinkInfo = [], vnfcResourceInfo = [] } = instantiated?.info ?? {};
    const ports = extVirtualLinkInfo.flatMap(({ extLinkPorts = [] }) => extLinkPorts);
    this.#ports = new Set(ports.map(({ resourceHandle }) => resourceHandle.resourceId));
    this.#servers = new Set(vnfcResourceInfo.map(({ computeResource }) => computeResource.resourceId));
    this.#leftovers = leftovers !== null;
  }

  /**
   * Whether a port may be the VNF's own. True where that is unknown: no record names the ports that a failed operation left, and they are removed
   * before anything is made.
   */
  mayBe({ port, device }: { port?: string | undefined; device?: string | undefined }): boolean {
    if (this.#leftovers) return true;
    return (port !== undefined && this.#ports.has(port)) || (device !== undefined && this.#servers.has(device));
  }
}
