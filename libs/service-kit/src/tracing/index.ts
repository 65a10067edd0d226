export * from './otlp-exporter.js';
export * from './otlp-span.js';
