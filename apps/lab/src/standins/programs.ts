import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The machine's Node, as every lab VM has it. */
export const LAB_NODE = '/opt/windlass-lab/bin/node';

/** Where the stand-ins' programs lie in a lab VM. */
export const LIBRARY = '/usr/lib/windlass-lab';

/** Programs that stand for control plane images, by the last part of the image's name. */
const CONTROL_PLANE = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** The command that stands for an image; undefined if there is none. The image's tag is the version that the program reports. */
export function programOf(image: string): readonly string[] | undefined {
  const name = /([^/:@]+)(:[^/]*)?$/.exec(image);
  const [program, tag] = [name?.[1] ?? '', (name?.[2] ?? '').slice(1)];
  if (program === 'etcd') return ['/usr/bin/etcd'];
  if (!CONTROL_PLANE.includes(program)) return undefined;
  return [LAB_NODE, `${LIBRARY}/${program}.cjs`, `--windlass-lab-version=${tag}`];
}

/** The version of a packaged program, such as `v1.34.1`: its package writes it beside the program, which is the one that runs. */
export const standinVersion = (program: string): string =>
  readFileSync(join(dirname(process.argv[1] ?? LIBRARY), `${program}.version`), 'utf8').trim();
