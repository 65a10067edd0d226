import { InvariantError, TerminalError, type Json, type JsonObject } from '@windlass/foundation';
import { urlPath, type Query } from '../http/url-path.js';
import type { OpenStackSession, ServiceAnswer } from '../session/openstack-session.js';
import { readEvent, readResource, readStack, readSummary, stackRefOfUrl } from './heat-answers.js';
import {
  stackPath,
  type Stack,
  type StackChange,
  type StackEvent,
  type StackRef,
  type StackResource,
  type StackResourceDetail,
  type StackSpec,
  type StackSummary,
} from './heat-types.js';
import type { StackLooks } from './stack-looks.js';

/** Enough for a group, its members and one template nested in them; Heat cuts it to its own maximum (5 by default). */
const NESTED_DEPTH = 4;
/** Stacks a page when listing. */
const PAGE = 200;
/** Ids of stacks in one request: 6,000 bytes of URL; Heat's server, Apache and nginx take some 8,000. */
export const MOST_IDS = 150;

/**
 * Heat's stacks. A method that names a stack which is not there throws TerminalError `heat.stack-not-found`, except where
 * it returns undefined for that. All throw what OpenStackSession.request throws.
 */
export class HeatApi {
  /** @param watch where given, stacks that are waited for are looked at by it, many at once */
  constructor(
    private readonly session: OpenStackSession,
    readonly watch?: StackLooks,
  ) {}

  /** Types of resources that templates of this user may have. */
  async resourceTypes(): Promise<string[]> {
    const answer = await this.session.request('orchestration', { method: 'GET', path: '/resource_types', expect: [200] });
    return answer.body().texts('resource_types');
  }

  /**
   * Asks for a stack; it is there when this returns, and made after it.
   * @throws TerminalError `heat.stack-exists` (look at the one there is), `heat.template-invalid`
   */
  async createStack(spec: StackSpec): Promise<StackRef> {
    const answer = await this.#ask({ method: 'POST', path: '/stacks', json: bodyOf(spec), expect: [201] });
    return { name: spec.name, id: answer.body().object('stack').text('id') };
  }

  /** The stack of that name, or undefined. One that is just being forgotten (DELETE_COMPLETE) still has its name: look at `status`. */
  async findStack(name: string): Promise<Stack | undefined> {
    const answer = await this.#ask({ method: 'GET', path: urlPath`/stacks/${name}`, expect: [200, 302, 404] });
    if (answer.status === 404) return undefined;
    if (answer.status === 200) return readStack(answer.body().object('stack'));
    // Heat names the stack in Location. Only name and id are taken from it: no token goes where an answer points.
    const ref = stackRefOfUrl(answer.headers.location ?? '');
    if (ref === undefined)
      throw new TerminalError('openstack.unexpected-answer', `Heat's redirect for stack ${name} names no stack`);
    return this.getStack(ref);
  }

  /**
   * That very stack, or undefined. Heat goes on showing deleted stacks by their id, with status DELETE_COMPLETE.
   * `outputs: false` spares Heat the work of computing them.
   */
  async getStack(ref: StackRef, options: { outputs?: boolean } = {}): Promise<Stack | undefined> {
    const query = options.outputs === false ? { resolve_outputs: false } : {};
    const answer = await this.#ask({ method: 'GET', path: at(ref), query, expect: [200, 404] });
    return answer.status === 404 ? undefined : readStack(answer.body().object('stack'));
  }

  /** Living stacks, not nested ones: those that have all of the tags, or of that name. */
  async listStacks(filter: { tags?: readonly string[]; name?: string } = {}): Promise<StackSummary[]> {
    const found: StackSummary[] = [];
    for (let marker: string | undefined; ;) {
      const tags = filter.tags === undefined || filter.tags.length === 0 ? undefined : tagText(filter.tags);
      const query = { tags, name: filter.name, limit: PAGE, marker };
      const answer = await this.#ask({ method: 'GET', path: '/stacks', query, expect: [200] });
      const page = answer.body().objects('stacks').map(readSummary);
      found.push(...page);
      marker = page.at(-1)?.id;
      if (page.length < PAGE || marker === undefined) return found;
    }
  }

  /**
   * Those of the stacks of these ids that Heat lists, deleted ones too: by one request, which shows no stack but these. One that is nested, has
   * one of Heat's hidden tags or was purged is not listed. At most {@link MOST_IDS}.
   */
  async stacksById(ids: readonly string[]): Promise<StackSummary[]> {
    if (ids.length > MOST_IDS) throw new InvariantError(`${ids.length} ids in one listing of stacks, ${MOST_IDS} at most`);
    // The limit is for a Heat, or what stands before it, that does not know the filter: no project is listed as a whole.
    const query = { show_deleted: true, limit: ids.length, id: ids };
    const answer = await this.#ask({ method: 'GET', path: '/stacks', query, expect: [200] });
    return answer.body().objects('stacks').map(readSummary);
  }

  /** The resources of a stack and of the stacks nested in it, down to `nestedDepth` levels below it. */
  async listResources(ref: StackRef, options: { nestedDepth?: number } = {}): Promise<StackResource[]> {
    const query = { nested_depth: options.nestedDepth ?? NESTED_DEPTH };
    const answer = await this.#ofStack(ref, { method: 'GET', path: `${at(ref)}/resources`, query, expect: [200, 404] });
    return answer.body().objects('resources').map(readResource);
  }

  /** One resource of that stack (not of a nested one) with its attributes, or undefined. */
  async getResource(ref: StackRef, name: string): Promise<StackResourceDetail | undefined> {
    const path = `${at(ref)}${urlPath`/resources/${name}`}`;
    const answer = await this.#ask({ method: 'GET', path, expect: [200, 404] });
    if (answer.status === 404) return undefined;
    const resource = answer.body().object('resource');
    return { ...readResource(resource), attributes: resource.objectIfAny('attributes')?.value ?? {} };
  }

  /** Changes what is given and keeps the rest. Heat's answer comes when the update has begun. */
  async updateStack(ref: StackRef, change: StackChange): Promise<void> {
    const json = { ...bodyOf(change), existing: true };
    await this.#ofStack(ref, { method: 'PATCH', path: at(ref), json, expect: [202, 404] });
  }

  /** Replaces template, files, parameters and tags as a whole. */
  async replaceStack(ref: StackRef, spec: Omit<StackSpec, 'name'>): Promise<void> {
    await this.#ofStack(ref, { method: 'PUT', path: at(ref), json: bodyOf(spec), expect: [202, 404] });
  }

  /**
   * Makes the next update replace this resource: it becomes CHECK_FAILED. `ref` is the stack that it is in,
   * which for a member of a group is not the top one.
   */
  async markUnhealthy(ref: StackRef, resource: string, reason: string): Promise<void> {
    await this.#mark(ref, resource, { mark_unhealthy: true, resource_status_reason: reason });
  }

  /** Takes the mark back: a CHECK_FAILED resource becomes CHECK_COMPLETE, any other stays as it is. */
  async markHealthy(ref: StackRef, resource: string, reason: string): Promise<void> {
    await this.#mark(ref, resource, { mark_unhealthy: false, resource_status_reason: reason });
  }

  async #mark(ref: StackRef, resource: string, json: JsonObject): Promise<void> {
    const path = `${at(ref)}${urlPath`/resources/${resource}`}`;
    await this.#ofStack(ref, { method: 'PATCH', path, json, expect: [200, 404] }, `resource ${resource} of stack`);
  }

  /**
   * Ends a creation or an update where it is: what it has not begun is not done, the stack becomes CREATE_FAILED or UPDATE_FAILED. Heat
   * answers before it has done so. False when neither is in progress.
   */
  async cancelUpdate(ref: StackRef): Promise<boolean> {
    const path = `${at(ref)}/actions`;
    const json = { cancel_without_rollback: null };
    const answer = await this.#ofStack(ref, { method: 'POST', path, json, expect: [200, 202, 400, 404] });
    return answer.status !== 400;
  }

  /** Asks for the deletion; false when there is no such stack any more. */
  async deleteStack(ref: StackRef): Promise<boolean> {
    const answer = await this.#ask({ method: 'DELETE', path: at(ref), expect: [204, 404] });
    return answer.status === 204;
  }

  /** What happened, newest first. */
  async events(ref: StackRef, options: { limit?: number; nestedDepth?: number } = {}): Promise<StackEvent[]> {
    const query = { sort_dir: 'desc', limit: options.limit, nested_depth: options.nestedDepth };
    const answer = await this.#ofStack(ref, { method: 'GET', path: `${at(ref)}/events`, query, expect: [200, 404] });
    return answer.body().objects('events').map(readEvent);
  }

  /** The template as Heat keeps it. */
  async template(ref: StackRef): Promise<JsonObject> {
    const answer = await this.#ofStack(ref, { method: 'GET', path: `${at(ref)}/template`, expect: [200, 404] });
    return answer.body().value;
  }

  /** The nested templates by name. */
  async files(ref: StackRef): Promise<Record<string, string>> {
    const answer = await this.#ofStack(ref, { method: 'GET', path: `${at(ref)}/files`, expect: [200, 404] });
    const files = answer.body().value;
    return Object.fromEntries(Object.entries(files).map(([name, content]) => [name, asText(content)]));
  }

  async #ofStack(ref: StackRef, request: HeatRequest, what = 'stack'): Promise<ServiceAnswer> {
    const answer = await this.#ask(request);
    if (answer.status !== 404) return answer;
    throw new TerminalError('heat.stack-not-found', `Heat has no ${what} ${stackPath(ref)} (any more)`);
  }

  #ask(request: HeatRequest): Promise<ServiceAnswer> {
    return this.session.request('orchestration', request);
  }
}

interface HeatRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Query;
  json?: Json;
  expect: readonly number[];
}

const at = (ref: StackRef): string => urlPath`/stacks/${ref.name}/${ref.id}`;

/** Files come as a map of name to text; Heat may have parsed a JSON one. */
const asText = (content: Json): string => (typeof content === 'string' ? content : JSON.stringify(content));

function tagText(tags: readonly string[]): string {
  const bad = tags.find((tag) => tag === '' || tag.length > 80 || tag.includes(','));
  if (bad === undefined) return tags.join(',');
  throw new TerminalError('heat.bad-tag', `"${bad}" can't be a tag of a stack: 1 to 80 characters, without a comma`);
}

function bodyOf(spec: Partial<StackSpec> & Pick<StackChange, 'clearParameters'>): JsonObject {
  const { name, template, files, environment, parameters, clearParameters, timeoutMinutes, tags } = spec;
  const body: Record<string, Json | undefined> = {
    stack_name: name,
    template,
    files,
    environment,
    parameters,
    clear_parameters: clearParameters === undefined ? undefined : [...clearParameters],
    timeout_mins: timeoutMinutes,
    tags: tags === undefined ? undefined : tagText(tags),
  };
  const given = Object.entries(body).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  // Rolling back is ours to do; Heat must leave what failed where we can look at it.
  return { ...Object.fromEntries(given), disable_rollback: true };
}
