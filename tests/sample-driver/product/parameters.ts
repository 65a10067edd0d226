import { RequestCheck, schema } from '@windlass/driver-kit';
import type { JsonObject } from '@windlass/foundation';
import type { ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';

/** Where the driver's parameters lie in `additionalParams`. */
export const PARAM = 'notice';

/** What the schema below says, secrets masked. */
interface NoticeParams {
  text: string;
  ssh_cp_name: string;
  username: string;
}

export const parameters = schema.parametersOf(
  'mgmt-drivers-notice',
  PARAM,
  schema.objectOf(
    'What whoever logs in reads',
    {
      text: schema.text('The notice', `^[^${schema.CONTROL}]{1,1000}$`),
      ssh_cp_name: schema.named('CP whose address is logged in to'),
      ...schema.login,
    },
    ['text', 'ssh_cp_name', 'username', 'password'],
  ),
);

export const noticeParams = (additionalParams: JsonObject): NoticeParams => additionalParams[PARAM] as unknown as NoticeParams;

/** What the schema can't know: whether there is such a CP. */
export function checkNotice(request: ValidateRequest): ValidateReply {
  const check = new RequestCheck(request, PARAM);
  const { ssh_cp_name: cp, username } = noticeParams(request.requestParams);
  check.cpVdu('/ssh_cp_name', cp);
  check.user('/username', username);
  return check.reply();
}
