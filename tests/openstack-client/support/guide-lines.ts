import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const PAGE = 'docs/guides/kubernetes-scale-and-heal.md';
const SECTION = '## By the `openstack` command line\n';

/** What each line of the guide's section is for. */
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
 * The command lines that the guide of scaling and healing a cluster has for the `openstack` command line, as they stand there, by what they are for.
 * @throws Error where a line is none of these, or one of these is not there: whoever changes the guide changes what types it
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
