import type { Json } from '@windlass/foundation';
import type { PayloadKind } from '@windlass/saga';
import type { EntityManager } from 'typeorm';
import { runPrepared, type Statement } from '../prepared.js';
import type { Vault } from '../sealing/vault.js';
import { holdWrite } from '../transaction.js';

const READ: Statement = {
  name: 'windlass payload read',
  text: `SELECT p.step_id, p.kind, p.sealed FROM unnest($2::text[], $3::text[]) AS wanted (step_id, kind)
    JOIN lcm.payload AS p ON p.operation_id = $1 AND p.step_id = wanted.step_id AND p.kind = wanted.kind`,
};

const WRITE: Statement = {
  name: 'windlass payload write',
  text: `INSERT INTO lcm.payload (operation_id, step_id, kind, sealed) SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bytea[])
    ON CONFLICT (operation_id, step_id, kind) DO UPDATE SET sealed = excluded.sealed`,
};

const DROP: Statement = {
  name: 'windlass payload drop',
  text: 'DELETE FROM lcm.payload WHERE operation_id = $1 AND kind = ANY($2::text[])',
};

interface Place {
  stepId: string;
  kind: PayloadKind;
}

/** The payloads of one transaction: what is asked for together is read by one statement, and what is written or dropped goes out with the transaction's end. */
export class PgPayloads {
  readonly #written = new Map<string, Place & { value: Json }>();
  readonly #dropped = new Set<PayloadKind>();
  #reading: { places: Place[]; rows: Promise<ReadonlyMap<string, Json>> } | undefined;

  constructor(
    private readonly manager: EntityManager,
    private readonly vault: Vault,
    private readonly operationId: string,
  ) {}

  async read(stepId: string, kind: PayloadKind): Promise<Json | undefined> {
    const written = this.#written.get(keyOf({ stepId, kind }));
    if (written !== undefined) return structuredClone(written.value);
    if (this.#dropped.has(kind)) return undefined;
    const reading = (this.#reading ??= this.#startReading());
    reading.places.push({ stepId, kind });
    return (await reading.rows).get(keyOf({ stepId, kind }));
  }

  write(stepId: string, kind: PayloadKind, value: Json): void {
    this.#written.set(keyOf({ stepId, kind }), { stepId, kind, value: structuredClone(value) });
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
      const drop = [this.operationId, dropped];
      // What is written of a kind that is dropped may be the same row: these are two statements.
      if (written.some(({ kind }) => dropped.includes(kind))) await runPrepared(this.manager, DROP, drop);
      else await holdWrite(this.manager, DROP.name, () => ({ statement: DROP, values: () => drop }));
    }
    if (written.length === 0) return;
    await holdWrite(this.manager, WRITE.name, () => ({ statement: WRITE, values: () => this.#rowsOf(written) }));
  }

  #rowsOf(written: readonly (Place & { value: Json })[]): unknown[] {
    return [
      this.operationId,
      written.map(({ stepId }) => stepId),
      written.map(({ kind }) => kind),
      written.map(({ stepId, kind, value }) => this.vault.sealJson(value, this.#placeOf(stepId, kind))),
    ];
  }

  /** Gathers what is asked for until the caller waits. */
  #startReading(): { places: Place[]; rows: Promise<ReadonlyMap<string, Json>> } {
    const places: Place[] = [];
    const rows = Promise.resolve().then(() => {
      this.#reading = undefined;
      return this.#read(places);
    });
    return { places, rows };
  }

  async #read(places: readonly Place[]): Promise<ReadonlyMap<string, Json>> {
    const rows = await runPrepared<{ step_id: string; kind: PayloadKind; sealed: Buffer }>(this.manager, READ, [
      this.operationId,
      places.map(({ stepId }) => stepId),
      places.map(({ kind }) => kind),
    ]);
    return new Map(
      rows.map(({ step_id: stepId, kind, sealed }) => [
        keyOf({ stepId, kind }),
        this.vault.openJson(sealed, this.#placeOf(stepId, kind)) as Json,
      ]),
    );
  }

  #placeOf(stepId: string, kind: PayloadKind): string {
    return `lcm.payload ${this.operationId} ${stepId} ${kind}`;
  }
}

const keyOf = ({ stepId, kind }: Place): string => `${kind} ${stepId}`;
