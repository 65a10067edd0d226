import { readBootFiles } from './boot-data.js';
import { Context } from './context.js';
import { addNetworks } from './networks.js';
import { addOwnPorts } from './ports.js';
import { addSecurityGroups } from './security-groups.js';
import { addServerGroups } from './server-groups.js';
import { addVdu } from './servers.js';
import { REFUSED, REFUSED_NODES } from './table.js';
import { Template } from './template.js';
import type { Csar } from '../archive/csar.js';
import { readTemplates, type BaseHot } from '../hot/base-hot.js';
import type { PackageWarning } from '../refusals/package-error.js';
import type { Flavour } from '../model/model.js';
import type { Topology } from '../vnfd/topology.js';
import { Tosca } from '../vnfd/type-tree.js';

/** The texts of a flavour's templates, the top one first, by the names that they have in messages. */
export interface Translation {
  top: string;
  files: Map<string, string>;
  warnings: PackageWarning[];
}

/**
 * The Heat templates of a flavour whose package carries none, made from its VNFD. They are kept with the package as if it had carried
 * them: a later release's translation changes no VNF that is there.
 * @throws PackageError `vnfd.not-translatable` with the node's name, and `vnfd.invalid`
 */
export async function translatedHot(
  csar: Csar,
  flavour: Flavour,
  topology: Topology,
  signal?: AbortSignal,
): Promise<{ hot: BaseHot; warnings: PackageWarning[] }> {
  const { top, files, warnings } = translate(flavour, topology, await readBootFiles(csar, topology, signal));
  const source = {
    limits: csar.limits,
    folder: folderOf(flavour),
    has: (path: string) => files.has(path),
    text: (path: string) => Promise.resolve(files.get(path) ?? ''),
  };
  return { hot: await readTemplates(source, top), warnings };
}

const folderOf = ({ id }: Pick<Flavour, 'id'>): string => `translated/${id}/`;

/** Whether a server's port of this connection point is made by templates that were made from the VNFD, so that a prepared one can stand in for it. */
export function makesOwnPort(flavour: Pick<Flavour, 'id' | 'baseHot' | 'cps'>, cpdId: string): boolean {
  // A package's own templates lie in BaseHOT/.
  if (flavour.baseHot?.top.path.startsWith(folderOf(flavour)) !== true) return false;
  const cp = flavour.cps.find(({ id }) => id === cpdId);
  return cp?.vduId !== undefined && cp.virtualLinkId === undefined;
}

/** Pure: the same VNFD gives the same bytes. @param bootFiles texts of members that boot data names */
export function translate(flavour: Flavour, topology: Topology, bootFiles: ReadonlyMap<string, string>): Translation {
  const context = new Context(flavour, topology, bootFiles);
  checkNodes(context);
  const template = new Template(`flavour ${flavour.id}, made from ${flavour.file}`, new Set(context.nodeNames));
  template.parameter('nfv', 'json');
  const shared = {
    subnets: addNetworks(context, template),
    serverGroups: addServerGroups(context, template),
    securityGroups: addSecurityGroups(context, template),
  };
  addOwnPorts(context, template, shared);
  const nested = flavour.vdus.map((vdu) => addVdu(context, template, shared, vdu));
  const folder = folderOf(flavour);
  const top = `${folder}top.yaml`;
  const files = new Map([[top, template.text()], ...nested.map(({ name, text }) => [`${folder}${name}`, text] as const)]);
  return { top, files, warnings: context.warnings };
}

const TRANSLATED_NODES = [Tosca.vnf, Tosca.compute, Tosca.blockStorage, Tosca.vduCp, Tosca.vipCp, Tosca.virtualLink];
const RESOURCE_NAME = /^[a-z0-9][\w.-]{0,99}$/i;

/** @throws PackageError `vnfd.not-translatable` for a node that no resource can be made of */
function checkNodes(context: Context): void {
  const { topology } = context;
  for (const [id, node] of topology.at('node_templates').entries()) {
    const type = node.at('type').text() ?? '';
    const is = (base: string): boolean => topology.types.isA(type, base);
    const known = REFUSED_NODES.find((row) => is(row.type));
    if (known !== undefined) throw context.refuse(id, known, `is a ${known.tosca}`);
    if (!TRANSLATED_NODES.some(is)) throw context.refuse(id, REFUSED.otherNode, `has the type "${type}"`);
    if (!RESOURCE_NAME.test(id)) throw context.refuse(id, REFUSED.name, 'is no name of a Heat resource');
  }
}
