import { maskSecrets, SecretPlaces } from '@windlass/foundation';
import { expect, it } from 'vitest';
import type { OpOccRecord, VnfInstanceRecord } from '../records/records.js';
import { quotableSecrets } from '../operation/hidden-params.js';

const login = (password: string) => ({ ansible: { username: 'zebra', password, kubespray_root_path: '/srv/quagga-kit' } });

/** An error of an operation, as it is kept. */
function kept(detail: string, password: string): string {
  const opOcc = { request: { additionalParams: login(password) } } as unknown as OpOccRecord;
  const instance = {
    vnfInstanceName: 'okapi-farm',
    vimConnectionInfo: [{ accessInfo: { username: 'admin', password: 'admin' } }],
    desired: { additionalParams: { master_node: { username: 'ubuntu', password: 'ubuntu' } } },
  } as unknown as VnfInstanceRecord;
  return maskSecrets(detail, quotableSecrets(opOcc, instance, SecretPlaces.none));
}

const ERROR =
  'the Ansible server is not ready: it has no ansible-playbook for zebra, look in /home/ubuntu/kubespray and /srv/quagga-kit of okapi-farm (admin)';

it.each(['ubuntu', 'kubespray', 'ansible', 'playbook', 'zebra', 'quagga', 'okapi-farm', 'okapi', 'server', 'home'])(
  'an error reads the same whether or not the password is %s',
  (password) => expect(kept(ERROR, password)).toBe(ERROR),
);

it('an error that quotes a password is kept without it, also where it is the user’s name in another place', () => {
  expect(kept('PASSWORD=ubuntu; sshpass said: wapiti9 is wrong', 'wapiti9')).toBe('PASSWORD=***; sshpass said: *** is wrong');
});
