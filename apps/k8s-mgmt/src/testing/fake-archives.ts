import type { JsonObject } from '@windlass/foundation';
import type { FakeNode } from './fake-node.js';
import type { Packed } from './fake-snapshots.js';

type Etcd = {
  api: [string, JsonObject][];
  listed: [string, { ready: boolean; address: string }][];
  labels: [string, Record<string, string>][];
  tokens: [string, string][];
  descriptions: [string, string][];
  version: string;
  /** The hash of the CA's certificate, which lies beside etcd's data. */
  ca: string;
};

/** The part of a cluster that an archive has. */
interface Archived {
  api: Map<string, JsonObject> | undefined;
  readonly listed: Map<string, { ready: boolean; address: string }>;
  readonly labels: Map<string, Record<string, string>>;
  readonly tokens: Map<string, string>;
  readonly descriptions: Map<string, string>;
  version: string;
  node: (resourceId: string) => FakeNode;
}

/** Archives of a fake cluster: etcd's data and the CA, and nothing of the machines. */
export class FakeArchives {
  constructor(private readonly world: Archived) {}

  packed(resourceId: string): Packed | undefined {
    const { api, listed, labels, tokens, descriptions, version } = this.world;
    const { ca } = this.world.node(resourceId);
    if (api === undefined || ca === undefined) return undefined;
    const [name, { address }] = [...listed][0]!;
    const kept = api.get('configmap/kubeadm-config')?.data as { ClusterConfiguration: string } | undefined;
    const etcd: Etcd = {
      api: [...api],
      listed: [...listed],
      labels: [...labels],
      tokens: [...tokens],
      descriptions: [...descriptions],
      version,
      ca,
    };
    const nodes = [...listed].map(([node, at]) => [node, at.address] as [string, string]);
    return structuredClone({
      name,
      address,
      configuration: kept?.ClusterConfiguration ?? '',
      nodes,
      etcd: etcd as unknown as JsonObject,
    });
  }

  unpacked(resourceId: string, { etcd }: Packed): void {
    const { api, listed, labels, tokens, descriptions, version, ca } = structuredClone(etcd) as unknown as Etcd;
    const { world } = this;
    world.api = new Map(api);
    world.version = version;
    for (const [map, entries] of [
      [world.listed, listed],
      [world.labels, labels],
      [world.tokens, tokens],
      [world.descriptions, descriptions],
    ] as unknown as [Map<string, unknown>, [string, unknown][]][]) {
      map.clear();
      for (const [key, value] of entries) map.set(key, value);
    }
    const node = world.node(resourceId);
    node.ca = ca;
    node.files.set('kubeconfig', 'admin');
  }

  installed(resourceId: string): string | undefined {
    return this.world.node(resourceId).kubernetes;
  }
}
