import type { Json } from '@windlass/foundation';
import type { PayloadKind } from '@windlass/saga';
import type { EntityManager } from 'typeorm';
import { runPrepared, type Statement } from '../prepared.js';
import type { Vault } from '../sealing/vault.js';
import { gathered, holdWrite } from '../transaction.js';
import { listedRows, rowsByColumn } from '../written-together.js';

const READ: Statement = {
  name: 'windlass payload read',
  text: `SELECT wanted.place::int, p.sealed
    FROM ${listedRows('$1::uuid[]', '$2::text[]', '$3::text[]')} AS wanted (operation_id, step_id, kind, place)
    JOIN lcm.payload AS p ON p.operation_id = wanted.operation_id AND p.step_id = wanted.step_id AND p.kind = wanted.kind`,
};

const WRITE: Statement = {
  name: 'windlass payload write',
  text: `INSERT INTO lcm.payload (operation_id, step_id, kind, sealed) SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bytea[])
    ON CONFLICT (operation_id, step_id, kind) DO UPDATE SET sealed = excluded.sealed`,
};

const DROP: Statement = {
  name: 'windlass payload drop',
  text: `DELETE FROM lcm.payload AS p USING ${listedRows('$1::uuid[]', '$2::text[]')} AS dropped (operation_id, kind)
    WHERE p.operation_id = dropped.operation_id AND p.kind = dropped.kind`,
};

interface Place {
  stepId: string;
  kind: PayloadKind;
}

interface OperationsPlace extends Place {
  operationId: string;
}

/** As JSON, which is what is sealed: nobody changes it behind its back. */
interface WrittenPayload extends Place {
  text: string;
}

/** The payloads of one transaction: what is asked for together is read by one statement, and what is written or dropped goes out with the transaction's end. */
export class PgPayloads {
  readonly #written = new Map<string, WrittenPayload>();
  readonly #dropped = new Set<PayloadKind>();

  constructor(
    private readonly manager: EntityManager,
    private readonly vault: Vault,
    private readonly operationId: string,
  ) {}

  async read(stepId: string, kind: PayloadKind): Promise<Json | undefined> {
    const written = this.#written.get(keyOf({ stepId, kind }));
    if (written !== undefined) return JSON.parse(written.text) as Json;
    if (this.#dropped.has(kind)) return undefined;
    const sealed = await gathered<OperationsPlace, Buffer | undefined>(
      this.manager,
      READ.name,
      { operationId: this.operationId, stepId, kind },
      (places) => readSealed(this.manager, places),
    );
    return sealed && (this.vault.openJson(sealed, this.#placeOf(stepId, kind)) as Json);
  }

  write(stepId: string, kind: PayloadKind, value: Json): void {
    this.#written.set(keyOf({ stepId, kind }), { stepId, kind, text: JSON.stringify(value) });
  }

  drop(kinds: readonly PayloadKind[]): void {
    for (const [key, { kind }] of this.#written) if (kinds.includes(kind)) this.#written.delete(key);
    for (const kind of kinds) this.#dropped.add(kind);
  }

  async flush(): Promise<void> {
    const written = [...this.#written.values()];
    const dropped = [...this.#dropped];
    this.#written.clear();
    this.#dropped.clear();
    if (dropped.length > 0) {
      const drop = [dropped.map(() => this.operationId), dropped];
      // What is written of a kind that is dropped may be the same row: these are two statements.
      if (written.some(({ kind }) => dropped.includes(kind))) await runPrepared(this.manager, DROP, drop);
      else await holdWrite(this.manager, DROP.name, () => rowsByColumn(DROP, () => drop));
    }
    if (written.length === 0) return;
    await holdWrite(this.manager, WRITE.name, () => rowsByColumn(WRITE, () => this.#rowsOf(written)));
  }

  #rowsOf(written: readonly WrittenPayload[]): unknown[][] {
    return [
      written.map(() => this.operationId),
      written.map(({ stepId }) => stepId),
      written.map(({ kind }) => kind),
      written.map(({ stepId, kind, text }) => this.vault.seal(text, this.#placeOf(stepId, kind))),
    ];
  }

  #placeOf(stepId: string, kind: PayloadKind): string {
    return `lcm.payload ${this.operationId} ${stepId} ${kind}`;
  }
}

const keyOf = ({ stepId, kind }: Place): string => `${kind} ${stepId}`;

async function readSealed(manager: EntityManager, places: readonly OperationsPlace[]): Promise<(Buffer | undefined)[]> {
  const rows = await runPrepared<{ place: number; sealed: Buffer }>(manager, READ, [
    places.map(({ operationId }) => operationId),
    places.map(({ stepId }) => stepId),
    places.map(({ kind }) => kind),
  ]);
  const found = new Map(rows.map(({ place, sealed }) => [place, sealed]));
  return places.map((_place, at) => found.get(at + 1));
}
