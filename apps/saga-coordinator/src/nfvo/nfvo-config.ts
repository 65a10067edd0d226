import { hours, seconds, type Duration, type Secret } from '@windlass/foundation';
import { HttpProxy, type OutboundAuth, type TlsFiles } from '@windlass/outbound';
import {
  asDuration,
  asProxyUrl,
  asPublicUrl,
  asSecret,
  ConfigError,
  CoreServiceConfig,
  required,
  tlsFileProblems,
  Variable,
  type TlsFileNames,
} from '@windlass/service-kit';
import { Min } from 'class-validator';

/** What the coordinator can be told of an NFVO that grants operations. */
export class NfvoConfig extends CoreServiceConfig {
  @Variable({
    name: 'NFVO_URL',
    meaning:
      'where the NFVO is that grants are asked of, before its /grant/v1; without it every grant is local. What it names may be on loopback',
    expected: 'an http or https URL without credentials, query and fragment, such as https://nfvo.example',
    optional: true,
    read: asPublicUrl,
  })
  readonly nfvoUrl: string | undefined = required();

  @Variable({
    name: 'WINDLASS_PUBLIC_URL',
    meaning:
      'where the NFVO finds this VNFM’s API: links in what it is asked begin with it. As given to lcm-api; needed with NFVO_URL',
    expected: 'an http or https URL without credentials, query and fragment, such as https://vnfm.example',
    optional: true,
    read: asPublicUrl,
  })
  readonly publicUrl: string | undefined = required();

  @Variable({
    name: 'NFVO_USER',
    meaning: 'who this VNFM is to the NFVO: the user of BASIC authentication, or the OAuth2 client where NFVO_TOKEN_URL is given',
    expected: 'a name; NFVO_PASSWORD with it',
    optional: true,
  })
  readonly nfvoUser: string | undefined = required();

  @Variable({
    name: 'NFVO_PASSWORD',
    meaning: 'the password of NFVO_USER',
    expected: 'a password',
    optional: true,
    secret: true,
    read: asSecret,
  })
  readonly nfvoPassword: Secret | undefined = required();

  @Variable({
    name: 'NFVO_TOKEN_URL',
    meaning: 'the OAuth2 token endpoint where NFVO_USER gets its tokens by client credentials; without it BASIC is spoken',
    expected: 'an http or https URL',
    optional: true,
    read: asPublicUrl,
  })
  readonly nfvoTokenUrl: string | undefined = required();

  @Variable({
    name: 'NFVO_CA_FILE',
    meaning: 'authorities that are trusted for the NFVO beside the system’s; read again when it changes',
    expected: 'the path of a PEM file',
    optional: true,
  })
  readonly nfvoCaFile: string | undefined = required();

  @Variable({
    name: 'NFVO_CERT_FILE',
    meaning: 'the certificate that is shown to the NFVO (mutual TLS); read again when it changes',
    expected: 'the path of a PEM file; NFVO_KEY_FILE with it',
    optional: true,
  })
  readonly nfvoCertFile: string | undefined = required();

  @Variable({
    name: 'NFVO_KEY_FILE',
    meaning: 'the key of NFVO_CERT_FILE',
    expected: 'the path of a PEM file without a passphrase, mode 0600',
    optional: true,
  })
  readonly nfvoKeyFile: string | undefined = required();

  @Variable({
    name: 'NFVO_PROXY',
    meaning:
      'the HTTP proxy by which the NFVO and NFVO_TOKEN_URL are reached: by CONNECT for https. http_proxy and its like are not looked at',
    expected: 'a URL such as http://user:password@proxy.example.com:3128, whose password is shown nowhere',
    read: asProxyUrl,
    secret: true,
    optional: true,
  })
  readonly nfvoProxy: Secret | undefined = required();

  @Variable({
    name: 'NFVO_GRANT_WITHIN',
    meaning:
      'how long an operation waits in STARTING for an NFVO that is away or has not decided; then it is rolled back, with nothing made',
    expected: 'a length of time such as 1h, at least 1s',
    read: asDuration,
  })
  @Min(seconds(1))
  readonly nfvoGrantWithin: Duration = hours(1);

  @Variable({
    name: 'NFVO_ASK_AGAIN_EVERY',
    meaning: 'how often it is looked whether the NFVO has decided; a Retry-After of its own goes before',
    expected: 'a length of time such as 5s, at least 100ms',
    read: asDuration,
  })
  @Min(seconds(0.1))
  readonly nfvoAskAgainEvery: Duration = seconds(5);
}

/** How an NFVO is reached, and how long it is waited for. */
export interface NfvoSettings {
  /** Before its `/grant/v1`, without a slash at its end. */
  url: string;
  /** Where the NFVO finds this VNFM. */
  publicUrl: string;
  auth?: OutboundAuth;
  tls?: TlsFiles;
  proxy?: HttpProxy;
  /** For one exchange; ten seconds by default. */
  answerWithin?: Duration;
  grantWithin: Duration;
  askAgainEvery: Duration;
}

/**
 * The NFVO as configured; undefined where there is none.
 * @throws ConfigError a line for each variable that does not go with the others, or names a file that can't be used
 */
export function nfvoOf(config: NfvoConfig): NfvoSettings | undefined {
  const { nfvoUrl: url, publicUrl, nfvoProxy: proxy } = config;
  if (url === undefined) return undefined;
  const problems: string[] = [];
  if (publicUrl === undefined)
    problems.push('NFVO_URL is given without WINDLASS_PUBLIC_URL; expected where the NFVO finds this VNFM, as lcm-api is told');
  const auth = authOf(config, problems);
  const tls = tlsOf(config, problems);
  if (problems.length > 0 || publicUrl === undefined) throw new ConfigError(problems);
  return {
    url,
    publicUrl,
    ...(auth === undefined ? {} : { auth }),
    tls,
    ...(proxy === undefined ? {} : { proxy: new HttpProxy(proxy) }),
    grantWithin: config.nfvoGrantWithin,
    askAgainEvery: config.nfvoAskAgainEvery,
  };
}

function authOf(
  { nfvoUser, nfvoPassword, nfvoTokenUrl }: Pick<NfvoConfig, 'nfvoUser' | 'nfvoPassword' | 'nfvoTokenUrl'>,
  problems: string[],
): OutboundAuth | undefined {
  if ((nfvoUser === undefined) !== (nfvoPassword === undefined))
    problems.push('one of NFVO_USER and NFVO_PASSWORD is given; expected both or none');
  if (nfvoTokenUrl !== undefined && nfvoUser === undefined)
    problems.push('NFVO_TOKEN_URL is given without NFVO_USER; expected the OAuth2 client and its NFVO_PASSWORD');
  if (nfvoUser === undefined || nfvoPassword === undefined) return undefined;
  return nfvoTokenUrl === undefined
    ? { kind: 'basic', userName: nfvoUser, password: nfvoPassword }
    : { kind: 'oauth2', clientId: nfvoUser, clientPassword: nfvoPassword, tokenEndpoint: nfvoTokenUrl };
}

const FILES: TlsFileNames = { caFile: 'NFVO_CA_FILE', certFile: 'NFVO_CERT_FILE', keyFile: 'NFVO_KEY_FILE' };

function tlsOf(
  {
    nfvoCaFile: caFile,
    nfvoCertFile: certFile,
    nfvoKeyFile: keyFile,
  }: Pick<NfvoConfig, 'nfvoCaFile' | 'nfvoCertFile' | 'nfvoKeyFile'>,
  problems: string[],
): TlsFiles {
  problems.push(...tlsFileProblems(FILES, { caFile, certFile, keyFile }));
  return {
    ...(caFile === undefined ? {} : { caFile }),
    ...(certFile === undefined ? {} : { certFile }),
    ...(keyFile === undefined ? {} : { keyFile }),
  };
}
