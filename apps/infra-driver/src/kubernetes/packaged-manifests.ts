import { TerminalError } from '@windlass/foundation';
import type { ManifestsInput, PlanObjectsInput } from '@windlass/lifecycle';
import { faultsTogether, faultText, identityOf, readAllManifests, type Manifest } from '@windlass/vnf-package';
import { packageContents } from '../user-data/package-contents.js';
import type { ClusterContext } from './cluster-context.js';
import { listAt, textAt } from './objects.js';
import { preparedObject, type PreparedObject } from './prepared-objects.js';

type Context = Pick<ClusterContext<PlanObjectsInput>, 'cluster' | 'packages' | 'run' | 'input'>;

/** The objects of a VNF as they stand in its package, none applied. @throws TerminalError `kubernetes.wrong-manifests`, `kubernetes.unknown-kind` */
export async function packagedObjects(context: Context): Promise<PreparedObject[]> {
  const { input, cluster } = context;
  const manifests = await readManifests(context, input.manifests);
  const custom = new Map(manifests.flatMap(({ object }) => definedKinds(object)));
  const prepared: PreparedObject[] = [];
  const unknown: string[] = [];
  for (const manifest of manifests) {
    const { apiVersion, group, kind } = identityOf(manifest.object);
    const namespaced = (await cluster.served(apiVersion, kind))?.namespaced ?? custom.get(`${group} ${kind}`);
    if (namespaced === undefined)
      unknown.push(faultText({ ...manifest, field: 'kind', reason: `the cluster has no kind ${kind} in ${apiVersion}` }));
    else prepared.push(preparedObject(manifest, namespaced, input.manifests, input));
  }
  if (unknown.length > 0) throw new TerminalError('kubernetes.unknown-kind', unknown.join('; '));
  return prepared;
}

async function readManifests({ packages, run }: Context, { vnfPkgId, files, namespace }: ManifestsInput): Promise<Manifest[]> {
  const contents = await packageContents(packages, vnfPkgId, files, run.signal);
  const texts = [...contents].map(([path, bytes]) => ({ path, text: bytes.toString('utf8') }));
  const { manifests, faults } = readAllManifests(texts);
  const all = faults.length > 0 ? faults : faultsTogether(manifests, namespace);
  if (all.length > 0) throw new TerminalError('kubernetes.wrong-manifests', all.map(faultText).join('; '));
  return manifests;
}

/** Kinds that the manifests themselves define, by group and kind: whether they lie in namespaces. */
function definedKinds(object: Manifest['object']): [string, boolean][] {
  if (object.kind !== 'CustomResourceDefinition' || listAt(object, 'spec', 'versions').length === 0) return [];
  const [group, kind] = [textAt(object, 'spec', 'group') ?? '', textAt(object, 'spec', 'names', 'kind') ?? ''];
  return [[`${group} ${kind}`, textAt(object, 'spec', 'scope') !== 'Cluster']];
}
