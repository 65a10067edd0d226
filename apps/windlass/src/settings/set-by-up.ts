/** Why a variable is not the operator's where `up` starts the services, by its name. What a secret's name says counts for its `_FILE` too. */
const OWN: Readonly<Record<string, string>> = {
  NATS_URL: '"up" starts a NATS of its own',
  NATS_USER: 'each service has a user of its own at the NATS of "up"',
  NATS_PASSWORD: 'each service has a password of its own at the NATS of "up", in the data folder',
  NATS_CA_FILE: 'the NATS of "up" listens on loopback, without TLS',
  NATS_CERT_FILE: 'the NATS of "up" listens on loopback, without TLS',
  NATS_KEY_FILE: 'the NATS of "up" listens on loopback, without TLS',
  DATABASE_URL: '"up" starts a PostgreSQL of its own, in the data folder',
  MASTER_KEY: 'it lies in the data folder, where "up" made it: secrets/master-key',
  WORKER_KEY_FILE: 'each service has a key of its own, in the data folder',
  ENROLMENT_TOKEN_FILE: '"up" enrols its services itself',
  ENROLMENT_TOKENS: '"up" enrols its services itself; "windlass enrolment-token" is for others',
  HEALTH_PORT: 'seven services would want the one port; each gets a free one, which its log names',
  LCM_PORT: 'give --port instead',
  LCM_HOST: 'commands beside "up" look for the REST API on 127.0.0.1; put a proxy before it, and give --public-url',
  LCM_ENDPOINT: 'give --public-url instead',
  WINDLASS_PUBLIC_URL: 'give --public-url instead',
  LCM_TOKEN: 'it lies in the data folder, where "up" made it: secrets/token',
  LCM_AUTHENTICATION_IS_OFF: '"up" always has a token',
  LCM_TLS_CERT_FILE: 'commands beside "up" ask the REST API by http on loopback; put a proxy before it, and give --public-url',
  LCM_TLS_KEY_FILE: 'commands beside "up" ask the REST API by http on loopback; put a proxy before it, and give --public-url',
  LCM_TLS_CLIENT_CA_FILE:
    'commands beside "up" ask the REST API by http on loopback; put a proxy before it, and give --public-url',
};

/** What a lab says of itself. */
const OF_THE_LAB = /^(LCM_KEYSTONE_(URL|USER|PROJECT|PASSWORD|TENANTS)|LCM_PROJECT|KUBERNETES_APT_URL)$/;

/**
 * Why a setting is not taken though services know the variable; undefined where it is.
 * @param lab the kind of Kubernetes of the lab that is started too; undefined without one
 */
export function setByUp(name: string, lab: string | undefined): string | undefined {
  const own = OWN[name] ?? OWN[name.replace(/_FILE$/, '')];
  if (own !== undefined || lab === undefined) return own;
  if (OF_THE_LAB.test(name.replace(/_PASSWORD_FILE$/, '_PASSWORD'))) return 'with --lab it is the lab’s, which "up" knows';
  if (name === 'KUBERNETES_VERSION' && lab === 'real') return 'with --kubernetes real it is the version that the lab has built';
  return undefined;
}
