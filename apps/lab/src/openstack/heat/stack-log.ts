import { isoSeconds, uuid } from '../state/ids.js';
import type { ResourceAction, ResourceStatus, Stack, StackResource } from '../state/state.js';

/** Events of one stack that are kept; older ones go, as with Heat's max_events_per_stack. */
const MAX_EVENTS = 1000;

/** Changes states of stacks and resources, and writes them into the stack's events. */
export class StackLog {
  constructor(private readonly changed: () => void) {}

  stack(stack: Stack, action: ResourceAction, status: ResourceStatus, reason: string): void {
    stack.action = action;
    stack.status = status;
    stack.reason = reason;
    this.add(stack, stack.name, stack.id, 'OS::Heat::Stack', `${action}_${status}`, reason);
  }

  resource(
    stack: Stack,
    resource: StackResource,
    action: ResourceAction,
    status: ResourceStatus,
    reason = 'state changed',
  ): void {
    resource.action = action;
    resource.status = status;
    resource.reason = reason;
    if (action !== 'CHECK') resource.updatedAt = status === 'IN_PROGRESS' ? isoSeconds() : resource.updatedAt;
    const id = resource.physicalId ?? `${stack.name}-${resource.name}-${resource.short}`;
    this.add(stack, resource.name, id, resource.type, `${action}_${status}`, reason);
  }

  private add(stack: Stack, resourceName: string, physicalId: string, type: string, status: string, reason: string): void {
    stack.events.push({ id: uuid(), time: isoSeconds(), resourceName, physicalId, type, status, reason });
    if (stack.events.length > MAX_EVENTS) stack.events.splice(0, stack.events.length - MAX_EVENTS);
    this.changed();
  }
}
