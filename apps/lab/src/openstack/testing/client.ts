import { isJsonObject, millis, seconds, waitUntil, type Json, type JsonObject } from '@windlass/foundation';
import type { OpenStackEmulator } from '../emulator.js';
import type { TenantSeed } from '../options.js';

export interface Reply {
  status: number;
  headers: Headers;
  body: Json;
}

/** A bare HTTP client of the emulator, which shows statuses, headers and bodies. */
export class TestClient {
  private constructor(
    readonly token: string,
    readonly endpoints: Record<string, string>,
    readonly projectId: string,
  ) {}

  static async login(emulator: OpenStackEmulator, tenant: TenantSeed = emulator.tenant): Promise<TestClient> {
    const reply = await send('POST', `${emulator.url}/auth/tokens`, passwordRequest(tenant));
    const token = at(reply.body, 'token');
    const catalog = at(token, 'catalog');
    const endpoints = (Array.isArray(catalog) ? catalog : []).map((service): [string, string] => {
      const faces = at(service, 'endpoints');
      const face = (Array.isArray(faces) ? faces : []).find((one) => at(one, 'interface') === 'public');
      return [text(at(service, 'type')), text(at(face ?? null, 'url'))];
    });
    return new TestClient(
      reply.headers.get('x-subject-token') ?? '',
      Object.fromEntries(endpoints),
      text(at(at(token, 'project'), 'id')),
    );
  }

  send(method: string, url: string, body?: Json, headers: Record<string, string> = {}): Promise<Reply> {
    return send(method, url, body, { 'X-Auth-Token': this.token, ...headers });
  }

  heat = (method: string, path: string, body?: Json): Promise<Reply> =>
    this.send(method, `${this.endpoints.orchestration}${path}`, body);
  nova = (method: string, path: string, body?: Json, headers?: Record<string, string>): Promise<Reply> =>
    this.send(method, `${this.endpoints.compute}${path}`, body, headers);
  neutron = (method: string, path: string, body?: Json): Promise<Reply> =>
    this.send(method, `${this.endpoints.network}/v2.0${path}`, body);
  glance = (method: string, path: string, body?: Json, headers?: Record<string, string>): Promise<Reply> =>
    this.send(method, `${this.endpoints.image}/v2${path}`, body, headers);
  cinder = (method: string, path: string, body?: Json): Promise<Reply> =>
    this.send(method, `${this.endpoints.volumev3}${path}`, body);

  /** Reads a stack by name, through the redirect to the stack's id. */
  async stack(name: string): Promise<JsonObject | undefined> {
    const found = await this.heat('GET', `/stacks/${name}`);
    if (found.status === 404) return undefined;
    const shown = await this.send('GET', found.headers.get('location') ?? '');
    const stack = at(shown.body, 'stack');
    return isJsonObject(stack) ? stack : undefined;
  }

  /** Waits until a stack is no longer in progress. */
  async settled(name: string): Promise<JsonObject> {
    return waitUntil(
      async (seen) => {
        const stack = await this.stack(name);
        seen(text(stack?.stack_status));
        return stack !== undefined && !text(stack.stack_status).endsWith('IN_PROGRESS') ? stack : undefined;
      },
      { for: `stack ${name} to come to rest`, within: seconds(20), every: millis(5) },
    );
  }

  /** Waits until a stack has a status. */
  async reached(name: string, status: string): Promise<JsonObject> {
    return waitUntil(
      async (seen) => {
        const stack = await this.stack(name);
        seen(text(stack?.stack_status));
        return stack?.stack_status === status ? stack : undefined;
      },
      { for: `stack ${name} to be ${status}`, within: seconds(20), every: millis(5) },
    );
  }

  /** Waits until a group of the stack has so many members, none in progress. */
  async settledGroup(stack: JsonObject, group: string, size: number): Promise<JsonObject[]> {
    return waitUntil(
      async (seen) => {
        const members = (await this.resources(stack)).filter((one) => one.parent_resource === group);
        seen(members.map((one) => text(one.resource_status)).join(', '));
        const rest = members.every((one) => !text(one.resource_status).endsWith('IN_PROGRESS'));
        return members.length === size && rest ? members : undefined;
      },
      { for: `${size} members of ${group}`, within: seconds(20), every: millis(5) },
    );
  }

  /** Uploads the content of an image. */
  async upload(
    imageId: string,
    content: string,
    headers: Record<string, string> = { 'Content-Type': 'application/octet-stream' },
  ): Promise<Reply> {
    const response = await fetch(`${this.endpoints.image}/v2/images/${imageId}/file`, {
      method: 'PUT',
      headers: { 'X-Auth-Token': this.token, ...headers },
      body: content,
    });
    return { status: response.status, headers: response.headers, body: read(await response.text()) };
  }

  link = (view: JsonObject, rel: string): string => linkOf(view, rel);

  /** Waits until no stack has that name. */
  async gone(name: string): Promise<void> {
    await waitUntil(
      async (seen) => {
        const stack = await this.stack(name);
        seen(text(stack?.stack_status));
        return stack === undefined ? true : undefined;
      },
      { for: `stack ${name} to be gone`, within: seconds(20), every: millis(5) },
    );
  }

  /** Deletes the stack and waits until it is gone. */
  async remove(stack: JsonObject): Promise<void> {
    await this.heat('DELETE', pathOf(stack));
    await this.gone(text(stack.stack_name));
  }

  /** Creates a stack, and waits until it is no longer in progress. */
  async create(name: string, template: string, more: JsonObject = {}): Promise<JsonObject> {
    const reply = await this.heat('POST', '/stacks', { stack_name: name, template, ...more });
    if (reply.status !== 201) throw new Error(`POST stacks: ${reply.status} ${JSON.stringify(reply.body)}`);
    return this.settled(name);
  }

  async update(stack: JsonObject, body: JsonObject): Promise<JsonObject> {
    const reply = await this.heat('PATCH', pathOf(stack), body);
    if (reply.status !== 202) throw new Error(`PATCH: ${reply.status} ${JSON.stringify(reply.body)}`);
    return this.settled(text(stack.stack_name));
  }

  /** The resources of a stack and its nested stacks. */
  async resources(stack: JsonObject, depth = 2): Promise<JsonObject[]> {
    const reply = await this.heat('GET', `${pathOf(stack)}/resources?nested_depth=${depth}`);
    const list = at(reply.body, 'resources');
    return Array.isArray(list) ? list.filter(isJsonObject) : [];
  }

  /** Marks a listed resource unhealthy. */
  mark = (resource: JsonObject): Promise<Reply> =>
    this.send('PATCH', linkOf(resource, 'self'), { mark_unhealthy: true, resource_status_reason: 'heal' });
}

export const pathOf = (stack: JsonObject): string => `/stacks/${text(stack.stack_name)}/${text(stack.id)}`;

export function linkOf(view: JsonObject, rel: string): string {
  const links = view.links;
  const found = (Array.isArray(links) ? links : []).find((one) => at(one, 'rel') === rel);
  return text(at(found ?? null, 'href'));
}

export const passwordRequest = (tenant: TenantSeed): JsonObject => ({
  auth: {
    identity: {
      methods: ['password'],
      password: { user: { name: tenant.user, password: tenant.password, domain: { name: 'Default' } } },
    },
    scope: { project: { name: tenant.project, domain: { name: 'Default' } } },
  },
});

export async function send(method: string, url: string, body?: Json, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: read(await response.text()) };
}

function read(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

export const at = (value: Json, name: string): Json => (isJsonObject(value) ? (value[name] ?? null) : null);

/** A value as text; empty where it is no text. */
export const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
