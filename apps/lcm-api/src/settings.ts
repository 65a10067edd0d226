/** What controllers need of the configuration. */
export class LcmApiSettings {
  constructor(
    /** The root that links begin with, where it is not what clients reach: behind a proxy. */
    readonly endpoint: string | undefined,
    /** Its admins see what belongs to no project. */
    readonly operatorProject: string,
  ) {}
}
