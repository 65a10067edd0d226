/** What controllers need of the configuration. */
export class LcmApiSettings {
  /** The root that links begin with, where it is not what clients reach: behind a proxy. */
  constructor(readonly endpoint: string | undefined) {}
}
