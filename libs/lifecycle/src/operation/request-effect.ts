import { masked, type JsonObject } from '@windlass/foundation';
import type { AffectedVnfc, ConnectivityChange, HealedVnfcs, ValidateRequest } from '@windlass/mgmt-driver';
import { withGrantedZones } from '../records/granted-zones.js';
import { clusterUrlOf } from '../records/cluster-url.js';
import type { OpOccRecord } from '../records/records.js';
import type { SagaContext } from './operation-saga.js';

/** What an effect is computed from: a request that the operation's own checks have found right, and the record. */
export type EffectSubject = Pick<SagaContext, 'instance' | 'package' | 'flavourId'> & {
  opOcc: Pick<OpOccRecord, 'id' | 'request'>;
};

/** What a request comes to, as far as the record tells. */
export interface RequestEffect {
  /** How many VNFCs each VDU will have. Absent: as many as now. */
  counts?: Record<string, number>;
  /** VNFCs of which it is known already that the operation touches them. */
  affectedVnfcs?: AffectedVnfc[];
  heal?: HealedVnfcs;
  connectivity?: ConnectivityChange;
}

/** What drivers are told of a request before it is accepted, beside its parameters. */
export function requestForDrivers(
  { effect }: { effect?: (subject: EffectSubject) => RequestEffect },
  subject: EffectSubject,
): Pick<ValidateRequest, 'request' | 'instance' | 'countsAfter'> {
  const { instantiated } = subject.instance;
  const { additionalParams: _params, vimConnectionInfo: _connections, ...request } = subject.opOcc.request;
  const { counts, affectedVnfcs = [], heal, connectivity } = effect?.(subject) ?? {};
  const countsAfter = counts ?? (instantiated === null ? undefined : countsNow(subject));
  return {
    request: masked(request) as JsonObject,
    ...(countsAfter === undefined ? {} : { countsAfter }),
    ...(instantiated === null
      ? {}
      : {
          instance: {
            vnfcs: withGrantedZones(instantiated.vnfcs, subject.instance.desired),
            sharedCps: instantiated.sharedCps,
            affectedVnfcs: affectedVnfcs.flatMap(({ changeType, vnfc }) =>
              withGrantedZones([vnfc], subject.instance.desired).map((told) => ({ changeType, vnfc: told })),
            ),
            ...clusterUrlOf(subject.instance),
            ...(heal === undefined ? {} : { heal }),
            ...(connectivity === undefined ? {} : { connectivity }),
          },
        }),
  };
}

/** How many VNFCs each VDU of the flavour has. */
export function countsNow({ instance, package: { model }, flavourId }: Omit<EffectSubject, 'opOcc'>): Record<string, number> {
  const vnfcs = instance.instantiated?.vnfcs ?? [];
  const vdus = model.flavours.find(({ id }) => id === flavourId)?.vdus ?? [];
  return Object.fromEntries(vdus.map(({ id }) => [id, vnfcs.filter(({ vduId }) => vduId === id).length]));
}
