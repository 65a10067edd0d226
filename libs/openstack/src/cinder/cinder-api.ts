import type { AnswerReader } from '../http/answer-reader.js';
import { urlPath } from '../http/url-path.js';
import type { OpenStackSession } from '../session/openstack-session.js';

export interface VolumeAttachment {
  serverId: string;
  /** `/dev/vdb`: as Nova named it; the guest may name it otherwise. */
  device: string | undefined;
}

export interface Volume {
  id: string;
  name: string;
  sizeGiB: number;
  /** `available`, `in-use`, `deleting`, `error`, ... */
  status: string;
  attachments: VolumeAttachment[];
  bootable: boolean;
}

/** The part of Cinder in use. Throws what OpenStackSession.request throws. */
export class CinderApi {
  constructor(private readonly session: OpenStackSession) {}

  /** The project's volumes, all or those of that name. */
  async listVolumes(filter: { name?: string } = {}): Promise<Volume[]> {
    const found: Volume[] = [];
    for (let marker: string | undefined; ;) {
      const query = { name: filter.name, limit: PAGE, marker };
      const answer = await this.session.request('volume', { method: 'GET', path: '/volumes/detail', query, expect: [200] });
      const page = answer.body().objects('volumes').map(readVolume);
      found.push(...page);
      marker = page.at(-1)?.id;
      if (page.length < PAGE || marker === undefined) return found;
    }
  }

  /** Limits of the project and what is used of them, by Cinder's own names: `maxTotalVolumes`, `totalVolumesUsed`; below 0: none. */
  async limits(): Promise<Record<string, number>> {
    const answer = await this.session.request('volume', { method: 'GET', path: '/limits', expect: [200] });
    const { value } = answer.body().object('limits').object('absolute');
    return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
  }

  /** Undefined when there is no such volume. */
  async getVolume(id: string): Promise<Volume | undefined> {
    const answer = await this.session.request('volume', { method: 'GET', path: urlPath`/volumes/${id}`, expect: [200, 404] });
    return answer.status === 404 ? undefined : readVolume(answer.body().object('volume'));
  }

  /** Asks for the deletion; false when there is no such volume any more. An attached one is refused by Cinder. */
  async deleteVolume(id: string): Promise<boolean> {
    const answer = await this.session.request('volume', { method: 'DELETE', path: urlPath`/volumes/${id}`, expect: [202, 404] });
    return answer.status === 202;
  }
}

/** Volumes a page; Cinder cuts at 1000 by default. */
const PAGE = 500;

function readVolume(volume: AnswerReader): Volume {
  return {
    id: volume.text('id'),
    name: volume.textIfAny('name') ?? '',
    sizeGiB: volume.number('size'),
    status: volume.text('status'),
    attachments: volume.objects('attachments').map((attachment) => ({
      serverId: attachment.text('server_id'),
      device: attachment.textIfAny('device'),
    })),
    // Cinder writes this one as text.
    bootable: volume.value.bootable === 'true' || volume.flag('bootable'),
  };
}
