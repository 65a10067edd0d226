import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const PAGE = 'docs/guides/kubernetes-scale-and-heal.md';
const SECTION = '## By the `openstack` command line\n';

/** The purposes of the lines in the guide's section, with how each begins. */
const KINDS = {
  show: /^openstack vnflcm show /,
  scaleOut: /^openstack vnflcm scale .*SCALE_OUT/,
  scaleIn: /^openstack vnflcm scale .*SCALE_IN/,
  healOne: /^openstack vnflcm heal .*--vnfc-instance/,
  healAll: /^openstack vnflcm heal (?!.*--vnfc-instance)/,
  terminate: /^openstack vnflcm terminate /,
  delete: /^openstack vnflcm delete /,
} as const;

export type GuideLines = Record<keyof typeof KINDS, string>;

/**
 * The `openstack` command lines of the guide to scaling and healing a cluster, unchanged, by their purposes.
 * @throws Error where a line has no known purpose, or a purpose has no line: a change of the guide needs a change of the test
 */
export async function guideLines(home: string): Promise<GuideLines> {
  const [, section = ''] = (await readFile(join(home, PAGE), 'utf8')).split(SECTION);
  const [, block = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(section.split('\n## ')[0] ?? '') ?? [];
  const lines = block.split('\n').filter((line) => line !== '');
  const stray = lines.filter((line) => !Object.values(KINDS).some((kind) => kind.test(line)));
  if (stray.length > 0) throw new Error(`${PAGE} has a line that no test types: ${stray.join('; ')}`);
  const entries = Object.entries(KINDS).map(([name, kind]) => {
    const [line, ...others] = lines.filter((each) => kind.test(each));
    if (line === undefined || others.length > 0) throw new Error(`${PAGE} has not one line that is ${name}: ${kind.source}`);
    return [name, line];
  });
  return Object.fromEntries(entries) as GuideLines;
}
