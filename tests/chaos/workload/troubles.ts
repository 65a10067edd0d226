import type { Fault, OpenStackEmulator } from '@windlass/lab';
import type { Random } from '../random.js';
import type { Trouble } from './walk.js';

const PATHS = { stacks: '/orchestration/.*/stacks', anything: '/(orchestration|compute|networking|image|volume)/' } as const;

/** Arms the VIM's part of a trouble. {@link calm} removes a trouble that did not strike by the operation's end. */
export function arm(emulator: OpenStackEmulator, { vim }: Trouble, stackName: string, random: Random): () => void {
  const faults = vim === undefined ? [] : faultsOf(vim, stackName, random);
  const ids = faults.map((fault) => emulator.faults.add(fault));
  return () => ids.forEach((id) => emulator.faults.remove(id));
}

function faultsOf(vim: NonNullable<Trouble['vim']>, stackName: string, random: Random): Fault[] {
  const resource = random.pick(['OS::Nova::Server', 'OS::Neutron::Port', 'OS::Cinder::Volume']);
  const reason = 'chaos: no valid host was found';
  switch (vim) {
    case 'failing-create':
      return [{ kind: 'fail-resource', resource, action: 'CREATE', stackName, reason, times: random.whole(1, 2) }];
    case 'failing-delete':
      return [{ kind: 'fail-resource', resource, action: 'DELETE', stackName, reason, times: random.whole(1, 5) }];
    case 'lost-answer':
      return [
        { kind: 'lost-answer', method: random.pick(['POST', 'PUT', 'DELETE']), path: PATHS.stacks, times: random.whole(1, 2) },
      ];
    case 'refusal':
      return [{ kind: 'status', status: random.pick([500, 503]), path: PATHS.anything, times: random.whole(1, 3) }];
    case 'expired-tokens':
      return [{ kind: 'expire-tokens' }];
  }
}
