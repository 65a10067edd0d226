import { artifactsOf } from './artifacts.js';
import type { LcmBinding } from '../model/model.js';
import type { Topology } from './topology.js';
import { Tosca } from './type-tree.js';
import type { Csar } from '../archive/csar.js';
import { resolveInPackage } from '../archive/member-name.js';
import type { PackageWarning } from '../refusals/package-error.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/** Keys of an interface that are no operations. */
const NOT_OPERATIONS: ReadonlySet<string> = new Set([
  'type',
  'inputs',
  'operations',
  'notifications',
  'description',
  'derived_from',
]);

/**
 * What the flavour's VNF node binds to hooks: `implementation` as a name, or as `{primary, dependencies}`. An operation without an
 * implementation (`instantiate: []`) binds nothing.
 */
export function readLcmBindings(topology: Topology, csar: Csar, warnings: PackageWarning[]): Record<string, LcmBinding> {
  const bindings = new Map<string, LcmBinding>();
  for (const [, vnf] of topology.nodes(Tosca.vnf)) {
    for (const [name, contract] of vnf.at('interfaces').entries()) {
      if (name !== 'Vnflcm' && !topology.types.isA(contract.at('type').text(), Tosca.vnflcm)) continue;
      for (const [hook, operation] of operationsOf(contract)) {
        const binding = bindingOf(operation, vnf, csar);
        if (binding === undefined) continue;
        bindings.set(hook, binding);
        warnAboutArtifact(`${topology.at().file}, ${hook}`, binding, warnings);
      }
    }
  }
  return Object.fromEntries(bindings);
}

/** The operations of an interface, by name. */
export function operationsOf(contract: YamlNode): [string, YamlNode][] {
  const nested = contract.at('operations'); // TOSCA 1.3
  return (nested.present ? nested : contract).entries().filter(([name]) => !NOT_OPERATIONS.has(name));
}

function bindingOf(operation: YamlNode, vnf: YamlNode, csar: Csar): LcmBinding | undefined {
  if (operation.isList) return undefined;
  const given = operation.isMap ? operation.at('implementation') : operation;
  const primary = given.isMap ? given.at('primary') : given;
  if (!primary.present) return undefined;
  const inline = primary.isMap;
  const implementation = (inline ? primary.at('file') : primary).requiredText();
  const { type, file } = inline
    ? { type: primary.at('type').text(), file: primary.at('file') }
    : (artifactsOf(vnf).find(({ name }) => name === implementation) ?? {});
  if (file?.present !== true) return { implementation };
  const written = file.requiredText();
  // From the package's root (v1 packages), or from the file that says it (v2 packages).
  const candidates = [resolveInPackage(written), resolveInPackage(written, file.file)].filter((name) => name !== undefined);
  const found = candidates.find((name) => csar.has(name));
  return {
    implementation,
    artifact: { type: type ?? '', file: found ?? written, present: found !== undefined },
  };
}

function warnAboutArtifact(subject: string, { implementation, artifact }: LcmBinding, warnings: PackageWarning[]): void {
  if (artifact === undefined) {
    warnings.push({
      code: 'vnfd.implementation-without-artifact',
      subject,
      reason: `the VNF node has no artifact "${implementation}"; the management driver of that name is bound all the same`,
    });
  } else if (!artifact.present) {
    warnings.push({
      code: 'vnfd.implementation-file-absent',
      subject,
      reason: `the package lacks ${artifact.file}; it would not be run: the management driver "${implementation}" is bound by its name`,
    });
  }
}
