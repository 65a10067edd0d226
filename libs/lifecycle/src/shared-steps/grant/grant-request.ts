import { masked, type SecretPlaces } from '@windlass/foundation';
import {
  APIS,
  opOccUrl,
  vnfInstanceUrl,
  type ConstraintResourceRef,
  type GrantRequest,
  type LcmOperationType,
  type PlacementConstraint,
  type ResourceDefinition,
} from '@windlass/sol003';
import { flavourOf, type AffinityRule } from '@windlass/vnf-package';
import { definitions, type AskedResources, type GrantSubject } from '../../operation/asked-resources.js';

/** What a grant request is made from. */
export interface GrantRequestSources {
  subject: GrantSubject;
  resources: AskedResources;
  /** Where the NFVO finds this VNFM: the public URL, without a slash at its end. */
  publicUrl: string;
  /** Where secrets lie in the parameters: the NFVO is not told them. */
  secrets: SecretPlaces;
}

/**
 * The grant request (SOL003 9.5.2.2). Pure, and its ids derive from the operation's: computed again, such as after a crash, it is the same request.
 */
export function grantRequest({ subject, resources, publicUrl, secrets }: GrantRequestSources): GrantRequest {
  const { opOcc, instance, flavourId } = subject;
  const { instantiationLevelId, additionalParams } = opOcc.request;
  const addResources = definitions(opOcc.id, 'add', resources.add);
  const removeResources = definitions(opOcc.id, 'remove', resources.remove);
  const updateResources = definitions(opOcc.id, 'update', resources.update);
  const placementConstraints = placement(subject, addResources, removeResources);
  const api = `${publicUrl}${APIS.vnflcmV1.uriPrefix}`;
  return {
    vnfInstanceId: instance.id,
    vnfLcmOpOccId: opOcc.id,
    vnfdId: instance.vnfdId,
    ...(flavourId === '' ? {} : { flavourId }),
    operation: opOcc.operation satisfies LcmOperationType,
    isAutomaticInvocation: opOcc.isAutomaticInvocation,
    ...(opOcc.operation === 'INSTANTIATE' && typeof instantiationLevelId === 'string' ? { instantiationLevelId } : {}),
    ...listed({ addResources, removeResources, updateResources, placementConstraints }),
    // A VNF is one stack, and lies in one VIM.
    ...(addResources.length < 2 ? {} : { vimConstraints: [{ sameResourceGroup: true, resource: addResources.map(granted) }] }),
    ...(isParams(additionalParams) ? { additionalParams: masked(additionalParams, secrets) } : {}),
    _links: {
      vnfLcmOpOcc: { href: opOccUrl(api, opOcc.id) },
      vnfInstance: { href: vnfInstanceUrl(api, instance.id) },
    },
  };
}

const isParams = (value: unknown): value is NonNullable<GrantRequest['additionalParams']> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Without the lists that are empty. */
const listed = <T extends Record<string, readonly unknown[]>>(lists: T): Partial<T> =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as Partial<T>;

const granted = ({ id }: ResourceDefinition): ConstraintResourceRef => ({ idType: 'GRANT', resourceId: id });

const SCOPES: Readonly<Record<string, PlacementConstraint['scope']>> = {
  nfvi_node: 'NFVI_NODE',
  zone: 'ZONE',
  zone_group: 'ZONE_GROUP',
  nfvi_pop: 'NFVI_POP',
};

/** The VNFD's rules about who stands beside whom, for the servers that come, and those that stay beside them. */
function placement(
  { instance, package: { model }, flavourId }: GrantSubject,
  adds: readonly ResourceDefinition[],
  removes: readonly ResourceDefinition[],
): PlacementConstraint[] {
  const come = adds.filter(({ type }) => type === 'COMPUTE');
  if (come.length === 0) return [];
  const gone = new Set(removes.map(({ resource }) => resource?.resourceId));
  const stay = (instance.instantiated?.info.vnfcResourceInfo ?? []).filter(
    ({ computeResource }) => !gone.has(computeResource.resourceId),
  );
  const rules = flavourOf(model, flavourId).affinityRules;
  return rules.flatMap(({ kind, scope, vduIds }: AffinityRule): PlacementConstraint[] => {
    const known = SCOPES[scope.toLowerCase()];
    const fresh = come.filter(({ vduId }) => vduId !== undefined && vduIds.includes(vduId)).map(granted);
    const old = stay
      .filter(({ vduId }) => vduIds.includes(vduId))
      .map(({ computeResource: { resourceId, vimConnectionId } }): ConstraintResourceRef => ({
        idType: 'RES_MGMT',
        resourceId,
        ...(vimConnectionId === undefined ? {} : { vimConnectionId }),
      }));
    if (known === undefined || fresh.length === 0 || fresh.length + old.length < 2) return [];
    const affinityOrAntiAffinity = kind === 'affinity' ? 'AFFINITY' : 'ANTI_AFFINITY';
    return [{ affinityOrAntiAffinity, scope: known, resource: [...fresh, ...old] }];
  });
}
