import { TerminalError } from '@windlass/foundation';
import type { NfvReference } from '@windlass/vnf-package';
import type { Grant, GrantRequest, VimConnectionInfo } from '@windlass/sol003';

/** What of a VIM an NFVO granted for the servers and volumes of a VNF, by the names of their nodes in the VNFD. No secret is in it. */
export interface GrantedAssets {
  /** Nova flavors by VDU. */
  flavours?: Record<string, string>;
  /** Glance images by VDU or storage. */
  images?: Record<string, string>;
  /** Availability zones by VDU. */
  zones?: Record<string, string>;
  /** Nodes whose image no NFVO granted: the package's own, that instances share. */
  shared?: string[];
}

/** A grant that can't be carried out, and so is none: the operation ends ROLLED_BACK. */
export const unusable = (reason: string): TerminalError =>
  new TerminalError('grant.unusable', `the grant of the NFVO can't be carried out: ${reason}`, {
    status: 409,
    title: 'Grant failed',
  });

/** @throws TerminalError where the grant is for another operation, or leaves a resource without an answer */
export function requireAnswered(request: GrantRequest, grant: Grant): void {
  if (grant.vnfLcmOpOccId !== request.vnfLcmOpOccId || grant.vnfInstanceId !== request.vnfInstanceId)
    throw unusable('it is for another operation or VNF instance than it was asked for');
  for (const list of ['addResources', 'removeResources', 'updateResources'] as const) {
    const answered = new Set((grant[list] ?? []).map(({ resourceDefinitionId }) => resourceDefinitionId));
    const open = (request[list] ?? []).filter(({ id }) => !answered.has(id));
    if (open.length === 0) continue;
    const named = open.slice(0, 3).map(({ id, type, resourceTemplateId = '' }) => `${type} ${resourceTemplateId} (${id})`);
    const more = open.length > named.length ? ` and ${open.length - named.length} more` : '';
    throw unusable(`its ${list} has no answer for ${named.join(', ')}${more}`);
  }
}

/**
 * What the grant gives for the VNFD's nodes.
 * @throws TerminalError where it places the servers of one VDU in several zones, or names a zone that it does not describe
 */
export function assetsOf(request: GrantRequest, grant: Grant): GrantedAssets {
  const { computeResourceFlavours = [], softwareImages = [] } = grant.vimAssets ?? {};
  const flavours = computeResourceFlavours.map((asset) => [asset.vnfdVirtualComputeDescId, asset.vimFlavourId] as const);
  const images = softwareImages.map((asset) => [asset.vnfdSoftwareImageId, asset.vimSoftwareImageId] as const);
  const zones = zonesOf(request, grant);
  return {
    ...(flavours.length === 0 ? {} : { flavours: byName('flavours', flavours) }),
    ...(images.length === 0 ? {} : { images: byName('images', images) }),
    ...(zones.length === 0 ? {} : { zones: byName('zones', zones) }),
  };
}

const ONE_ZONE_A_VDU =
  ': have the NFVO grant one zone, or give the package a VDU and a group of its own for each zone, each with its nfv.VDU.<name>.locationConstraints';

/** A template has one parameter for all servers of a VDU. */
function byName(what: 'flavours' | 'images' | 'zones', pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = found.get(name);
    if (before !== undefined && before !== value)
      throw unusable(
        `it gives several ${what} for ${name} (${before}, ${value}), and all of its servers have one${what === 'zones' ? ONE_ZONE_A_VDU : ''}`,
      );
    found.set(name, value);
  }
  return Object.fromEntries(found);
}

function zonesOf(request: GrantRequest, grant: Grant): (readonly [string, string])[] {
  const described = new Map((grant.zones ?? []).map(({ id, zoneId }) => [id, zoneId]));
  const asked = new Map((request.addResources ?? []).map((definition) => [definition.id, definition]));
  return (grant.addResources ?? []).flatMap(({ resourceDefinitionId, zoneId }) => {
    const definition = asked.get(resourceDefinitionId);
    if (definition?.type !== 'COMPUTE' || definition.vduId === undefined || zoneId === undefined) return [];
    const zone = described.get(zoneId);
    if (zone === undefined) throw unusable(`it puts ${definition.vduId} into the zone ${zoneId}, which is not among its zones`);
    return [[definition.vduId, zone] as const];
  });
}

/** Names of `nfv.VDU.<name>.<attribute>` in templates, of version 1 and 2 of the standard user data. */
const ATTRIBUTES = {
  flavours: ['flavor', 'computeFlavourId'],
  images: ['image', 'vcImageId'],
  zones: ['locationConstraints'],
} as const;

/** What no template of the package asks for, and so has no effect: sentences. */
export function unasked(assets: GrantedAssets, references: readonly NfvReference[]): string[] {
  return (['flavours', 'images', 'zones'] as const).flatMap((what) =>
    Object.entries(assets[what] ?? {})
      .filter(
        ([node]) =>
          !references.some(
            ({ section, name, attribute }) =>
              section === 'VDU' && name === node && ATTRIBUTES[what].some((each) => each === attribute),
          ),
      )
      .map(([node, value]) => `${what} ${value} for ${node} (no template asks for nfv.VDU.${node}.${ATTRIBUTES[what][0]})`),
  );
}

/** Which VIM the grant puts the resources in. */
export type GrantedVim =
  { kind: 'as-before' } | { kind: 'described'; connection: VimConnectionInfo } | { kind: 'named'; id: string };

/** @throws TerminalError where it is more than one: a VNF is one stack */
export function vimOf(grant: Grant): GrantedVim {
  const connections = grant.vimConnections ?? [];
  const named = new Set((grant.addResources ?? []).flatMap(({ vimConnectionId }) => vimConnectionId ?? []));
  if (named.size > 1)
    throw unusable(`it spreads the VNF over several VIMs (${[...named].join(', ')}), and its stack lies in one`);
  const [id] = named;
  if (id === undefined && connections.length > 1)
    throw unusable('it has several vimConnections, and no resource of it names one: the stack of a VNF lies in one VIM');
  const connection = id === undefined ? connections[0] : connections.find((each) => each.id === id);
  if (connection !== undefined) return { kind: 'described', connection };
  return id === undefined ? { kind: 'as-before' } : { kind: 'named', id };
}

/** Where two grants of one VNF differ in what they give for a node that both name: sentences, none where they agree. */
export function differences(now: GrantedAssets, before: GrantedAssets): { contrary: string[]; unused: string[] } {
  const contrary: string[] = [];
  const unused: string[] = [];
  for (const what of ['flavours', 'images', 'zones'] as const) {
    for (const [name, value] of Object.entries(now[what] ?? {})) {
      const had = before[what]?.[name];
      if (had === undefined || (what === 'images' && before.shared?.includes(name) === true))
        unused.push(`${what} ${value} for ${name}`);
      else if (had !== value) contrary.push(`${what} ${value} for ${name}, which has ${had}`);
    }
  }
  return { contrary, unused };
}
