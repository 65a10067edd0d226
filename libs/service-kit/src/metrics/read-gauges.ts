import { Gauge, type Registry } from 'prom-client';

/**
 * Gauges whose figures are read whenever the metrics are asked for, all of one answer from one reading. What can't be read is left out.
 * @param label tells the things of a reading apart, by `nameOf` each
 * @returns what makes one of these gauges; a thing whose figure is undefined has no line in it
 */
export function readGauges<T>(
  registry: Registry,
  label: string,
  read: () => Promise<readonly T[]>,
  nameOf: (thing: T) => string,
) {
  let reading: Promise<readonly T[]> | undefined;
  const things = (): Promise<readonly T[]> =>
    (reading ??= read()
      .catch(() => [])
      .finally(() => (reading = undefined)));
  return (name: string, help: string, figure: (thing: T) => number | undefined): Gauge =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      async collect() {
        const now = await things();
        this.reset();
        for (const thing of now) {
          const value = figure(thing);
          if (value !== undefined) this.set({ [label]: nameOf(thing) }, value);
        }
      },
    });
}
