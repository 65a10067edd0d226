import {
  InvariantError,
  isJsonObject,
  mergePatch,
  pointerToken,
  RequestError,
  toJson,
  type JsonObject,
} from '@windlass/foundation';
import { baseHotOf } from '@windlass/user-data';
import { flavourOf } from '@windlass/vnf-package';
import {
  GrantBody,
  unusedMemberWarning,
  unusedMembers,
  vimKind,
  type Grant,
  type GrantRequest,
  type VimConnectionInfo,
} from '@windlass/sol003';
import { isCluster } from '../../records/on-kubernetes.js';
import type { VimChoice } from '../../records/records.js';
import type { GrantInput } from './grant-actions.js';
import type { InlineRun } from '../../operation/inline-run.js';
import { assetsOf, differences, requireAnswered, unasked, unusable, vimOf } from '../../records/granted-assets.js';

/**
 * Applies what the NFVO granted to the operation, in the transaction in which STARTING ends. Does nothing where the grant is local.
 *
 * Of an operation that makes the VNF, the VIM, networks and `additionalParams.nfv` of the grant go into its request, which is sealed and which
 * everything later is made from; flavours, images and zones into its draft, and with its end into the desired state. A VNF that is there keeps
 * what it was made with: a grant that says otherwise is refused.
 * @throws TerminalError `grant.unusable`, saying what of it can't be carried out
 */
export async function takeGrant(run: InlineRun<GrantInput>): Promise<void> {
  const { tx, store, context, input } = run;
  if (input.answer === undefined) return;
  if (input.asked === undefined) throw new InvariantError(`operation ${context.opOcc.id} has an answer to no grant request`);
  // Both were held against their types: the request is ours, and the answer was checked where it came in.
  const request = JSON.parse(input.asked) as GrantRequest;
  const grant = JSON.parse(input.answer) as Grant;
  requireAnswered(request, grant);
  const { opOcc, instance } = context;
  const unread = unreadOf(grant, instance.instantiated !== null);
  if (unread.length > 0) opOcc.warnings.push(`of the grant these are not used: ${unread.join('; ')}`);
  opOcc.grantId = grant.id;
  opOcc.draft.grantUrl = grant._links.self.href;
  if (instance.instantiated === null) await takeAll(run, request, grant);
  else {
    requireSameVim(grant, instance.instantiated.vim);
    const { contrary, unused } = differences(assetsOf(request, grant), instance.desired?.granted ?? {});
    if (contrary.length > 0)
      throw unusable(`a VNF that is there keeps what it was made with, and the grant gives ${contrary.join('; ')}`);
    if (unused.length > 0)
      opOcc.warnings.push(`the VNF keeps what it was made with: of the grant these are not used: ${unused.join('; ')}`);
  }
  await store.saveOpOcc(tx.handle, opOcc);
}

/**
 * Sentences about members of a grant that nothing reads.
 * @param isThere whether the VNF was made before: it keeps its networks and parameters
 * @throws TerminalError for a member without which the VNF would differ from what was granted
 */
export function unreadOf(grant: Grant, isThere: boolean): string[] {
  const { ignored, refused } = unusedMembers(GrantBody, toJson(grant) as JsonObject);
  const [first] = refused;
  if (first !== undefined) throw unusable(unusedMemberWarning(first));
  const params = isJsonObject(grant.additionalParams) ? Object.keys(grant.additionalParams) : [];
  const unused = [
    ...params.filter((name) => isThere || name !== 'nfv').map((name) => `additionalParams/${pointerToken(name)}`),
    ...(isThere ? (['extVirtualLinks', 'extManagedVirtualLinks'] as const).filter((name) => (grant[name] ?? []).length > 0) : []),
  ];
  const why = isThere ? 'a VNF that is there keeps its networks and parameters' : 'nfv alone is read';
  return [...ignored.map(unusedMemberWarning), ...unused.slice(0, 20).map((name) => `/${name} (${why})`)];
}

async function takeAll(
  {
    tx,
    store,
    context: {
      opOcc,
      package: { model },
      flavourId,
    },
  }: InlineRun<GrantInput>,
  request: GrantRequest,
  grant: Grant,
): Promise<void> {
  opOcc.draft.granted = assetsOf(request, grant);
  const references = isCluster(opOcc.draft.vim) ? [] : baseHotOf(flavourOf(model, flavourId)).nfvReferences;
  const unused = unasked(opOcc.draft.granted, references);
  if (unused.length > 0) opOcc.warnings.push(`of the grant these are not used: ${unused.join('; ')}`);
  opOcc.request = withNetworks(opOcc.request, grant);
  const vim = vimOf(grant);
  if (vim.kind === 'as-before') return;
  if (vim.kind === 'named') {
    const known = [opOcc.draft.vim?.connectionId, opOcc.draft.vim?.vimId];
    if (!known.includes(vim.id))
      throw unusable(
        `it puts the VNF into the VIM connection ${vim.id}, which neither its vimConnections nor the request describe`,
      );
    return;
  }
  if (isCluster(opOcc.draft.vim)) {
    if (opOcc.draft.vim !== undefined) requireSameVim(grant, opOcc.draft.vim);
    return;
  }
  const connection = usable(vim.connection);
  opOcc.request = { ...opOcc.request, vimConnectionInfo: [toJson(connection)] };
  opOcc.draft.vim = await chosen(() => store.chooseVim(tx.handle, opOcc.tenant, { vimConnectionInfo: [toJson(connection)] }));
}

/** A connection that is described in full is used as described. Its `vimId` is the NFVO's, and may mean nothing here. */
function usable(connection: VimConnectionInfo): VimConnectionInfo {
  if (vimKind(connection.vimType) !== 'openstack')
    throw unusable(`its VIM connection ${connection.id} is of type ${connection.vimType}; VNFs are made on OpenStack`);
  const { vimId, ...described } = connection;
  if (connection.accessInfo !== undefined && Object.keys(connection.accessInfo).length > 0) return described;
  if (vimId === undefined) throw unusable(`its VIM connection ${connection.id} has neither a vimId nor accessInfo`);
  return connection;
}

async function chosen(choose: () => Promise<VimChoice>): Promise<VimChoice> {
  try {
    return await choose();
  } catch (error) {
    if (error instanceof RequestError) throw unusable(error.message);
    throw error;
  }
}

function requireSameVim(grant: Grant, { vimId, connectionId }: VimChoice): void {
  const vim = vimOf(grant);
  if (vim.kind === 'as-before') return;
  const named = vim.kind === 'named' ? [vim.id] : [vim.connection.id, vim.connection.vimId];
  if (named.includes(connectionId) || (vimId !== undefined && named.includes(vimId))) return;
  throw unusable(`it names the VIM connection ${named[0] ?? ''}, and the VNF is in ${vimId ?? connectionId}`);
}

/** The request with the networks and parameters of the grant, which go before its own (SOL003 9.5.2.3). */
function withNetworks(request: JsonObject, grant: Grant): JsonObject {
  const { extVirtualLinks = [], extManagedVirtualLinks = [], additionalParams } = grant;
  const result = { ...request };
  if (extVirtualLinks.length > 0) {
    const granted = new Set<unknown>(extVirtualLinks.flatMap(({ extCps }) => extCps.map(({ cpdId }) => cpdId)));
    const ids = new Set<unknown>(extVirtualLinks.map(({ id }) => id));
    const others = listOf(request.extVirtualLinks)
      .filter(({ id }) => !ids.has(id))
      .map((link) => ({ ...link, extCps: listOf(link.extCps).filter(({ cpdId }) => !granted.has(cpdId)) }))
      .filter(({ extCps }) => extCps.length > 0);
    result.extVirtualLinks = [...(toJson(extVirtualLinks) as JsonObject[]), ...others];
  }
  if (extManagedVirtualLinks.length > 0) {
    const ids = new Set<unknown>(extManagedVirtualLinks.map((link) => link.vnfVirtualLinkDescId));
    const others = listOf(request.extManagedVirtualLinks).filter((link) => !ids.has(link.vnfVirtualLinkDescId));
    result.extManagedVirtualLinks = [...(toJson(extManagedVirtualLinks) as JsonObject[]), ...others];
  }
  if (isJsonObject(additionalParams) && additionalParams.nfv !== undefined) {
    const params = isJsonObject(request.additionalParams) ? request.additionalParams : {};
    result.additionalParams = { ...params, nfv: mergePatch(params.nfv ?? {}, additionalParams.nfv) };
  }
  return result;
}

const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
