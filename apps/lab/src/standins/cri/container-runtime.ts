import { isJsonObject, minutes, seconds, type JsonObject } from '@windlass/foundation';
import { at } from '../kube/object.js';
import { GrpcChannel } from './grpc.js';
import { boolField, bytesField, isTrue, messagesOf, readFields, stringsOf } from './protobuf.js';

/** The socket that kubeadm and the kubelet take when nothing else is said and containerd is there. */
export const CONTAINERD_SOCKET = 'unix:///var/run/containerd/containerd.sock';

export interface RuntimeCondition {
  type: string;
  status: boolean;
  reason: string;
  message: string;
}

export interface RuntimeStatus {
  conditions: RuntimeCondition[];
  /** containerd's own CRI settings, if it tells them. */
  config: JsonObject | undefined;
}

/**
 * The real container runtime, asked through CRI v1 (`k8s.io/cri-api/pkg/apis/runtime/v1`) on its socket.
 * Every method rejects with a GrpcError.
 */
export class ContainerRuntime {
  readonly #channel: GrpcChannel;

  /** @throws Error when the endpoint is no `unix://` one */
  constructor(readonly endpoint: string) {
    const path = socketPath(endpoint);
    if (path === undefined) throw new Error(`invalid CRI endpoint "${endpoint}": a unix:// one is expected`);
    this.#channel = new GrpcChannel(path);
  }

  async version(): Promise<{ name: string; version: string }> {
    const answer = readFields(await this.#channel.call('/runtime.v1.RuntimeService/Version', bytesField(1, '0.1.0'), seconds(4)));
    return { name: stringsOf(answer, 2)[0] ?? '', version: stringsOf(answer, 3)[0] ?? '' };
  }

  async status(): Promise<RuntimeStatus> {
    const answer = readFields(await this.#channel.call('/runtime.v1.RuntimeService/Status', boolField(1, true), seconds(4)));
    const [status] = messagesOf(answer, 1);
    const conditions = status === undefined ? [] : messagesOf(readFields(status), 1).map(readCondition);
    const info = messagesOf(answer, 2)
      .map(readFields)
      .find((entry) => stringsOf(entry, 1)[0] === 'config');
    const config: unknown = info === undefined ? undefined : JSON.parse(stringsOf(info, 2)[0] ?? 'null');
    return { conditions, config: isJsonObject(config) ? config : undefined };
  }

  /** Really pulls an image into the runtime's store, with the credentials given. Returns its reference. */
  async pullImage(image: string, auth?: { username: string; password: string }): Promise<string> {
    const credentials =
      auth === undefined ? [] : [bytesField(2, Buffer.concat([bytesField(1, auth.username), bytesField(2, auth.password)]))];
    const message = Buffer.concat([bytesField(1, bytesField(1, image)), ...credentials]);
    const answer = readFields(await this.#channel.call('/runtime.v1.ImageService/PullImage', message, minutes(2)));
    return stringsOf(answer, 1)[0] ?? '';
  }

  /** Names of the images in the runtime's store. */
  async imageTags(): Promise<string[]> {
    const answer = readFields(await this.#channel.call('/runtime.v1.ImageService/ListImages', Buffer.alloc(0), seconds(4)));
    return messagesOf(answer, 1).flatMap((image) => stringsOf(readFields(image), 2));
  }

  close(): void {
    this.#channel.close();
  }
}

export function socketPath(endpoint: string): string | undefined {
  if (endpoint.startsWith('unix://')) return endpoint.slice('unix://'.length);
  // A bare path is taken too, with a warning in the real programs.
  return endpoint.startsWith('/') ? endpoint : undefined;
}

function readCondition(bytes: Buffer): RuntimeCondition {
  const fields = readFields(bytes);
  return {
    type: stringsOf(fields, 1)[0] ?? '',
    status: isTrue(fields, 2),
    reason: stringsOf(fields, 3)[0] ?? '',
    message: stringsOf(fields, 4)[0] ?? '',
  };
}

/** Which cgroup driver containerd's default runtime uses, by its own word; undefined if it does not tell. */
export function cgroupDriverOf({ config }: RuntimeStatus): 'systemd' | 'cgroupfs' | undefined {
  const name = at(config, 'containerd', 'defaultRuntimeName');
  const options = at(config, 'containerd', 'runtimes', typeof name === 'string' ? name : 'runc', 'options');
  if (options === undefined) return undefined;
  return at(options, 'SystemdCgroup') === true ? 'systemd' : 'cgroupfs';
}
