import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { Counter, Gauge, Registry } from 'prom-client';
import type { LogLevel } from '../log/log-level.js';

/** The metrics of one service, in a registry of its own: several services in one process keep theirs apart. */
export class ServiceMetrics {
  readonly registry = new Registry();
  readonly #lag: IntervalHistogram;
  readonly #lines: Counter<'level'>;

  constructor(service: string, version: string, ready: () => Promise<boolean>) {
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
    new Gauge({
      name: 'windlass_ready',
      help: '1 when the service is ready',
      registers,
      async collect() {
        this.set((await ready()) ? 1 : 0);
      },
    });
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
    this.#lines = new Counter({ name: 'windlass_log_lines_total', help: 'Lines logged', labelNames: ['level'], registers });
  }

  countLine(level: LogLevel): void {
    this.#lines.inc({ level });
  }

  async text(): Promise<{ text: string; type: string }> {
    return { text: await this.registry.metrics(), type: this.registry.contentType };
  }

  stop(): void {
    this.#lag.disable();
    this.registry.clear();
  }

  /** How late timers fire: what a busy event loop costs every request. Since the last look. */
  #eventLoopLag(): IntervalHistogram {
    const histogram = monitorEventLoopDelay({ resolution: 10 });
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
          this.set({ quantile }, value / 1e9);
        }
        histogram.reset();
      },
    });
    return histogram;
  }
}
