import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, DEBIAN, type Recipe } from './base-images.js';
import { goProgram } from './go-programs.js';

/** What a cluster has beside us, as images. Their names are those in the manifests of tests/kubernetes/support, and no registry's. */
const IMAGES = {
  /** Enforces NetworkPolicies, by iptables and ipset. */
  'policy-engine': { packages: ['ipset', 'iptables'], program: 'kube-router' },
  /** Scrapes metrics. */
  prometheus: { packages: ['prometheus'] },
  /** Shows what Prometheus knows to the API server, and so to HorizontalPodAutoscalers. */
  'metrics-adapter': { packages: [], program: 'adapter' },
} as const;

export type ClusterImage = keyof typeof IMAGES;

/** By the name that a manifest has for it. */
export const nameOf = (image: ClusterImage): string => `windlass.test/${image}:1`;

/** How an image is made: Debian's packages, and a program that Go builds, which is what it runs then. */
export async function clusterImage(image: ClusterImage, programs: string): Promise<Recipe> {
  const what: { packages: readonly string[]; program?: 'kube-router' | 'adapter' } = IMAGES[image];
  const program = what.program === undefined ? undefined : await goProgram(programs, what.program);
  const packages = what.packages.join(' ');
  const install = `RUN apt-get update -qq && apt-get install -qqy --no-install-recommends ${packages} >/dev/null && rm -rf /var/lib/apt/lists/* /var/cache/apt/*\n`;
  const own = `COPY program /usr/local/bin/${what.program ?? ''}\nENTRYPOINT ["/usr/local/bin/${what.program ?? ''}"]\n`;
  const text = `FROM ${DEBIAN}\n${packages === '' ? '' : install}${program === undefined ? '' : own}`;
  return {
    image: nameOf(image),
    of: `${text} ${program ?? ''}`,
    make: async (store, folder) => {
      if (program !== undefined) await copyFile(program, join(folder, 'program'));
      await writeFile(join(folder, 'Containerfile'), text);
      await build(store, nameOf(image), folder);
    },
  };
}
