import { isJsonObject, RequestError, TerminalError, type JsonObject } from '@windlass/foundation';
import { text, type ApiClient } from '@windlass/windlass';
import type { RunningLab } from './lab.js';

/** What makes an OpenStack a VIM. */
export type LabAccess = Pick<RunningLab, 'keystoneUrl' | 'user' | 'project' | 'password'>;

/**
 * Makes the lab the default VIM. A lab that was registered under this name before may have moved: its registration is replaced, unless something uses
 * it. One that has its address again is the VIM that it was.
 * @throws LabMoved where VNF instances, or what is still to be removed, want the address that it had
 */
export async function registerLab(api: ApiClient, lab: LabAccess): Promise<string> {
  const { vims } = await api.get<{ vims: JsonObject[] }>('/v1.0/vims?name=lab');
  for (const { id, auth_url: url } of vims) {
    if (url === lab.keystoneUrl) return text(id);
    await api.delete(`/v1.0/vims/${text(id)}`).catch((error: unknown) => {
      // The API refuses it for what uses the VIM alone.
      if (error instanceof RequestError) throw new LabMoved(text(url), lab.keystoneUrl, error);
      throw error;
    });
  }
  const { vim } = await api.post<{ vim: { id: string } }>('/v1.0/vims', {
    vim: {
      name: 'lab',
      description: 'the lab on this machine',
      type: 'openstack',
      auth_url: lab.keystoneUrl,
      is_default: true,
      vim_project: { name: lab.project, project_domain_name: 'Default' },
      auth_cred: { username: lab.user, password: lab.password, user_domain_name: 'Default', cert_verify: 'True' },
    },
  });
  return vim.id;
}

/** The lab has another address than the one that is in use. */
export class LabMoved extends TerminalError {
  /** Where the lab was. */
  readonly port: number;

  constructor(before: string, now: string, cause: Error) {
    const { port } = new URL(before);
    super(
      'lab.moved',
      `VIM lab is in use (${cause.message}) at ${before}, and the lab listens at ${now}. Start again with the same command: the lab takes the port ${port} then. If this is said again, another process has that port ("ss -ltnp sport = :${port}" names it): end it, or start with another folder (--data)`,
      { cause },
    );
    this.port = Number(port);
  }
}

/** Lists leave VIMs out unless they are asked for. */
const INSTANCES = '/vnflcm/v1/vnf_instances?filter=(eq,instantiationState,INSTANTIATED)&fields=vimConnectionInfo';

/** VNF instances whose machines were a lab's. */
export async function instancesOn(api: Pick<ApiClient, 'pages'>, vimId: string): Promise<string[]> {
  const all = await api.pages(INSTANCES);
  const uses = ({ vimConnectionInfo: vims }: JsonObject): boolean =>
    Array.isArray(vims) && vims.some((vim) => isJsonObject(vim) && vim.vimId === vimId);
  return all.filter(uses).map(({ id }) => text(id));
}
