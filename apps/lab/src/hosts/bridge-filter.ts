import { access, readFile } from 'node:fs/promises';

const SETTINGS = '/proc/sys/net/bridge';

/** True where Docker would part the VMs: it sets the FORWARD policy to DROP, and this machine applies that to what passes a bridge. */
export async function isPartedByDocker(): Promise<boolean> {
  if (!(await exists('/sys/class/net/docker0')) || !(await exists(SETTINGS))) return false;
  return (await readFile(`${SETTINGS}/bridge-nf-call-iptables`, 'utf8')).trim() === '1';
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
