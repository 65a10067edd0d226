/** What controllers need of the configuration. */
export class LcmApiSettings {
  constructor(
    /** The project whose admins see what belongs to no project. */
    readonly operatorProject: string,
  ) {}
}
