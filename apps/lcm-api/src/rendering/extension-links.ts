import type { StepCount } from '@windlass/saga';
import type { Link, VnfLcmOpOcc } from '@windlass/sol003';

/** Where what SOL003 does not have is found. No API of SOL003 begins with it (SOL013 4.1: `{apiRoot}/{apiName}/{apiMajorVersion}`, names `vnf...`). */
export const EXTENSIONS = '/windlass/v1';

/** Links to what Windlass tells beyond SOL003; clients that don't know them pass them by. */
export interface ExtensionLinks {
  windlassSteps: Link;
  windlassEvents: Link;
}

/** An operation occurrence with what Windlass adds. Every addition begins with `windlass`, but for `warnings`. */
export type ExtendedOpOcc = VnfLcmOpOcc & { warnings?: string[]; windlassSteps?: StepCount };

/** @param root scheme, host and port */
export const withExtensionLinks = (opOcc: VnfLcmOpOcc, root: string): VnfLcmOpOcc => {
  if (opOcc._links === undefined) return opOcc;
  const operation = `${root}${EXTENSIONS}/operations/${opOcc.id}`;
  const links: ExtensionLinks = {
    windlassSteps: { href: `${operation}/steps` },
    windlassEvents: { href: `${operation}/events` },
  };
  return { ...opOcc, _links: { ...opOcc._links, ...links } };
};
