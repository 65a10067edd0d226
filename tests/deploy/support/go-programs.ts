import { execFile } from 'node:child_process';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { minutes } from '@windlass/foundation';

const run = promisify(execFile);

/** The programs as the Go module proxy names them. */
const PROGRAMS = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.19.5',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
  /** The one release that the proxy has: good for a lab that nobody else reaches. */
  'kube-router': 'github.com/cloudnativelabs/kube-router/v2/cmd/kube-router@v2.1.0',
  /** prometheus-adapter. */
  adapter: 'sigs.k8s.io/prometheus-adapter/cmd/adapter@v0.12.0',
} as const;

/** The path of a program, which is built once into a folder, beside its other versions. Needs Go. The first build of helm took 5 minutes on two quiet cores. */
export async function goProgram(folder: string, name: keyof typeof PROGRAMS): Promise<string> {
  const module = PROGRAMS[name];
  const into = join(folder, module.split('@')[1] ?? '');
  const file = join(into, name);
  const there = await access(file).then(
    () => true,
    () => false,
  );
  if (there) return file;
  await mkdir(into, { recursive: true });
  // Go links elsewhere first, and moves the program to its place. The build must end when this process is killed.
  await run('setpriv', ['--pdeathsig', 'KILL', '--', 'go', 'install', '-buildvcs=false', '-trimpath', '-ldflags=-s -w', module], {
    // Without C, so that it runs in an image of anything.
    env: { ...process.env, CGO_ENABLED: '0', GOBIN: into },
    timeout: minutes(60),
    maxBuffer: 16 * 1024 ** 2,
  });
  return file;
}
