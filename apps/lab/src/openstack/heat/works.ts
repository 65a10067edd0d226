import { pythonStr } from '../http/python-json.js';
import type { Json, JsonObject } from '@windlass/foundation';
import type { Stack, StackInput, StackResource } from '../state/state.js';
import { typeNamed } from './registry.js';
import type { Cloud, ResourceType, Work } from './resources/resource-type.js';
import { StackModel, type Live } from './stack-model.js';

/** Makes {@link Work} of resources, and evaluates references, attributes and outputs of stacks as they are. */
export class Works {
  readonly #models = new WeakMap<StackInput, StackModel>();

  constructor(readonly cloud: Cloud) {}

  model(stack: Stack): StackModel {
    const known = this.#models.get(stack.input);
    if (known !== undefined) return known;
    const model = new StackModel(stack.input, stack, { strict: false });
    this.#models.set(stack.input, model);
    return model;
  }

  typeOf = (stack: Stack, resource: StackResource): ResourceType => typeNamed(resource.type, stack.input);

  of(stack: Stack, resource: StackResource, properties: JsonObject = resource.properties): Work {
    const nested = (): Stack | undefined => this.cloud.state.stacks.get(resource.physicalId ?? '');
    return {
      cloud: this.cloud,
      stack,
      resource,
      properties,
      physicalName: (limit) => reduced(`${stack.name}-${resource.name}-${resource.short}`, limit),
      nested,
      nestedAttribute: (member, path) => {
        const inner = nested();
        return inner === undefined ? null : this.attribute(inner, member, path);
      },
      nestedReference: (member) => {
        const inner = nested();
        return inner === undefined ? null : this.reference(inner, member);
      },
      nestedOutput: (name) => {
        const inner = nested();
        return inner === undefined ? undefined : this.output(inner, name);
      },
    };
  }

  /** What functions see of a stack as it is now. */
  live = (stack: Stack): Live => ({
    reference: (name) => {
      const resource = stack.resources.find((one) => one.name === name);
      return resource === undefined ? null : this.reference(stack, resource);
    },
    attribute: (name, path) => {
      const resource = stack.resources.find((one) => one.name === name);
      return resource === undefined ? null : this.attribute(stack, resource, path);
    },
  });

  reference(stack: Stack, resource: StackResource): Json {
    const type = this.typeOf(stack, resource);
    return type.reference?.(this.of(stack, resource)) ?? resource.physicalId ?? resource.name;
  }

  attribute(stack: Stack, resource: StackResource, path: Json[]): Json {
    const [name, ...rest] = path;
    if (resource.physicalId === null) return null;
    const type = this.typeOf(stack, resource);
    const work = this.of(stack, resource);
    if (name === undefined) return type.show?.(work) ?? {};
    return type.attribute?.(work, pythonStr(name), rest) ?? null;
  }

  /** An output's value, or undefined where the stack has no such output. @throws what its evaluation throws. */
  output(stack: Stack, name: string): Json | undefined {
    const model = this.model(stack);
    const output = model.template.outputs.get(name);
    return output === undefined ? undefined : model.evaluate(output.value, this.live(stack));
  }

  show = (stack: Stack, resource: StackResource): Json => {
    const type = this.typeOf(stack, resource);
    if (resource.physicalId === null && type.name !== 'OS::Nova::Server') return {};
    return type.show?.(this.of(stack, resource)) ?? {};
  };
}

/** Heat's way to shorten a name: its first two characters, a hyphen, and its end. */
function reduced(name: string, limit: number | undefined): string {
  if (limit === undefined || name.length <= limit) return name;
  return `${name.slice(0, 2)}-${name.slice(-(limit - 3))}`;
}
