import type { JsonObject } from '@windlass/foundation';
import { text, type ApiClient } from '@windlass/windlass';
import type { RunningLab } from './lab.js';

/** What makes an OpenStack a VIM. */
export type LabAccess = Pick<RunningLab, 'keystoneUrl' | 'user' | 'project' | 'password'>;

/** Makes the lab the default VIM. A lab that was registered under this name before may have moved: its registration is replaced. */
export async function registerLab(api: ApiClient, lab: LabAccess): Promise<string> {
  const { vims } = await api.get<{ vims: JsonObject[] }>('/v1.0/vims?name=lab');
  for (const { id, auth_url: url } of vims) {
    if (url === lab.keystoneUrl) return text(id);
    await api.delete(`/v1.0/vims/${text(id)}`);
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
