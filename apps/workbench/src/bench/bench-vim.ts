import { OpenStackEmulator, type ServedRequest } from '@windlass/lab';

/** What stands in for an OpenStack in a bench. */
export interface BenchVim {
  /** As the report names it. */
  name: string;
  /** The Keystone v3 URL. */
  url: string;
  tenant: { user: string; project: string; password: string };
  /** Of its own process; absent where it runs in the bench's. */
  pid?: number;
  /** What it was asked since this was last called, oldest first. */
  taken(): Promise<ServedRequest[]>;
  stop(): Promise<void>;
}

/** The lab's emulator, in this process. */
export function emulatorAsVim(emulator: OpenStackEmulator): BenchVim {
  return {
    name: 'emulator',
    url: emulator.url,
    tenant: emulator.tenant,
    taken: () => Promise.resolve(emulator.requests.splice(0)),
    stop: () => emulator.stop(),
  };
}
