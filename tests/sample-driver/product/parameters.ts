import { paramsAs, RequestCheck, schema, type Login } from '@windlass/driver-kit';
import type { ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';

/** `additionalParams`, as the schema below says. */
export interface NoticeParams {
  notice: Login & { text: string; ssh_cp_name: string };
}

export const parameters = schema.parametersOf(
  'mgmt-drivers-notice',
  'notice',
  schema.machineOf(
    'What whoever logs in reads',
    {
      text: schema.text('The notice', `^[^${schema.CONTROL}]{1,1000}$`),
      ssh_cp_name: schema.named('CP whose address is logged in to'),
    },
    ['text', 'ssh_cp_name'],
  ),
);

/** What the schema can't know: whether there is such a CP. */
export function checkNotice(request: ValidateRequest): ValidateReply {
  const check = new RequestCheck(request, 'notice');
  const { ssh_cp_name: cp, username } = paramsAs<NoticeParams>(request.requestParams).notice;
  check.cpVdu('/ssh_cp_name', cp);
  check.user('/username', username);
  return check.reply();
}
