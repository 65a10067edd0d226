/** What new enrolment tokens carry. */
export class EnrolmentSettings {
  /** The coordinators' public key: a token is sealed to it on its way. */
  constructor(readonly coordinatorKey: string) {}
}
