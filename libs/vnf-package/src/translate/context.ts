import type { Refused } from './table.js';
import { PackageError, type PackageWarning } from '../refusals/package-error.js';
import type { Flavour } from '../model/model.js';
import type { Topology } from '../vnfd/topology.js';

/** The flavour that is translated, and how to complain of it. */
export class Context {
  readonly warnings: PackageWarning[] = [];

  constructor(
    readonly flavour: Flavour,
    readonly topology: Topology,
    /** Texts of members that boot data names, by what names them. */
    readonly bootFiles: ReadonlyMap<string, string>,
  ) {}

  /** All names that nodes have. */
  get nodeNames(): string[] {
    return this.topology
      .at('node_templates')
      .entries()
      .map(([name]) => name);
  }

  warn(code: string, node: string, reason: string): void {
    this.warnings.push({ code, subject: `${this.flavour.file}, ${node}`, reason });
  }

  /** The refusal of a node or policy. */
  refuse(node: string, { note }: Pick<Refused, 'note'>, what: string): PackageError {
    const reason = `"${node}" ${what}, which can't be translated to Heat: ${note}; or carry templates in BaseHOT/${this.flavour.id}/`;
    return new PackageError('vnfd.not-translatable', reason, { member: this.flavour.file });
  }
}
