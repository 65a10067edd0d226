import type { JsonObject } from '@windlass/foundation';
import type { OpenStackEmulator } from '@windlass/lab';

/** Where Keystone is, and a user of a project there: what an emulator tells of itself. */
export type OpenStackAccess = Pick<OpenStackEmulator, 'url' | 'tenant'>;

/** The member `vim` of the body that registers an OpenStack at `/v1.0/vims`. @param more members beside these, or in their place */
export const openStackVim = (name: string, { url, tenant }: OpenStackAccess, more: JsonObject = {}): JsonObject => ({
  name,
  type: 'openstack',
  auth_url: url,
  vim_project: { name: tenant.project, project_domain_name: 'Default' },
  auth_cred: { username: tenant.user, password: tenant.password, user_domain_name: 'Default', cert_verify: 'True' },
  ...more,
});
