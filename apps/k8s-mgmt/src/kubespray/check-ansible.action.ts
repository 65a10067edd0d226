import { LOOK } from '@windlass/driver-kit';
import { seconds, TerminalError, TransientError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import type { AnsibleContext } from './ansible-context.js';
import type { GroupNames, Kubespray, PlaybookKind, AnsibleStepInput } from './ansible-input.js';
import { NAMES, PLACES } from './releases.js';
import { LOOK_AT_SERVER } from './server-scripts.js';

export interface CheckAnsibleInput extends AnsibleStepInput {
  playbooks: PlaybookKind[];
  /** Whether nodes are logged in to by password. */
  sshpass: boolean;
}

/** Looks whether the Ansible server answers and has all that the operation needs, and which kubespray it is. Changes nothing. */
export const checkAnsible = implementAction(declared<CheckAnsibleInput, Kubespray>('check-ansible'), {
  apply: async (context: AnsibleContext<CheckAnsibleInput>): Promise<Kubespray> => {
    const { rootPath, playbooks } = context.input;
    const places = playbooks.map((kind) => `${kind} ${PLACES[kind].join(' ')}`);
    const { status, stdout, stderr } = await context.host.run(cmd`/bin/bash -s ${rootPath} ${places}`, {
      within: LOOK,
      input: LOOK_AT_SERVER,
      expect: 'any',
    });
    if (status !== 0)
      throw new TransientError(
        'kubespray.not-looked-at',
        `${context.serverName} could not be looked at: ${stderr.trim().slice(-300)}`,
      );
    const seen = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' '));
    const lacks = lacking(context.input, seen);
    if (lacks.length > 0)
      throw new TerminalError(
        'kubespray.not-ready',
        `${context.serverName} is not ready: ${lacks.join('; ')}. Then retry the operation`,
      );
    const kubespray = readKubespray(seen);
    context.progress(`kubespray ${kubespray.release}`);
    return kubespray;
  },
  retry: { attempts: 5, backoff: seconds(3), growth: 2 },
});

type Seen = readonly (readonly string[])[];

/** What is missing, each with what to do. */
function lacking({ rootPath, playbooks, sshpass }: CheckAnsibleInput, seen: Seen): string[] {
  const has = (...words: string[]): boolean => seen.some((line) => words.every((word, at) => line[at] === word));
  const programs = [
    ...['ansible-playbook', 'ansible'].filter((program) => !has('program', program)),
    ...(sshpass && !has('program', 'sshpass') ? ['sshpass'] : []),
  ];
  const told = programs.map((program) =>
    program === 'sshpass'
      ? 'it has no sshpass, which Ansible needs to log in to nodes by password: install the package sshpass, or give the nodes a private_key'
      : `it has no ${program} that the user who logs in finds: install Ansible as this kubespray wants it (requirements.txt), in ${rootPath}/venv, in kubespray-venv beside that folder, or for everyone`,
  );
  if (has('noroot')) return [...told, `there is no folder ${rootPath}: correct kubespray_root_path, or unpack kubespray there`];
  const missing = playbooks.filter((kind) => !has('playbook', kind)).map((kind) => PLACES[kind][0]);
  return [
    ...told,
    ...missing.map(
      (playbook) => `kubespray's ${playbook} is not in ${rootPath}: correct kubespray_root_path, or unpack kubespray there`,
    ),
  ];
}

function readKubespray(seen: Seen): Kubespray {
  const groups = seen.flatMap(([key, name]) => (key === 'group' ? [name] : []));
  const nameOf = (group: keyof GroupNames): string => NAMES[group].find((name) => groups.includes(name)) ?? NAMES[group][0];
  return {
    release: seen.find(([key]) => key === 'release')?.[1] ?? 'unknown',
    groups: {
      masters: nameOf('masters'),
      workers: nameOf('workers'),
      cluster: nameOf('cluster'),
      routeReflectors: nameOf('routeReflectors'),
    },
    playbooks: Object.fromEntries(seen.flatMap(([key, kind = '', path = '']) => (key === 'playbook' ? [[kind, path]] : []))),
  };
}
