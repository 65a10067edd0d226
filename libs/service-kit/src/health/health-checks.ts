import { describeDuration, seconds } from '@windlass/foundation';

/** How one thing that a service needs is. */
export interface CheckResult {
  ok: boolean;
  /** For people: what is wrong, or since when. */
  detail?: string;
}

export type HealthCheck = () => CheckResult | Promise<CheckResult>;

/** Answers of all checks. */
export interface Readiness {
  ready: boolean;
  checks: Record<string, CheckResult>;
}

/** A check that takes longer counts as failed. */
const WITHIN = seconds(2);

/** The checks that decide whether a service is ready. */
export class HealthChecks {
  readonly #checks = new Map<string, HealthCheck>();
  #stopping = false;

  /** Adds a check under a name, or replaces it. */
  set(name: string, check: HealthCheck): void {
    this.#checks.set(name, check);
  }

  /** From now on the service is not ready, whatever its checks say. */
  stop(): void {
    this.#stopping = true;
  }

  async look(): Promise<Readiness> {
    const results = await Promise.all([...this.#checks].map(async ([name, check]) => [name, await result(check)] as const));
    const checks: Record<string, CheckResult> = Object.fromEntries(results);
    if (this.#stopping) checks.stopping = { ok: false, detail: 'the service is stopping' };
    return { ready: Object.values(checks).every(({ ok }) => ok), checks };
  }
}

async function result(check: HealthCheck): Promise<CheckResult> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<CheckResult>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, detail: `no answer in ${describeDuration(WITHIN)}` }), WITHIN);
  });
  try {
    return await Promise.race([(async () => check())(), late]);
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}
