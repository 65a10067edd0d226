import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const HERE = dirname(fileURLToPath(import.meta.url));

/** `.ts` when the lab runs from its sources (tests), `.js` from its build. */
const EXTENSION = extname(fileURLToPath(import.meta.url));

/** The programs of the stand-ins, and the files that they begin with. */
const ENTRIES = {
  kubeadm: 'kubeadm/commands/main',
  kubelet: 'kubelet/main',
  crictl: 'crictl/main',
  'kube-apiserver': 'api-server/main',
  'kube-controller-manager': 'controllers/main',
  'kube-scheduler': 'scheduler/main',
} as const;

export type Program = keyof typeof ENTRIES;

/** Each program as one self-contained CommonJS file for Node 20: nothing is installed beside it in a VM. */
export async function bundlePrograms(): Promise<Record<Program, string>> {
  const built = await build({
    entryPoints: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(HERE, `${file}${EXTENSION}`)])),
    outdir: '/',
    outExtension: { '.js': '.cjs' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    // Sources see the sources of the packages they import, a build their builds.
    conditions: EXTENSION === '.ts' ? ['@windlass/source'] : [],
    logLevel: 'silent',
  });
  const texts = new Map(built.outputFiles.map((file) => [file.path, file.text]));
  return Object.fromEntries(Object.keys(ENTRIES).map((name) => [name, texts.get(`/${name}.cjs`) ?? ''])) as Record<
    Program,
    string
  >;
}
