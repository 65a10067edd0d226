import { isOutboundRule } from '@windlass/outbound';
import { asList } from './readers.js';

/** A reader of lists of rules for connections, with or without names of hosts among them; the empty text is the empty list. */
export const asOutboundRules =
  (hosts: Parameters<typeof isOutboundRule>[1]) =>
  (text: string): string[] | undefined => {
    const entries = text === '' ? [] : asList(text);
    return entries?.every((entry) => isOutboundRule(entry, hosts)) === true ? entries : undefined;
  };
