import { describe, expect, it } from 'vitest';
import { isSecretName } from './secret-names.js';
import { processorTime } from './testing/index.js';

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

const SECRET = words(`
  key keys api_key apiKey api-key APIKey API_KEY apikey apikeys ssh_key ssh_private_key sshPrivateKey SSHPrivateKey privateKey private-key
  privatekey rsa_key secret_key secretAccessKey accessKey access_key encryptionKey signing.key certificate_key hostPrivateKey key_data keyPem
  client-key-data tls.key sshkey masterkey psk wifiPsk preSharedKey server_key2 key1
  pass Pass PASS passwd password Password passWord PASSWORD passwords pass_word passphrase passPhrase pass-phrase passcode pwd PWD userpwd
  userPWD user_pwd USERPWD pswd pw rootpw root_pw dbpass dbPass admin_pass sshpass keypass storepass clientpassword clientPassword
  master_node_password master_password2 password1 passwordHash passwordhash password_b64 passwordValue masternode_password key_password
  cred creds credential credentials auth_cred authCred usercred vimCredentials credentialsFile
  token tokens bearer_token bearerToken bearertoken auth_token authtoken x-auth-token X-Auth-Token accessToken access_tokens refreshToken
  id_token join_token tokenValue
  secret Secret SECRET secrets client_secret clientSecret clientsecret secretKey shared-secret secretString secret_id secret_ref
  kubeconfig kubeConfigSecret adminKubeconfig kubeconfig_content authorization Authorization proxy-authorization bearer
`);

const SHOWN = words(`
  keyPairName keypair key_pair keyPair public_key publicKey ssh_public_key pubkey public-key host_key hostKey authorized_keys sshAuthorizedKeys
  keyId key_id kid key_name keyName keystone_url keystone keystoneUrl keyboard keyword keywords monkey turkey monkeys
  passive passed passing pass_through passthrough passenger passport compass bypass compasses trespass passwordless
  tokenization tokenizer token_ttl tokenEndpoint token_url oidc_token_url tokenExpiry token_type tokenId
  password_length passwordPolicy password_expired passwordAuthentication secretName secret_name
  secretary credit credibility sacred accredited incredible credential_type credentialId credentials_url kubeconfig_path
  vimConnectionInfo vimId id vnfInstanceId connectionId username user userName project projectDomain region author authority auth_url
  authUrl pin community metadata extensions vnfConfigurableProperties pod_cidr ssh_cp_name certificate_path ssl_ca_cert cert_verify
  foreign_key primaryKey sort-key cacheKey groupKey k8s_cluster_installation_param
`);

describe('a name', () => {
  it.each(SECRET)('%s tells a secret', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each(SHOWN)('%s tells none', (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  it('is read in linear time, however long', () => {
    const begun = processorTime();
    for (const part of ['a', 'A', 'aB', '_', 'key', 'passw', '🔑']) isSecretName(part.repeat(500_000));
    expect(processorTime() - begun).toBeLessThan(2_000);
  });
});
