/** What can be asked of an instance: by the names that its `_links` have (SOL003 5.5.2.2). */
export const ACTIONS = {
  instantiate: { label: 'Instantiate', says: 'Makes the VMs, networks and volumes of the VNF, and configures them.' },
  scale: { label: 'Scale', says: 'Adds VMs of an aspect, or takes some away.' },
  scaleToLevel: { label: 'Scale to level', says: 'Brings aspects to a level.' },
  heal: { label: 'Heal', says: 'Replaces VMs; without a choice of VMs the whole VNF is deleted and made anew.' },
  operate: { label: 'Start or stop', says: 'Starts or stops the VMs.' },
  changeExtConn: { label: 'Change connectivity', says: 'Connects the VNF to other external networks.' },
  terminate: { label: 'Terminate', says: 'Removes the VMs, networks and volumes of the VNF. What is on them is lost.' },
} as const;

export type ActionName = keyof typeof ACTIONS;

/** In the order in which they are offered. */
export const ACTION_NAMES = Object.keys(ACTIONS) as ActionName[];

/** What of an instance the first body of a request is made from. */
export interface Known {
  aspects: readonly string[];
}

/** A request to begin with, which the user changes. Nothing is sent before its plan was shown. */
export function firstBody(name: ActionName, { aspects }: Known): object {
  const aspectId = aspects[0] ?? '';
  switch (name) {
    case 'instantiate':
      return { flavourId: 'default', extVirtualLinks: [] };
    case 'scale':
      return { type: 'SCALE_OUT', aspectId, numberOfSteps: 1 };
    case 'scaleToLevel':
      return { scaleInfo: aspects.map((aspect) => ({ aspectId: aspect, scaleLevel: 1 })) };
    case 'heal':
      return { vnfcInstanceId: [], cause: '' };
    case 'operate':
      return { changeStateTo: 'STOPPED', stopType: 'FORCEFUL' };
    case 'changeExtConn':
      return { extVirtualLinks: [] };
    case 'terminate':
      return { terminationType: 'FORCEFUL' };
  }
}

/** The body as it is typed. @returns the object, or what is wrong with the text */
export function bodyIn(text: string): { body: object } | { wrong: string } {
  try {
    const body = JSON.parse(text) as unknown;
    return typeof body === 'object' && body !== null && !Array.isArray(body)
      ? { body }
      : { wrong: 'The request is an object: { … }' };
  } catch (error) {
    return { wrong: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
