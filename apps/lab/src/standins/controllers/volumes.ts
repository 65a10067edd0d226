import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../kube/kinds.js';
import { R } from '../kube/resources.js';
import { matchesSelector } from '../kube/selectors.js';
import type { ClusterView } from './cluster-view.js';
import type { Controller } from './controller.js';
import { quantityBytes } from './quantity.js';

const PV_PROTECTION = 'kubernetes.io/pv-protection';
const PVC_PROTECTION = 'kubernetes.io/pvc-protection';

/** Binds claims to volumes, releases volumes of deleted claims, and lets bound ones not go (protection). Nothing is provisioned or mounted. */
export const volumeController: Controller = {
  name: 'persistentvolume-binder',
  watches: [R.persistentvolumes, R.persistentvolumeclaims, R.pods],
  async sync(view) {
    for (const claim of view.all<PersistentVolumeClaim>(R.persistentvolumeclaims)) await reconcileClaim(view, claim);
    for (const volume of view.all<PersistentVolume>(R.persistentvolumes)) await reconcileVolume(view, volume);
    return undefined;
  },
};

async function reconcileClaim(view: ClusterView, claim: PersistentVolumeClaim): Promise<void> {
  if (claim.metadata.deletionTimestamp !== undefined) {
    if (!isUsed(view, claim)) await releaseFinalizer(view, R.persistentvolumeclaims, claim, PVC_PROTECTION);
    return;
  }
  if (claim.status?.phase === 'Bound') return;
  const volume = volumeFor(view, claim);
  if (volume === undefined) return;
  const { name, namespace = '', uid = '' } = claim.metadata;
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid };
  await view.patch(R.persistentvolumes, volume, { spec: { claimRef } });
  await view.patch(R.persistentvolumes, volume, { status: { phase: 'Bound' } }, 'status');
  await view.patch(R.persistentvolumeclaims, claim, { spec: { volumeName: volume.metadata.name } });
  const status = { phase: 'Bound', accessModes: volume.spec.accessModes ?? [], capacity: volume.spec.capacity ?? {} };
  await view.patch(R.persistentvolumeclaims, claim, { status }, 'status');
}

/** The smallest volume that is free, or meant for this claim, and big enough. */
function volumeFor(view: ClusterView, claim: PersistentVolumeClaim): PersistentVolume | undefined {
  const asked = quantityBytes(claim.spec.resources?.requests?.storage ?? '0');
  const size = (volume: PersistentVolume): number => quantityBytes(volume.spec.capacity?.storage ?? '0');
  return view
    .all<PersistentVolume>(R.persistentvolumes)
    .filter((volume) => volume.metadata.deletionTimestamp === undefined && isFor(volume, claim) && size(volume) >= asked)
    .sort((a, b) => size(a) - size(b))[0];
}

function isFor({ metadata, spec, status }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { claimRef } = spec;
  const { name, namespace, uid } = claim.metadata;
  const ours = claimRef?.name === name && claimRef.namespace === namespace && (claimRef.uid ?? uid) === uid;
  if (!ours && (claimRef !== undefined || status?.phase !== 'Available')) return false;
  if ((claim.spec.volumeName ?? metadata.name) !== metadata.name) return false;
  const sameClass = (claim.spec.storageClassName ?? '') === (spec.storageClassName ?? '');
  const modes = (claim.spec.accessModes ?? []).every((mode) => (spec.accessModes ?? []).includes(mode));
  return sameClass && modes && (claim.spec.selector === undefined || matchesSelector(claim.spec.selector, metadata.labels));
}

async function reconcileVolume(view: ClusterView, volume: PersistentVolume): Promise<void> {
  const { claimRef } = volume.spec;
  const claim =
    claimRef?.uid === undefined
      ? undefined
      : (view.get(R.persistentvolumeclaims, claimRef.name ?? '', claimRef.namespace) as PersistentVolumeClaim | undefined);
  const bound = claim !== undefined && claim.metadata.uid === claimRef?.uid;
  if (volume.metadata.deletionTimestamp !== undefined) {
    if (!bound) await releaseFinalizer(view, R.persistentvolumes, volume, PV_PROTECTION);
    return;
  }
  const phase = volume.status?.phase ?? 'Pending';
  const next = claimRef?.uid === undefined ? 'Available' : bound ? 'Bound' : 'Released';
  if (next === phase || (next === 'Bound' && phase === 'Available')) return;
  if (next === 'Released' && (await claimIsThere(view, volume))) return;
  await view.patch(R.persistentvolumes, volume, { status: { phase: next } }, 'status');
}

/** Asked of the server: the watch of claims may be behind that of volumes. */
const claimIsThere = (view: ClusterView, { spec: { claimRef } }: PersistentVolume): Promise<boolean> =>
  view.isThere(R.persistentvolumeclaims, { name: claimRef?.name ?? '', namespace: claimRef?.namespace ?? '' }, claimRef?.uid);

const isUsed = (view: ClusterView, claim: PersistentVolumeClaim): boolean =>
  view
    .all<Pod>(R.pods)
    .some(
      (pod) =>
        pod.metadata.namespace === claim.metadata.namespace &&
        !['Succeeded', 'Failed'].includes(pod.status?.phase ?? '') &&
        (pod.spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === claim.metadata.name),
    );

async function releaseFinalizer(
  view: ClusterView,
  type: typeof R.persistentvolumes,
  object: PersistentVolume | PersistentVolumeClaim,
  finalizer: string,
): Promise<void> {
  const finalizers = object.metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) return;
  await view.patch(type, object, { metadata: { finalizers: finalizers.filter((entry) => entry !== finalizer) } });
}
