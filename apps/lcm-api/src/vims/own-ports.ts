import type { VnfInstanceRecord } from '@windlass/lifecycle';

/** What tells of ports in use whether they are the VNF's own: a request may name those again. */
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

  /** Also where nobody knows: what a failed operation left has ports that no record names, and is removed before anything is made. */
  mayBe({ port, device }: { port?: string | undefined; device?: string | undefined }): boolean {
    if (this.#leftovers) return true;
    return (port !== undefined && this.#ports.has(port)) || (device !== undefined && this.#servers.has(device));
  }
}
