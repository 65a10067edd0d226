import { execFile } from 'node:child_process';
import { access, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { minutes } from '@windlass/foundation';

const run = promisify(execFile);
const CACHE = join(homedir(), '.cache/windlass/lab/telemetry');
const COLLECTOR = 'v0.155.0';
const JAEGER = 'v1.76.0';

/** The builder's configuration of a collector that takes OTLP over HTTP and passes it on over gRPC. */
const COLLECTOR_PARTS = (folder: string): string => `dist: { name: otelcol, output_path: ${folder}/made, module: tools }
receivers: [{ gomod: go.opentelemetry.io/collector/receiver/otlpreceiver ${COLLECTOR} }]
processors: [{ gomod: go.opentelemetry.io/collector/processor/batchprocessor ${COLLECTOR} }]
exporters: [{ gomod: go.opentelemetry.io/collector/exporter/otlpexporter ${COLLECTOR} }]
`;

async function go(folder: string, args: readonly string[]): Promise<void> {
  // The build must end when this process is killed.
  await run('setpriv', ['--pdeathsig', 'KILL', '--', ...args], {
    cwd: folder,
    env: { ...process.env, GOFLAGS: '-buildvcs=false', GOBIN: folder },
    timeout: minutes(90),
    maxBuffer: 64 * 1024 ** 2,
  });
}

/** The path of a program, which is made once, in an empty folder under the program's name. */
async function made(name: string, version: string, make: (folder: string) => Promise<string>): Promise<string> {
  const file = join(CACHE, version, name);
  const there = await access(file).then(
    () => true,
    () => false,
  );
  if (there) return file;
  const folder = await mkdtemp(join(tmpdir(), 'windlass-go-'));
  try {
    const built = await make(folder);
    await mkdir(join(CACHE, version), { recursive: true });
    await copyFile(built, file);
    return file;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** OpenTelemetry's collector, from Go's module proxy by its builder: a minute on two quiet cores. */
export const collectorProgram = (): Promise<string> =>
  made('otelcol', COLLECTOR, async (folder) => {
    await go(folder, ['go', 'install', `go.opentelemetry.io/collector/cmd/builder@${COLLECTOR}`]);
    await writeFile(join(folder, 'builder.yaml'), COLLECTOR_PARTS(folder));
    await go(folder, [join(folder, 'builder'), '--config', join(folder, 'builder.yaml')]);
    return join(folder, 'made/otelcol');
  });

/**
 * Jaeger, from Go's module proxy: three minutes on two quiet cores, much more on busy ones. Its own pages are in no module, and left out. `go install` refuses a
 * module whose go.mod replaces another, so Jaeger is built as a dependency of a module of our own.
 */
export const jaegerProgram = (): Promise<string> =>
  made('jaeger', JAEGER, async (folder) => {
    const program = 'github.com/jaegertracing/jaeger/cmd/jaeger';
    await writeFile(join(folder, 'go.mod'), 'module tools\n\ngo 1.26\n');
    await go(folder, ['go', 'get', `${program}@${JAEGER}`]);
    await go(folder, ['go', 'build', '-trimpath', '-ldflags=-s -w', '-o', join(folder, 'jaeger'), program]);
    return join(folder, 'jaeger');
  });

/** Ports of loopback. */
interface JaegerPorts {
  otlp: number;
  query: number;
  queryByGrpc: number;
}

/** A collector's configuration: OTLP over HTTP is passed on to a Jaeger. */
export const collectorConfig = (port: number, { otlp }: JaegerPorts): object => ({
  receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
  exporters: { otlp_grpc: { endpoint: `127.0.0.1:${otlp}`, tls: { insecure: true } } },
  service: {
    telemetry: { metrics: { level: 'none' } },
    pipelines: { traces: { receivers: ['otlp'], exporters: ['otlp_grpc'] } },
  },
});

/** A Jaeger's configuration, with traces in memory. */
export const jaegerConfig = ({ otlp, query, queryByGrpc }: JaegerPorts): object => ({
  extensions: {
    jaeger_storage: { backends: { memory: { memory: { max_traces: 10_000 } } } },
    jaeger_query: {
      storage: { traces: 'memory' },
      http: { endpoint: `127.0.0.1:${query}` },
      grpc: { endpoint: `127.0.0.1:${queryByGrpc}` },
    },
  },
  receivers: { otlp: { protocols: { grpc: { endpoint: `127.0.0.1:${otlp}` } } } },
  exporters: { jaeger_storage_exporter: { trace_storage: 'memory' } },
  service: {
    extensions: ['jaeger_storage', 'jaeger_query'],
    telemetry: { metrics: { level: 'none' } },
    pipelines: { traces: { receivers: ['otlp'], exporters: ['jaeger_storage_exporter'] } },
  },
});
