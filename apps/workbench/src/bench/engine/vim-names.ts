import axios from 'axios';
import type { BenchVim } from '../bench-vim.js';

interface Image {
  id: string;
  tags: string[];
}

/** The images that were uploaded for each of the instances, found by the tag that names the instance. */
export async function imagesOf(
  vim: Pick<BenchVim, 'url' | 'tenant'>,
  instanceIds: readonly string[],
): Promise<{ id: string; text: string }[]> {
  const http = axios.create({ baseURL: new URL(vim.url).origin, proxy: false });
  const { data } = await http.get<{ images: Image[] }>('/image/v2/images?limit=1000', {
    headers: { 'X-Auth-Token': await tokenOf(vim) },
  });
  return data.images.flatMap(({ id, tags }) => {
    const owner = instanceIds.find((instanceId) => tags.some((tag) => tag.includes(instanceId)));
    return owner === undefined ? [] : [{ id: owner, text: id }];
  });
}

async function tokenOf({ url, tenant: { user, project, password } }: Pick<BenchVim, 'url' | 'tenant'>): Promise<string> {
  const domain = { name: 'Default' };
  const answer = await axios.post(
    `${url}/auth/tokens`,
    {
      auth: {
        identity: { methods: ['password'], password: { user: { name: user, domain, password } } },
        scope: { project: { name: project, domain } },
      },
    },
    { proxy: false },
  );
  return String(answer.headers['x-subject-token']);
}
