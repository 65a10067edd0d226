import { createHash } from 'node:crypto';
import { rawZip } from './raw-zip.js';
import { type Csar, openCsar } from '../archive/csar.js';
import { bufferCsarSource } from '../source/csar-source.js';
import type { CsarLimitOptions } from '../refusals/limits.js';

/** The files of a package by name; a file that is undefined is left out. */
export type PackageFiles = Record<string, string | Buffer | undefined>;

/** A zip of those files. */
export const zipOf = (files: PackageFiles): Buffer =>
  rawZip(Object.entries(files).flatMap(([name, content]) => (content === undefined ? [] : [{ name, content }])));

/** An open package of those files. */
export const csarOf = (files: PackageFiles, limits?: CsarLimitOptions): Promise<Csar> =>
  openCsar(bufferCsarSource(zipOf(files)), limits);

export const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex');

export const VNFD_ID = 'b1bb0ce7-ebca-4fa7-95ed-4840d70a1177';

/** The smallest package that can be onboarded: one VDU with one port. `flavour` overrides the flavour file's node templates and policies. */
export function smallestPackage(changes: PackageFiles = {}): PackageFiles {
  return {
    'TOSCA-Metadata/TOSCA.meta':
      'TOSCA-Meta-File-Version: 1.0\nCSAR-Version: 1.1\nCreated-By: me\nEntry-Definitions: Definitions/top.yaml\n',
    'Definitions/top.yaml': singleFileVnfd(),
    'BaseHOT/default/top.yaml': `heat_template_version: 2013-05-23
parameters:
  nfv:
    type: json
resources:
  VDU1:
    type: OS::Nova::Server
    properties:
      flavor: { get_param: [ nfv, VDU, VDU1, flavor ] }
      image: { get_param: [ nfv, VDU, VDU1, image ] }
      networks: [ { port: { get_resource: VDU1_CP1 } } ]
  VDU1_CP1:
    type: OS::Neutron::Port
    properties:
      network: { get_param: [ nfv, CP, VDU1_CP1, network ] }
`,
    ...changes,
  };
}

/** A VNFD in one file, with one flavour. */
export function singleFileVnfd(
  parts: { imports?: string; vnfProperties?: string; vnf?: string; vdu?: string; nodes?: string; policies?: string } = {},
): string {
  return `tosca_definitions_version: tosca_simple_yaml_1_2
imports: ${parts.imports ?? '[ etsi_nfv_sol001_common_types.yaml, etsi_nfv_sol001_vnfd_types.yaml ]'}
topology_template:
  substitution_mappings:
    node_type: tosca.nodes.nfv.VNF
    properties:
      flavour_id: default
  node_templates:
    VNF:
      type: tosca.nodes.nfv.VNF
      properties: ${parts.vnfProperties ?? `{ descriptor_id: ${VNFD_ID}, provider: Me, product_name: Small, software_version: 1.0, descriptor_version: 1.10 }`}
${parts.vnf ?? ''}
    VDU1:
      type: tosca.nodes.nfv.Vdu.Compute
${
  parts.vdu ??
  `      properties:
        sw_image_data:
          { name: cirros, version: 0.5.2, checksum: { algorithm: sha-256, hash: 00 }, container_format: bare, disk_format: qcow2, min_disk: 0 B, size: 1 B }
      capabilities:
        virtual_compute: { properties: { requested_additional_capabilities: { m1: { requested_additional_capability_name: m1.tiny } } } }`
}
    VDU1_CP1:
      type: tosca.nodes.nfv.VduCp
      requirements: [ { virtual_binding: VDU1 } ]
${parts.nodes ?? ''}
${parts.policies === undefined ? '' : `  policies:\n${parts.policies}`}
`;
}
