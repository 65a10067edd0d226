import { millis, RequestError, seconds, Secret, type Duration } from '@windlass/foundation';
import type { OutboundClient } from '@windlass/outbound';
import type { Vault } from '@windlass/persistence';
import type { UploadVnfPackageFromUriRequest } from '@windlass/sol003';
import type { RemoteArtifacts } from '@windlass/vnf-package';
import { isAmong } from './package-policy.js';

/** A try ends when nothing has arrived for this long. */
const IDLE = seconds(30);

/** Redirects that are followed, on the same host: storage answers with them. */
const REDIRECTS = 3;

/** The types that a package may be sent as. */
const ACCEPT = 'application/zip, application/octet-stream;q=0.9, */*;q=0.5';
const ANYTHING = '*/*';

/** Where packages are fetched from (SOL005 9.4.6). The client's source is kept, sealed, until it was fetched or given up. */
export class PackageSources {
  constructor(
    private readonly client: OutboundClient,
    private readonly vault: Vault,
    private readonly hosts: readonly string[],
    private readonly maxBytes: number,
  ) {}

  /** @throws RequestError 400 `vnf-package.host-refused` for a host that is not among those of the configuration */
  check({ addressInformation }: UploadVnfPackageFromUriRequest): void {
    const { hostname } = new URL(addressInformation);
    if (isAmong(this.hosts, hostname)) return;
    const path = '/addressInformation';
    const reason = `packages are fetched only from hosts that LCM_PACKAGE_HOSTS names; ${this.#known} there`;
    throw new RequestError(
      400,
      'vnf-package.host-refused',
      `${path}: ${hostname}: ${reason}. Upload the package itself, or have the operator add its host`,
      { invalidParams: [{ path, reason }] },
    );
  }

  seal(id: string, source: UploadVnfPackageFromUriRequest): Buffer {
    const { addressInformation, userName, password } = source;
    return this.vault.sealJson({ addressInformation, userName, password }, placeOf(id));
  }

  open(id: string, sealed: Buffer): UploadVnfPackageFromUriRequest {
    return this.vault.openJson(sealed, placeOf(id)) as UploadVnfPackageFromUriRequest;
  }

  /**
   * The package's bytes, as they arrive. The host is checked again, because the configuration may have changed since the client's request. @throws as
   * {@link check}, and as {@link OutboundClient.download}
   */
  async fetch(source: UploadVnfPackageFromUriRequest, within: Duration, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    this.check(source);
    const { addressInformation: url, userName, password = '' } = source;
    const auth = userName === undefined ? undefined : { kind: 'basic' as const, userName, password: new Secret(password) };
    const { body } = await this.client.download({ ...this.#limits(within, signal), url, headers: { accept: ACCEPT }, auth });
    return body;
  }

  /**
   * The artifacts that one package names by URL. The author says where they lie, the operator which hosts are allowed. All of them together may take
   * as long as a package, and each may be as large.
   */
  artifacts(within: Duration, signal: AbortSignal): RemoteArtifacts {
    const until = Date.now() + within;
    return {
      refusal: ({ hostname }) =>
        isAmong(this.hosts, hostname)
          ? undefined
          : `artifacts are fetched only from hosts that LCM_PACKAGE_HOSTS names; ${this.#known} there. Put the file into the package, or have the operator add ${hostname}`,
      fetch: async (url) => {
        const left = millis(Math.max(until - Date.now(), 1));
        const { body } = await this.client.download({ ...this.#limits(left, signal), url, headers: { accept: ANYTHING } });
        return body;
      },
    };
  }

  get #known(): string {
    return this.hosts.length === 0 ? 'none is named' : 'others are named';
  }

  #limits(within: Duration, signal: AbortSignal) {
    return { maxBytes: this.maxBytes, within, idleWithin: IDLE, redirects: REDIRECTS, signal };
  }
}

const placeOf = (id: string): string => `package.vnf_package.upload_source ${id}`;
