import { seconds, SecretPlaces } from '@windlass/foundation';
import { secretParameters, type ParameterSchemas } from '@windlass/mgmt-driver';
import type { PgDrivers } from '@windlass/persistence';

/**
 * How long descriptions are kept before they are read again. A new description masks after that time at the latest, and a list does not read them for
 * each entry.
 */
const TRUSTED_FOR = seconds(1);

/** Where secrets lie in `additionalParams`, by the kept descriptions of the drivers. One look at the database a second, however much is shown. */
export class DriverSecrets {
  #look: { at: number; found: Promise<ReadonlyMap<string, SecretPlaces>> } | undefined;
  /** What was read from schemas' text: they change when a driver does. */
  #read = new Map<string, { schemas: string; places: SecretPlaces }>();
  #places: ReadonlyMap<string, SecretPlaces> = new Map();

  constructor(private readonly drivers: Pick<PgDrivers, 'schemas'>) {}

  /**
   * The places of secrets in the parameters of these drivers; everywhere where one of the drivers has no description. Undefined: the drivers are not
   * recorded (older releases did not record them), so the places of all drivers count.
   */
  async of(names: readonly string[] | undefined): Promise<SecretPlaces> {
    if (names?.length === 0) return SecretPlaces.none;
    const known = await this.#known();
    if (names === undefined) return SecretPlaces.union([...known.values()]);
    return SecretPlaces.union(names.map((name) => known.get(name) ?? SecretPlaces.everything));
  }

  /** The same object for as long as no driver's description changes: a text that was masked with it needs no new masking. */
  said(): Promise<object> {
    return this.#known();
  }

  async #known(): Promise<ReadonlyMap<string, SecretPlaces>> {
    const now = performance.now();
    if (this.#look !== undefined && now - this.#look.at < TRUSTED_FOR) return this.#look.found;
    const look = { at: now, found: this.#readAll() };
    this.#look = look;
    try {
      return await look.found;
    } catch (error) {
      if (this.#look === look) this.#look = undefined;
      throw error;
    }
  }

  async #readAll(): Promise<ReadonlyMap<string, SecretPlaces>> {
    const rows = await this.drivers.schemas();
    const before = this.#read;
    if (rows.length === before.size && rows.every(({ name, schemas }) => before.get(name)?.schemas === schemas))
      return this.#places;
    this.#read = new Map(
      rows.map(({ name, schemas: text }) => {
        const same = before.get(name);
        if (same?.schemas === text) return [name, same];
        return [name, { schemas: text, places: secretParameters(JSON.parse(text) as ParameterSchemas) }];
      }),
    );
    this.#places = new Map([...this.#read].map(([name, { places }]) => [name, places]));
    return this.#places;
  }
}
