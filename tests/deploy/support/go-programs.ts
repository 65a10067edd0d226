import { execFile } from 'node:child_process';
import { access, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { minutes } from '@windlass/foundation';

const run = promisify(execFile);

/** Of each program the module with its version as the Go module proxy names them, and the program's folder in it. */
const PROGRAMS = {
  helm: { module: 'helm.sh/helm/v3@v3.19.5', folder: 'cmd/helm' },
  kubeconform: { module: 'github.com/yannh/kubeconform@v0.8.0', folder: 'cmd/kubeconform' },
  /** The one release that the proxy has: good for a lab that nobody else reaches. */
  'kube-router': { module: 'github.com/cloudnativelabs/kube-router/v2@v2.1.0', folder: 'cmd/kube-router' },
  /** prometheus-adapter. */
  adapter: { module: 'sigs.k8s.io/prometheus-adapter@v0.12.0', folder: 'cmd/adapter' },
} as const;

/**
 * The path of a program, which is built once into a folder, beside its other versions. Needs Go. The first build of helm took 5 minutes on two quiet cores.
 * It is built where its module was downloaded to, with the versions of the module's own go.mod: `go install` also asks the proxy which
 * versions there are, and a proxy may have this one and not say.
 */
export async function goProgram(folder: string, name: keyof typeof PROGRAMS): Promise<string> {
  const { module, folder: command } = PROGRAMS[name];
  const into = join(folder, module.split('@')[1] ?? '');
  const file = join(into, name);
  const there = await access(file).then(
    () => true,
    () => false,
  );
  if (there) return file;
  await mkdir(into, { recursive: true });
  const { Dir } = JSON.parse(await go(into, 'mod', 'download', '-json', module)) as { Dir: string };
  // Moved to its place when it is whole. The folder of a module is Go's, which nobody writes.
  await go(Dir, 'build', '-buildvcs=false', '-trimpath', '-ldflags=-s -w', '-o', `${file}.building`, `./${command}`);
  await rename(`${file}.building`, file);
  return file;
}

/** What Go prints. It ends when this process is killed. */
async function go(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('setpriv', ['--pdeathsig', 'KILL', '--', 'go', ...args], {
    cwd,
    // Without C, so that programs run in an image of anything.
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off' },
    timeout: minutes(60),
    maxBuffer: 16 * 1024 ** 2,
  });
  return stdout;
}
