/** What controllers need of the configuration. */
export class LcmApiSettings {
  constructor(
    /** Its admins see what belongs to no project. */
    readonly operatorProject: string,
  ) {}
}
