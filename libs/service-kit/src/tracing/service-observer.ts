import type { EndedWork, Observer } from '@windlass/foundation';
import type { OtlpExporter } from './otlp-exporter.js';

/** What a service's work is told to: its metrics always, and spans where the operator wants them. */
export class ServiceObserver implements Observer {
  #spans: Pick<OtlpExporter, 'ended'> | undefined;

  constructor(private readonly metrics: { ended(work: EndedWork): void }) {}

  get keepsSpans(): boolean {
    return this.#spans !== undefined;
  }

  /** From now on spans are kept, too. */
  keepSpans(spans: Pick<OtlpExporter, 'ended'>): void {
    this.#spans = spans;
  }

  ended(work: EndedWork): void {
    this.metrics.ended(work);
    this.#spans?.ended(work);
  }
}
