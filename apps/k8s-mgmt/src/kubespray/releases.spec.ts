import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { NodeInput } from '../cluster/node-input.js';
import { hostVariables, logins, proxyVariables } from './inventory.js';
import { groupVariables } from './prepare-inventory.action.js';
import { NAMES, PLACES } from './releases.js';
import { CONFIRMED, UNGRACEFUL } from './remove-workers.action.js';
import { ANSIBLE_CORES } from './testing/ansible-core.js';
import { readByAnsible } from './testing/read-by-ansible.js';
import { vnfc } from '../testing/requests.js';

const GUIDE = readFileSync(fileURLToPath(new URL('../../../../docs/guides/kubernetes-kubespray.md', import.meta.url)), 'utf8');

/** Rows of the guide's table with these columns first, as their cells. */
function rows(head: string): string[][] {
  const [, ...lines] = GUIDE.slice(GUIDE.indexOf(`| ${head} |`))
    .split('\n\n')[0]!
    .split('\n');
  return lines.slice(1).map((line) => line.split('|').map((cell) => cell.trim()).slice(1, -1)); // prettier-ignore
}

const named = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
const all = (cells: readonly string[][], at: number): string[] => [...new Set(cells.flatMap((row) => named(row[at])))].sort();

describe('what the guide says of kubespray’s releases', () => {
  const releases = rows('kubespray | groups');

  it('is what is looked for there: names of groups, the newest first, and places of playbooks', () => {
    const etcd = 'etcd';
    expect(all(releases, 1)).toEqual([etcd, ...Object.values(NAMES).flat()].sort());
    const unread = ['remove_node.yml'];
    expect([...all(releases, 2), ...unread].sort()).toEqual(Object.values(PLACES).flat().sort());
    const newest = releases.findLast((row) => named(row[1]).includes('k8s_cluster'));
    expect(Object.values(NAMES).map(([first]) => named(newest?.[1]).includes(first))).toEqual([true, true, true, true]);
    expect(all(releases, 3)).toEqual(Object.keys(CONFIRMED).sort());
  });

  it('names each release from 2.12 to 2.31, or says that it was not read', () => {
    const text = [...releases.map(([release]) => release), /^Not read at all: .*$/m.exec(GUIDE)?.[0]].join('\n');
    const covered = [...text.matchAll(/2\.(\d+)(?:\.\d+)?(?: to 2\.(\d+))?/g)].flatMap(([, from, to = from]) =>
      Array.from({ length: Number(to) - Number(from) + 1 }, (_, n) => Number(from) + n),
    );
    const before = 16;
    for (let release = before; release <= 31; release += 1) expect(covered, `2.${release}`).toContain(release);
    expect(releases[0]?.[0]).toBe(`before 2.${before}`);
  });

  it('names the Ansibles that were run', () => {
    const said = /^Run, .*?from PyPI (.*?), each/m.exec(GUIDE)?.[1] ?? '';
    const pinned = ANSIBLE_CORES.map((core) => {
      const file = fileURLToPath(new URL(`./testing/ansible-core/${core}.txt`, import.meta.url));
      return /^ansible-core==(\S+)/m.exec(readFileSync(file, 'utf8'))?.[1];
    });
    expect([...said.matchAll(/[\d.]+\d/g)].map(([version]) => version)).toEqual(pinned);
  });
});

describe('what is set', () => {
  const node: NodeInput = {
    name: 'master-10-10-0-24',
    role: 'master',
    address: '10.10.0.24',
    vnfc: vnfc('master', 1, '10.10.0.24'),
    sshCp: 'masterNode_CP1',
    username: 'ubuntu',
    password: 'p',
  };

  it('is what the guide says, with its type', () => {
    const keyed: NodeInput = { ...node, private_key: 'k' };
    const login = (of: NodeInput) => {
      const read = readByAnsible(logins([of], (name) => `/job/${name}`).inventory.reveal()) as Logins;
      return read.all.hosts[node.name];
    };
    const proxy = { http_proxy: 'http://p:1', https_proxy: 'http://p:1', no_proxy: 'a' };
    const groups = { podCidr: '10.0.0.0/16', serviceCidr: '10.1.0.0/16', addresses: ['192.0.2.1'] };
    const set = {
      ...hostVariables(node, [node]),
      ...login(node),
      ...login(keyed),
      ...(readByAnsible(groupVariables(groups, 1500, 'id')) as object),
      ...(readByAnsible(proxyVariables(proxy)?.reveal() ?? '') as object),
      ...{ node: node.name, ...CONFIRMED, ...UNGRACEFUL },
    };
    const typed = Object.entries(set).map(([name, value]) => `${name}: ${typeOf(value)}`);
    const said = rows('variable | type').flatMap(([names, type]) => named(names).map((name) => `${name}: ${type}`));
    expect(typed.sort()).toEqual(said.sort());
  });
});

interface Logins {
  all: { hosts: Record<string, object> };
}

/** As the guide says it. */
function typeOf(value: unknown): string {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return 'list of texts';
  return { string: 'text', number: 'number', boolean: 'true or false' }[typeof value as string] ?? typeof value;
}
