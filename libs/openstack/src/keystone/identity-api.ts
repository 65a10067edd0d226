import type { Secret } from '@windlass/foundation';
import type { AnswerReader } from '../http/answer-reader.js';
import type { OpenStackSession } from '../session/openstack-session.js';

export interface Project {
  id: string;
  name: string;
  domainId: string | undefined;
}

/** Who a token speaks for. */
export interface TokenOwner {
  userId: string;
  userName: string;
  projectId: string | undefined;
  projectName: string | undefined;
  roles: string[];
  expiresAt: Date;
}

/** The few calls of Keystone that Windlass makes besides authentication. */
export class IdentityApi {
  constructor(private readonly session: OpenStackSession) {}

  /** Ids of the regions, sorted. */
  async regions(): Promise<string[]> {
    const answer = await this.session.request('identity', { method: 'GET', path: '/regions', expect: [200] });
    return answer
      .body()
      .objects('regions')
      .map((region) => region.text('id'))
      .sort();
  }

  /** The projects that this session's user may use. */
  async projects(): Promise<Project[]> {
    const answer = await this.session.request('identity', { method: 'GET', path: '/auth/projects', expect: [200] });
    return answer
      .body()
      .objects('projects')
      .map((project) => ({ id: project.text('id'), name: project.text('name'), domainId: project.textIfAny('domain_id') }));
  }

  /** Who a token given to us speaks for; undefined when Keystone does not know it (any more). */
  async validate(token: Secret): Promise<TokenOwner | undefined> {
    const answer = await this.session.request('identity', {
      method: 'GET',
      path: '/auth/tokens',
      headers: { 'X-Subject-Token': token.reveal() },
      expect: [200, 404],
    });
    return answer.status === 404 ? undefined : ownerOf(answer.body().object('token'));
  }
}

function ownerOf(token: AnswerReader): TokenOwner {
  const user = token.object('user');
  const project = token.objectIfAny('project');
  return {
    userId: user.text('id'),
    userName: user.text('name'),
    projectId: project?.text('id'),
    projectName: project?.text('name'),
    roles: token.objects('roles').map((role) => role.text('name')),
    expiresAt: new Date(token.text('expires_at')),
  };
}
