import { millis } from '@windlass/foundation';
import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { Counter, Gauge, Registry } from 'prom-client';
import type { Readiness } from '../health/health-checks.js';
import type { LogLevel } from '../log/log-level.js';
import { readGauges } from './read-gauges.js';
import { WorkMetrics } from './work-metrics.js';

/**
 * The time between two looks at how late the event loop is. Each look wakes the process: a hundred a second were most of what a service that does nothing cost.
 */
const BETWEEN_LAG_LOOKS = millis(100);

/** The seconds by which a look came late, of the nanoseconds from the look before to it. */
export const lateness = (nanoseconds: number): number => Math.max(0, nanoseconds - BETWEEN_LAG_LOOKS * 1e6) / 1e9;

/** The metrics of one service, in a registry of its own: several services in one process keep theirs apart. */
export class ServiceMetrics {
  readonly registry = new Registry();
  /** What is told of the service’s work. */
  readonly work: WorkMetrics;
  readonly #lag: IntervalHistogram;
  readonly #lines: Counter<'level'>;
  readonly #spans: Counter<'result'>;

  constructor(service: string, version: string, look: () => Promise<Readiness>) {
    this.registry.setDefaultLabels({ service });
    const registers = [this.registry];
    const started = Date.now() / 1_000;
    new Gauge({ name: 'windlass_build_info', help: 'Always 1; says which version runs', labelNames: ['version'], registers }).set(
      { version },
      1,
    );
    new Gauge({ name: 'process_start_time_seconds', help: 'Start of the process since the epoch', registers }).set(
      started - process.uptime(),
    );
    this.#readiness(look);
    this.work = new WorkMetrics(this.registry);
    new Gauge({
      name: 'process_resident_memory_bytes',
      help: 'Resident memory of the process, which may hold several services',
      registers,
      collect() {
        this.set(process.memoryUsage.rss());
      },
    });
    new Counter({
      name: 'process_cpu_seconds_total',
      help: 'Processor time of the process, user and system',
      registers,
      collect() {
        const { user, system } = process.cpuUsage();
        this.reset();
        this.inc((user + system) / 1e6);
      },
    });
    this.#lag = this.#eventLoopLag();
    this.#spans = new Counter({
      name: 'windlass_trace_spans_total',
      help: 'Spans of traces by what became of them: sent, refused by the collector, dropped because too many waited',
      labelNames: ['result'],
      registers,
    });
    this.#lines = new Counter({ name: 'windlass_log_lines_total', help: 'Lines logged', labelNames: ['level'], registers });
  }

  countLine(level: LogLevel): void {
    this.#lines.inc({ level });
  }

  countSpans(result: 'sent' | 'dropped' | 'refused', spans: number): void {
    this.#spans.inc({ result }, spans);
  }

  async text(): Promise<{ text: string; type: string }> {
    return { text: await this.registry.metrics(), type: this.registry.contentType };
  }

  stop(): void {
    this.#lag.disable();
    this.registry.clear();
  }

  /** The checks are made once for both. */
  #readiness(read: () => Promise<Readiness>): void {
    let looking: Promise<Readiness> | undefined;
    const look = (): Promise<Readiness> => (looking ??= read().finally(() => (looking = undefined)));
    new Gauge({
      name: 'windlass_ready',
      help: '1 when the service is ready',
      registers: [this.registry],
      async collect() {
        this.set((await look()).ready ? 1 : 0);
      },
    });
    const needed = async () =>
      Object.entries((await look()).checks).filter(([name]) => name !== 'service' && name !== 'stopping');
    readGauges(
      this.registry,
      'dependency',
      needed,
      ([name]) => name,
    )('windlass_dependency_up', '1 when what the service needs answers: nats, database', ([, { ok }]) => (ok ? 1 : 0));
  }

  /** How late timers fire: what a busy event loop costs every request. Since the last look. */
  #eventLoopLag(): IntervalHistogram {
    const histogram = monitorEventLoopDelay({ resolution: BETWEEN_LAG_LOOKS });
    histogram.enable();
    new Gauge({
      name: 'windlass_event_loop_lag_seconds',
      help: 'How late the event loop was since the last look',
      labelNames: ['quantile'],
      registers: [this.registry],
      collect() {
        if (histogram.count === 0) return;
        for (const [quantile, value] of [
          ['0.5', histogram.percentile(50)],
          ['0.99', histogram.percentile(99)],
          ['1', histogram.max],
        ] as const) {
          this.set({ quantile }, lateness(value));
        }
        histogram.reset();
      },
    });
    return histogram;
  }
}
