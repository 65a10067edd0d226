import { isJsonObject, millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { atRest, createVnf, type System } from './system.js';

interface ShownVnfc {
  id: string;
  vduId: string;
  computeResource: { resourceId: string };
  metadata: Record<string, string>;
}

/** One instantiated VNF, as its REST API and its VIM show it. */
export interface VnfView {
  url: string;
  show(): Promise<JsonObject>;
  vnfcs(): Promise<ShownVnfc[]>;
  /** Ids of the VNFCs of a VDU. */
  ofVdu(vduId: string): Promise<string[]>;
  levels(): Promise<Record<string, number>>;
  /** The names of the VNF's servers in the VIM. */
  servers(): Promise<string[]>;
  serverIds(): Promise<string[]>;
  /** Terminates and deletes the VNF, and checks that the VIM holds what it held before the VNF. */
  remove(): Promise<void>;
}

/** Instantiates a VNF. @param within the limit for the instantiation */
export async function vnfView(system: System, vnfdId: string, request: JsonObject, within = seconds(30)): Promise<VnfView> {
  const { api, emulator } = system;
  const clean = JSON.stringify(emulator.inventory());
  const url = await createVnf(api, vnfdId);
  const made = await atRest(api, await api.post(`${url}/instantiate`, request), within);
  if (made.operationState !== 'COMPLETED') throw new Error(`not instantiated: ${JSON.stringify(made)}`);
  const show = async (): Promise<JsonObject> => (await api.get<JsonObject>(url)).data;
  const info = async (): Promise<JsonObject> => {
    const { instantiatedVnfInfo } = await show();
    return isJsonObject(instantiatedVnfInfo) ? instantiatedVnfInfo : {};
  };
  const vnfcs = async (): Promise<ShownVnfc[]> => (await info()).vnfcResourceInfo as unknown as ShownVnfc[];
  return {
    url,
    show,
    vnfcs,
    ofVdu: async (vduId) => (await vnfcs()).filter((vnfc) => vnfc.vduId === vduId).map(({ id }) => id),
    levels: async () =>
      Object.fromEntries(
        ((await info()).scaleStatus as unknown as { aspectId: string; scaleLevel: number }[]).map((each) => [
          each.aspectId,
          each.scaleLevel,
        ]),
      ),
    servers: () => Promise.resolve(emulator.inventory().flatMap((project) => project.servers.map(({ name }) => name))),
    serverIds: () => Promise.resolve(emulator.inventory().flatMap((project) => project.servers.map(({ id }) => id))),
    remove: async () => {
      const end = await atRest(api, await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
      if (end.operationState !== 'COMPLETED') throw new Error(`not terminated: ${JSON.stringify(end)}`);
      // A shared image goes by a clean-up that begins as the termination ends.
      await waitUntil(
        (seen) => {
          const left = JSON.stringify(emulator.inventory());
          seen(left);
          return Promise.resolve(left === clean || undefined);
        },
        { for: 'the VIM to hold what it held before', within: seconds(60), every: millis(50) },
      );
      const gone = await api.delete(url);
      if (gone.status !== 204) throw new Error(`not deleted: ${JSON.stringify(gone.data)}`);
    },
  };
}

/** Waits for the next second: Heat's times are whole seconds, so members of one second have no order of age. */
export const aNewSecond = async (): Promise<void> => {
  const second = Math.floor(Date.now() / 1_000);
  await waitUntil(() => Promise.resolve(Math.floor(Date.now() / 1_000) > second || undefined), {
    for: 'the next second',
    within: seconds(20),
    every: millis(50),
  });
};
