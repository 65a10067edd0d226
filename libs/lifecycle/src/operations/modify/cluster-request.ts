import type { JsonObject } from '@windlass/foundation';
import type { Hook } from '@windlass/mgmt-driver';
import { driverOf, type SagaContext } from '../../operation/operation-saga.js';

/** What may be asked for of the certificates of a cluster that an instance has deployed: to look when they end, or to renew them. */
export const CERTIFICATES_TASKS = ['look', 'renew'] as const;

export type CertificatesTask = (typeof CERTIFICATES_TASKS)[number];

/** What may be asked for of the snapshots of its control plane. */
export const SNAPSHOTS_TASKS = ['take'] as const;

export type SnapshotsTask = (typeof SNAPSHOTS_TASKS)[number];

/** The member of a modification that is asked for at Windlass's own route; the standard's PATCH does not take it. Drivers find it in `request`. */
export const CERTIFICATES_MEMBER = 'windlassCertificates';

/** As {@link CERTIFICATES_MEMBER}. */
export const SNAPSHOTS_MEMBER = 'windlassSnapshots';

/** The hook at which the driver of the cluster is asked, whichever the VNFD binds: packages know nothing of certificates and snapshots. */
export const CLUSTER_HOOK: Hook = 'modify_information_end';

/** What a request asks for of a cluster; undefined where it is about something else. */
export const clusterTaskOf = (request: JsonObject): CertificatesTask | SnapshotsTask | undefined =>
  CERTIFICATES_TASKS.find((task) => task === request[CERTIFICATES_MEMBER]) ??
  SNAPSHOTS_TASKS.find((task) => task === request[SNAPSHOTS_MEMBER]);

/** The driver that made a cluster of the VNF, if one did. */
export const clusterDriverOf = (context: Pick<SagaContext, 'package' | 'flavourId'>): string | undefined =>
  driverOf(context, 'instantiate_end');
