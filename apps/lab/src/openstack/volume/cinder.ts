import { naiveMicros, uuid } from '../state/ids.js';
import type { CloudState, Image, Volume } from '../state/state.js';
import { computeError } from '../http/nova-errors.js';

export interface VolumeRequest {
  name?: string | null;
  description?: string | null;
  size: number;
  image?: Pick<Image, 'id' | 'name' | 'size' | 'minDisk'>;
  metadata?: Record<string, string>;
  zone?: string;
}

const DELETABLE = ['available', 'error'];

/** Volumes: records; their bytes are the machine fleet's. */
export class Cinder {
  constructor(private readonly state: CloudState) {}

  of = (projectId: string): Volume[] => [...this.state.volumes.values()].filter((volume) => volume.projectId === projectId);

  get(projectId: string, id: string): Volume {
    const volume = this.state.volumes.get(id);
    if (volume?.projectId !== projectId) throw computeError(404, `Volume ${id} could not be found.`);
    return volume;
  }

  /** A volume in `creating`; {@link Cinder.ready} makes it available. @throws HttpFailure 400 where it is smaller than its image. */
  create(projectId: string, userId: string, requested: VolumeRequest): Volume {
    requireRoom(requested);
    const volume: Volume = {
      id: uuid(),
      name: requested.name ?? null,
      description: requested.description ?? null,
      projectId,
      userId,
      size: requested.size,
      status: 'creating',
      zone: requested.zone ?? 'nova',
      imageId: requested.image?.id ?? null,
      imageName: requested.image?.name ?? null,
      metadata: requested.metadata ?? {},
      attachments: [],
      createdAt: naiveMicros(),
      updatedAt: null,
    };
    this.state.volumes.set(volume.id, volume);
    return volume;
  }

  ready(volume: Volume): void {
    if (volume.status === 'creating') this.become(volume, 'available');
  }

  /** Keeps the volume for a server that is about to take it. */
  reserve(volume: Volume): void {
    if (volume.status !== 'available') {
      throw computeError(
        400,
        `Invalid volume: Invalid input received: Invalid volume: Volume ${volume.id} status must be available or downloading to reserve, but the current status is ${volume.status}. (HTTP 400) (Request-ID: req-${uuid()})`,
      );
    }
    this.become(volume, 'reserved');
  }

  attach(volume: Volume, serverId: string, device: string): void {
    volume.attachments = [{ attachmentId: uuid(), serverId, device, attachedAt: naiveMicros(), host: null }];
    this.become(volume, 'in-use');
  }

  /** Takes the volume from that server; nothing happens where it is not attached to it. */
  detach(volumeId: string, serverId: string): void {
    const volume = this.state.volumes.get(volumeId);
    if (volume === undefined) return;
    const held = volume.attachments.length === 0 || volume.attachments.some((one) => one.serverId === serverId);
    if (!held) return;
    volume.attachments = [];
    if (volume.status === 'in-use' || volume.status === 'reserved') this.become(volume, 'available');
  }

  delete(projectId: string, id: string): void {
    const volume = this.get(projectId, id);
    if (!DELETABLE.includes(volume.status) || volume.attachments.length > 0) {
      throw computeError(
        400,
        'Invalid volume: Volume status must be available or error or error_restoring or error_extending or error_managing and must not be migrating, attached, belong to a group, have snapshots, awaiting a transfer, or be disassociated from snapshots after volume transfer.',
      );
    }
    this.state.volumes.delete(id);
  }

  private become(volume: Volume, status: Volume['status']): void {
    volume.status = status;
    volume.updatedAt = naiveMicros();
  }
}

/** As Cinder looks at an image before it makes a volume of it. */
function requireRoom({ size, image }: VolumeRequest): void {
  const imageSize = Math.ceil((image?.size ?? 0) / 2 ** 30);
  const wrong = (reason: string) => computeError(400, `Invalid input received: ${reason}`);
  if (imageSize > size) throw wrong(`Size of specified image ${imageSize}GB is larger than volume size ${size}GB.`);
  const minDisk = image?.minDisk ?? 0;
  if (minDisk > size) throw wrong(`Volume size ${size}GB cannot be smaller than the image minDisk size ${minDisk}GB.`);
}
