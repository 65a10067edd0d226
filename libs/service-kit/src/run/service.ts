import type { Registry } from 'prom-client';
import type { NatsLink } from '@windlass/messaging';
import type { ServiceConfig } from '../config/config.js';
import type { HealthChecks } from '../health/health-checks.js';
import type { ServiceLog } from '../log/service-log.js';

/** What a service is: its name, what it can be told, and how it starts. */
export interface ServiceDefinition<C extends ServiceConfig = ServiceConfig> {
  /** `k8s-mgmt`: in logs, metrics, NATS queue groups. */
  name: string;
  version: string;
  /** What it is for: one sentence, for `--help`. */
  description: string;
  config: new () => C;
  /** Starts it. What it throws ends the process with status 1, and the supervisor tries again. */
  start(context: ServiceContext<C>): Promise<RunningService>;
}

/** What a service gets at its start. */
export interface ServiceContext<C extends ServiceConfig = ServiceConfig> {
  readonly config: C;
  readonly log: ServiceLog;
  /** Names this replica: host, process and service. */
  readonly replica: string;
  /** Checks beside `ready`; those of NATS and of the service itself are there already. */
  readonly health: HealthChecks;
  /** Metrics of this service's own. */
  readonly metrics: Registry;
  /** Aborts when the service is told to stop, also while it still starts. */
  readonly signal: AbortSignal;
  /** The connection to NATS of `NATS_URL`, made at the first call; it is left open until the service has stopped, then drained. */
  readonly nats: () => Promise<NatsLink>;
  /** Ends the service as failed: for what happens outside of any call. */
  readonly fail: (error: Error) => void;
}

/** A service that runs. */
export interface RunningService {
  /** Whether it does its work now. */
  readonly ready: boolean;
  /** Takes nothing more, ends or detaches from what it is doing, and closes what it opened. Called once. */
  stop(): Promise<void>;
}
