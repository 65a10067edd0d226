import { printableName, type PackageWarning } from '../refusals/package-error.js';

/** Nodes that a warning names, and warnings of a file. */
const MOST_NODES = 5;
const MOST_WARNINGS = 40;

/** Warnings of a file, each once with the nodes that it is about. */
export class UnusedWarnings {
  readonly #nodes = new Map<string, Set<string>>();

  constructor(
    private readonly file: string,
    private readonly code: string,
  ) {}

  add(node: string, reason: string): void {
    const shown = reason.length > MOST_CHARACTERS ? `${reason.slice(0, MOST_CHARACTERS)}...` : reason;
    const nodes = this.#nodes.get(shown) ?? new Set();
    this.#nodes.set(shown, nodes.add(node));
  }

  all(): PackageWarning[] {
    const told = [...this.#nodes].slice(0, MOST_WARNINGS).map(([reason, nodes]) => {
      const names = [...nodes].slice(0, MOST_NODES).map(printableName).join(', ');
      const more = nodes.size > MOST_NODES ? ` and ${nodes.size - MOST_NODES} more` : '';
      return { code: this.code, subject: `${this.file}, ${names}${more}`, reason };
    });
    const untold = this.#nodes.size - told.length;
    if (untold === 0) return told;
    return [
      ...told,
      { code: this.code, subject: this.file, reason: `${untold} more of its parts are left out: remove these first` },
    ];
  }
}

/** Characters of a reason, which may quote names. */
const MOST_CHARACTERS = 500;
