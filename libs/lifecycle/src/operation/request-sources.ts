import type { Json, JsonObject } from '@windlass/foundation';
import { SOURCES, type Vnfc } from '@windlass/mgmt-driver';
import { source } from '@windlass/saga';
import { withGrantedZones } from '../records/granted-zones.js';
import { retriedWith } from '../records/retried-with.js';
import { stepSource, type SourceSubject, type StepSources } from './step-sources.js';

/** The body of the request, and the parameters that steps of drivers are given. */
export const requestSources: StepSources = [
  stepSource(source<JsonObject>('request'), ({ opOcc }) => opOcc.request),
  [SOURCES.requestParams, ({ opOcc }): Json => opOcc.request.additionalParams ?? {}],
  stepSource(source<JsonObject>(SOURCES.retryParams), ({ opOcc }) => retriedWith(opOcc)),
  [
    SOURCES.instantiateParams,
    ({ operations, opOcc, instance }): Json => operations.desiredFor(opOcc, instance)?.additionalParams ?? {},
  ],
];

/** The VNFC that a source names by its id, as it stands now; undefined for another source, and where there is no such VNFC. */
export function vnfcNamed(name: string, { operations, opOcc, instance }: SourceSubject): Vnfc | undefined {
  const { vnfcs = [] } = opOcc.draft.instantiated ?? instance.instantiated ?? {};
  const named = vnfcs.filter(({ id }) => SOURCES.vnfc(id) === name);
  return withGrantedZones(named, operations.desiredFor(opOcc, instance))[0];
}
