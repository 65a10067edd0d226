import { PackageError } from '../refusals/package-error.js';
import type { YamlNode } from '../yaml/yaml-node.js';

const TAKEN = 'Windlass takes VNF packages: a CSAR (SOL004) whose top file is a VNFD in TOSCA (SOL001)';

/** Types in one file that derive from each other. */
const LONGEST_CHAIN = 20;

interface Kind {
  /** After "this is". */
  readonly what: string;
  /** What its owner can do. */
  readonly remedy: string;
  readonly is: (file: YamlNode) => boolean;
}

/** The types of a file's nodes and of what it substitutes, and what they derive from by that file's own types. */
function nodeTypes(file: YamlNode): Set<string> {
  const topology = file.at('topology_template');
  const templates = topology.at('node_templates');
  const nodes = templates.isMap ? templates.entries().map(([, node]) => node.at('type')) : [];
  const found = new Set<string>();
  for (const node of [...nodes, topology.at('substitution_mappings', 'node_type')]) {
    let type = node.value;
    for (let at = 0; typeof type === 'string' && at < LONGEST_CHAIN; at += 1) {
      found.add(type);
      type = file.at('node_types', type, 'derived_from').value;
    }
  }
  return found;
}

const hasKey = (file: YamlNode, pattern: RegExp): boolean => file.isMap && file.entries().some(([key]) => pattern.test(key));

const ofVersion = (file: YamlNode, pattern: RegExp): boolean => {
  const { value } = file.at('tosca_definitions_version');
  return typeof value === 'string' && pattern.test(value);
};

/** Attributes that no descriptor but that of a MEC application has (MEC 010-2 6.2.1.2), and nodes that hold one. */
const MEC_KEY =
  /^(?:appD|mec_appd|mecVersion|appDId|app_d_id|appSoftVersion|app_?service(?:Required|Produced)|transportDependencies)$/i;
/** The top of an instance of SOL006's module, under the module's names and those that tools shorten them to, and lists that only it has. */
const SOL006_KEY =
  /^(?:etsi-nfv-[a-z-]+:.*|(?:nfv|vnfd|nsd|pnfd):(?:nfv|vnfd|nsd|pnfd)|nfv|vnfd|nsd|pnfd|virtual-compute-desc|int-virtual-link-desc|ext-cpd)$/;
/** By the namespace of its module; YAML reads XML as one text, if at all. */
export const YANG_XML = /^(?:\s|<\?[^>]{0,200}\?>|<!--[^>]{0,2000}-->){0,20}<[^>]{0,500}urn:etsi:nfv:yang:/;
const isYangXml = ({ value }: YamlNode): boolean => typeof value === 'string' && YANG_XML.test(value.slice(0, 8_192));

/** The first that fits counts: a network service has nodes of VNFs and PNFs, too. */
const KINDS: readonly Kind[] = [
  {
    what: 'a network service descriptor (NSD)',
    remedy: 'onboard it in an NFVO, and the packages of its VNFs here',
    is: (file) => nodeTypes(file).has('tosca.nodes.nfv.NS'),
  },
  {
    what: 'a descriptor of a physical network function (PNFD)',
    remedy: 'a VNF manager has nothing to boot of it; onboard it in an NFVO',
    is: (file) => nodeTypes(file).has('tosca.nodes.nfv.PNF'),
  },
  {
    what: 'a MEC application descriptor (MEC 010-2)',
    remedy: 'onboard it in a MEC application manager, or describe the application as a VNF',
    is: (file) =>
      [...nodeTypes(file)].some((type) => /^tosca\.nodes\.(?:mec|nfv\.MEA|.*MEC)/i.test(type)) || hasKey(file, MEC_KEY),
  },
  {
    what: 'an OSM package or descriptor (its information model, not SOL001)',
    remedy: 'describe the VNF in TOSCA by SOL001',
    is: (file) => hasKey(file, /^(?:(?:vnfd|nsd)[:-](?:vnfd|nsd)-catalog|(?:vnfd|nsd)-catalog|nst|netslice.*)$/),
  },
  {
    what: 'a descriptor by SOL006 (YANG), not by SOL001 (TOSCA)',
    remedy: 'have the VNFD made in TOSCA',
    is: (file) => !file.at('topology_template').present && (hasKey(file, SOL006_KEY) || isYangXml(file)),
  },
  {
    what: 'a Heat template, not a VNFD',
    remedy: 'put it into BaseHOT/<flavour>/ of a package whose VNFD describes what it makes',
    is: (file) => hasKey(file, /^(?:heat_template_version|HeatTemplateFormatVersion|AWSTemplateFormatVersion)$/),
  },
  {
    what: "a template of the reference's earlier kind (tosca_simple_profile_for_nfv_1_0_0), not a VNFD by SOL001",
    remedy: 'describe it by SOL001 (tosca_simple_yaml_1_2 with tosca.nodes.nfv.VNF and Vdu.Compute), and pack it as a CSAR',
    is: (file) =>
      !nodeTypes(file).has('tosca.nodes.nfv.VNF') &&
      ((ofVersion(file, /^tosca_simple_profile_for_nfv/) && !file.at('imports').present) ||
        [...nodeTypes(file)].some((type) => /^tosca\.nodes\.nfv\.(?:VDU|CP|VL)(?:\.|$)/.test(type))),
  },
  {
    what: 'a Helm chart',
    remedy: 'put it into a VNF package',
    is: (file) => hasKey(file, /^apiVersion$/) && hasKey(file, /^appVersion$/),
  },
  {
    what: 'a manifest of Kubernetes, not a VNFD',
    remedy: 'put it into Files/kubernetes/ of a package, as docs/guides/containers.md says',
    is: (file) => hasKey(file, /^apiVersion$/) && hasKey(file, /^kind$/),
  },
  {
    what: 'a TOSCA template of applications, with nothing of ETSI NFV in it',
    remedy: 'describe the VNF by the types of SOL001',
    is: (file) =>
      [...nodeTypes(file)].some((type) => /^tosca\.nodes\.(?:Compute|SoftwareComponent|WebServer|WebApplication)$/.test(type)) &&
      ![...nodeTypes(file)].some((type) => type.includes('.nfv.')),
  },
];

/** What a file is that is no VNFD, with what to do; undefined for what may be one. */
export function otherKindOf(file: YamlNode): string | undefined {
  const kind = KINDS.find(({ is }) => is(file));
  return kind === undefined ? undefined : `this is ${kind.what}. ${TAKEN}: ${kind.remedy}`;
}

/** @throws PackageError `package.other-kind` for the top file of something else than a VNF package */
export function refuseOtherKind(file: YamlNode): void {
  const reason = otherKindOf(file);
  if (reason !== undefined) throw new PackageError('package.other-kind', reason, { member: file.file });
}
