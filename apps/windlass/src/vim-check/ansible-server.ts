import { connect } from 'node:net';
import { seconds } from '@windlass/foundation';
import type { Finding } from '@windlass/openstack';

const PATIENCE = seconds(5);

/** Whether SSH answers on an Ansible server, as seen from here. What is on it is looked at by the first step of each operation. */
export async function ansibleFinding(address: string, port = 22): Promise<Finding> {
  const told = { check: 'ansible.server', subject: address };
  const said = await greeting(address, port);
  return said.startsWith('SSH-')
    ? {
        ...told,
        status: 'ok',
        says: `SSH answers here (${said.slice(0, 60)}); Ansible and kubespray on it are looked at when an operation begins`,
      }
    : {
        ...told,
        status: 'warning',
        says: `SSH does not answer here at ${address}:${port}: ${said}`,
        todo: `have the machine of k8s-mgmt reach ${address} at TCP ${port}, or correct ansible.ip_address; if only this machine can't, all is well`,
      };
}

/** What it says first, or why it says nothing. */
function greeting(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PATIENCE });
    const done = (text: string): void => {
      socket.destroy();
      resolve(text);
    };
    socket.once('data', (chunk) => done(chunk.toString('latin1').split('\n', 1).join('').trim()));
    socket.once('timeout', () => done(`no answer in ${PATIENCE / 1_000} s`));
    socket.once('error', (error) => done(error.message));
    socket.once('end', () => done('closed without a word'));
  });
}
