import { APT } from '@windlass/driver-kit';

/** A file that exists while not all registries that a machine was told of have answered the machine. */
export const UNANSWERED = '/var/lib/windlass/registries-unanswered';

/**
 * Asks a registry in the way of the unit that pulls from it: with its CA, login and proxies. Arguments of `ask`: the unit, the registry's host, its
 * scheme, a file with the login (of curl's configuration), a file with its CA certificates (each `-` where there is none), its name. An error that
 * would stay ends the script; one that may pass is tried three times. A registry that asks for a login, and was given none, counts as answering: pods
 * may have a login of their own.
 */
export const ASK = String.raw`
# The proxies that the unit $1 was started with, which count for what it pulls.
use_proxies_of() {
  local pid each
  pid=$(systemctl show --property=MainPID --value "$1") || pid=0
  unset http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY
  if [ ! -r "/proc/$pid/environ" ]; then return 0; fi
  while IFS= read -r -d '' each; do
    case $each in
      HTTP_PROXY=*) declare -gx "http_proxy=$(cut -d = -f 2- <<< "$each")" ;;
      http_proxy=* | https_proxy=* | HTTPS_PROXY=* | no_proxy=* | NO_PROXY=*) declare -gx "$each" ;;
    esac
  done < "/proc/$pid/environ"
}
# Sets code: the status of the answer, or curl's own where there is none.
get() {
  local status=0
  code=$(curl --silent --show-error --globoff --location --max-redirs 5 --connect-timeout 10 --max-time 30     --output /dev/null --dump-header "$headers" --write-out '%{http_code}' "$@" 2> "$said") || status=$?
  if [ "$status" != 0 ]; then code=curl-$status; fi
}
# A member of the last answer's WWW-Authenticate: Bearer; empty where it says otherwise.
bearer() {
  tr -d '\r' < "$headers" | grep -i '^www-authenticate: *bearer ' | tail -n 1 | grep -o "$1=\"[^\"]*\"" | head -n 1 | cut -d '"' -f 2 || true
}
# Whom it sends to for a token is asked there, by the same login.
get_token() {
  local realm service
  realm=$(bearer realm) service=$(bearer service)
  if [ "$code" != 401 ] || [ -z "$realm" ]; then return 0; fi
  case $realm in https://* | "$scheme"://*) ;; *) refuse "the registry $server sends who logs in to $realm, which is no address of $scheme" ;; esac
  get "$@" --get --data-urlencode "service=$service" "$realm"
}
ask() {
  local scheme=$3 server=$6 login=no tries=0 url code why headers said trusted
  headers=$(mktemp) said=$(mktemp) trusted=$(mktemp)
  use_proxies_of "$1"
  url=$scheme://$2/v2/
  if [ "$5" != - ]; then
    cat /etc/ssl/certs/ca-certificates.crt > "$trusted" 2> /dev/null || true
    cat "$folder/$5" >> "$trusted"
  fi
  if [ "$4" != - ]; then login=$folder/$4; fi
  set -- --proto "=http,https"
  if [ -s "$trusted" ]; then set -- "$@" --cacert "$trusted"; fi
  if [ "$login" != no ]; then set -- "$@" --config "$login"; fi
  while :; do
    get "$@" "$url"
    if [ "$login" != no ]; then get_token "$@"; fi
    why="GET $url from $(hostname): $(tail -n 1 "$said")"
    case $code in
      200) break ;;
      401)
        if [ "$login" = no ]; then break; fi
        refuse "the registry $server refuses the login: username or password is wrong (GET $url from $(hostname) is answered with 401)"
        ;;
      403) refuse "the registry $server does not let this login in (GET $url from $(hostname) is answered with 403)" ;;
      curl-60 | curl-77) refuse "the certificate of the registry $server is not trusted: certificate_path is missing or has another CA, or it is another's. $why" ;;
      curl-35) refuse "the registry $server speaks no HTTPS that is understood: connection_type 0 is HTTP. $why" ;;
      400 | 404) refuse "what answers as $server is no registry of $scheme: is the port its own, and connection_type right? GET $url from $(hostname) is answered with $code" ;;
    esac
    tries=$((tries + 1))
    if [ "$tries" -ge 3 ]; then
      case $code in curl-*) ;; *) why="GET $url from $(hostname) is answered with $code" ;; esac
      say "the registry $server does not answer: is it there, and are server and hosts_string right? $why" >&2
      exit 75
    fi
    say "the registry $server does not answer yet: $why"
    sleep 2
  done
  say "the registry $server answers"
  rm "$headers" "$said" "$trusted"
}
`;

/** Installs curl, which asks, where an image lacks it. */
export const GET_CURL = `if ! command -v curl > /dev/null && grep -q '^ask ' "$manifest"; then
${APT}
apt_get update
apt_get install --no-install-recommends curl ca-certificates
fi
`;
