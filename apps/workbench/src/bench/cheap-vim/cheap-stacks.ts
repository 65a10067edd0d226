import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { jsonOf, notFound, ok, onlyKnown, pageOf, Refusal, unknown, type Answer, type Asked } from './answer.js';
import { CheapTemplates, PORT, SERVER, type Wanted } from './cheap-template.js';

interface Resource extends Wanted {
  id: string;
}

interface Stack {
  id: string;
  name: string;
  tags: string[];
  timeoutMinutes: number | null;
  createdAt: number;
  /** When its deletion was asked for. */
  deletedAt?: number;
  resources: Resource[];
}

/** A server or a port, and the stack that it is of. */
export interface Made {
  id: string;
  name: string;
  /** Of a server: its ports. Of a port: its server, if any. */
  others: readonly string[];
  /** Counted from 1 over all of its kind, for addresses. */
  number: number;
  createdAt: number;
}

/** Heat: stacks of servers and ports, complete once they are as old as asked for, and gone so long after their deletion. */
export class CheapStacks {
  readonly servers = new Map<string, Made>();
  readonly ports = new Map<string, Made>();
  /** Deleted ones too: Heat shows them by their id. */
  readonly #byId = new Map<string, Stack>();
  readonly #byName = new Map<string, Stack>();
  readonly #templates = new CheapTemplates();
  #count = 0;

  /** @param takes milliseconds that a stack takes to come, and to go */
  constructor(
    private readonly takes: number,
    /** `http://127.0.0.1:<port>/orchestration/v1/<project>` */
    private readonly root: () => string,
  ) {}

  answer(asked: Asked): Answer {
    const [version, , stacks, name, id, what] = asked.words;
    if (version !== 'v1' || stacks !== 'stacks') throw unknown(`Heat's ${asked.words.join('/')}`);
    if (name === undefined) return asked.method === 'POST' ? this.#create(jsonOf(asked)) : this.#list(asked);
    if (id === undefined) return this.#find(asked, name);
    const stack = this.#byId.get(id);
    if (stack?.name !== name) throw notFound(`stack ${name}/${id}`);
    switch (`${asked.method} ${what ?? ''}`) {
      case 'GET ':
        onlyKnown(asked, ['resolve_outputs']);
        return ok({ stack: this.#shown(stack) });
      case 'DELETE ':
        if (this.#state(stack) !== 'DELETE_COMPLETE') stack.deletedAt ??= Date.now();
        this.#state(stack);
        return { status: 204 };
      case 'GET resources':
        onlyKnown(asked, ['nested_depth']);
        return ok({
          resources: this.#state(stack) === 'DELETE_COMPLETE' ? [] : stack.resources.map((one) => this.#resource(stack, one)),
        });
      default:
        throw unknown(`${asked.method} of Heat's ${asked.words.slice(2).join('/')}`);
    }
  }

  #create(asked: JsonObject): Answer {
    const { stack_name: name, tags, timeout_mins: minutes } = asked;
    if (typeof name !== 'string') throw new Refusal(400, 'a stack needs its name');
    if (isJsonObject(asked.files) && Object.keys(asked.files).length > 0) throw unknown('templates with files');
    const before = this.#byName.get(name);
    if (before !== undefined && this.#state(before) !== 'DELETE_COMPLETE')
      throw new Refusal(409, `The Stack (${name}) already exists.`, 'StackExists');
    const wanted = this.#templates.wantedBy(asked.template);
    const stack: Stack = {
      id: randomUUID(),
      name,
      tags: typeof tags === 'string' ? tags.split(',') : [],
      timeoutMinutes: typeof minutes === 'number' ? minutes : null,
      createdAt: Date.now(),
      resources: wanted.map((one) => ({ ...one, id: randomUUID() })),
    };
    this.#make(stack);
    this.#byId.set(stack.id, stack);
    this.#byName.set(name, stack);
    return { status: 201, json: { stack: { id: stack.id, links: [{ href: this.#url(stack), rel: 'self' }] } } };
  }

  #make({ resources, createdAt }: Stack): void {
    const idOf = (name: string): string => resources.find((one) => one.name === name)?.id ?? '';
    for (const { id, name, type, ports } of resources) {
      this.#count += 1;
      const made = { id, name, number: this.#count, createdAt };
      if (type === SERVER) this.servers.set(id, { ...made, others: ports.map(idOf) });
      if (type === PORT) {
        const server = resources.find((one) => one.ports.includes(name));
        this.ports.set(id, { ...made, others: server === undefined ? [] : [server.id] });
      }
    }
  }

  #find(asked: Asked, name: string): Answer {
    if (asked.method !== 'GET') throw unknown(`${asked.method} of a stack by its name`);
    const stack = this.#byName.get(name);
    if (stack === undefined || this.#state(stack) === 'DELETE_COMPLETE') throw notFound(`stack ${name}`);
    return { status: 302, headers: { Location: this.#url(stack) } };
  }

  #list(asked: Asked): Answer {
    if (asked.method !== 'GET') throw unknown(`${asked.method} of Heat's stacks`);
    onlyKnown(asked, ['tags', 'name', 'id', 'show_deleted', 'limit', 'marker']);
    const showsDeleted = asked.query.get('show_deleted') === 'true';
    const tags = asked.query.get('tags')?.split(',') ?? [];
    const [names, ids] = [asked.query.getAll('name'), asked.query.getAll('id')];
    const among = ids.length > 0 ? ids.flatMap((id) => this.#byId.get(id) ?? []) : [...this.#byName.values()];
    const found = among.filter(
      (stack) =>
        (names.length === 0 || names.includes(stack.name)) &&
        tags.every((tag) => stack.tags.includes(tag)) &&
        (showsDeleted || this.#state(stack) !== 'DELETE_COMPLETE'),
    );
    return ok({ stacks: pageOf(found, asked).map((stack) => this.#shown(stack)) });
  }

  /** What Heat says of it now. What is gone takes its servers and its ports along. */
  #state(stack: Stack): string {
    if (stack.deletedAt === undefined)
      return Date.now() - stack.createdAt < this.takes ? 'CREATE_IN_PROGRESS' : 'CREATE_COMPLETE';
    if (Date.now() - stack.deletedAt < this.takes) return 'DELETE_IN_PROGRESS';
    for (const { id } of stack.resources) {
      this.servers.delete(id);
      this.ports.delete(id);
    }
    if (this.#byName.get(stack.name) === stack) this.#byName.delete(stack.name);
    return 'DELETE_COMPLETE';
  }

  #shown(stack: Stack): JsonObject {
    const status = this.#state(stack);
    return {
      id: stack.id,
      stack_name: stack.name,
      stack_status: status,
      stack_status_reason: '',
      creation_time: time(stack.createdAt),
      updated_time: null,
      deletion_time: status === 'DELETE_COMPLETE' ? time(stack.deletedAt ?? 0) : null,
      timeout_mins: stack.timeoutMinutes,
      tags: stack.tags,
      parameters: {},
      outputs: [],
      links: [{ href: this.#url(stack), rel: 'self' }],
    };
  }

  #resource(stack: Stack, { id, name, type }: Resource): JsonObject {
    return {
      resource_name: name,
      logical_resource_id: name,
      physical_resource_id: id,
      resource_type: type,
      resource_status: this.#state(stack),
      resource_status_reason: '',
      creation_time: time(stack.createdAt),
      updated_time: time(stack.createdAt),
      links: [
        { href: `${this.#url(stack)}/resources/${name}`, rel: 'self' },
        { href: this.#url(stack), rel: 'stack' },
      ],
      required_by: stack.resources.filter(({ ports }) => ports.includes(name)).map((one) => one.name),
    };
  }

  #url = ({ name, id }: Stack): string => `${this.root()}/stacks/${encodeURIComponent(name)}/${id}`;
}

/** `2026-11-20T23:47:55Z` */
export const time = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;
