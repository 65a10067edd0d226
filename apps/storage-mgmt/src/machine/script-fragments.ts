// Parts of the scripts of this service, which are bash and begin with HEAD of libs/driver-kit.

/** Whether a package is there. */
export const IS_INSTALLED = String.raw`
is_installed() { dpkg -s "$1" 2> /dev/null | grep -q '^Status: .* installed$'; }
`;

/** Records in a file for each purpose what the script installed, for the undo. Needs APT. */
export const PACKAGES = `${IS_INSTALLED}${String.raw`
ours=/var/lib/windlass-storage

# Those of the packages $3... that are missing, for the purpose $1, by the apt.conf $2.
install_packages() {
  local purpose=$1 configuration=$2 package count=0
  shift 2
  for package in "$@"; do
    if is_installed "$package"; then continue; fi
    set -- "$@" "$package"
    count=$((count + 1))
  done
  [ "$count" -gt 0 ] || return 0
  shift $(($# - count))
  mkdir -p "$ours"
  printf '%s\n' "$@" >> "$ours/$purpose.packages"
  apt_get -c "$configuration" update
  apt_get -c "$configuration" install --no-install-recommends "$@"
}

# Those that were installed for the purpose $1.
remove_packages() {
  local purpose=$1 package
  [ -e "$ours/$purpose.packages" ] || return 0
  shift
  while read -r package; do
    if dpkg -s "$package" > /dev/null 2>&1; then set -- "$@" "$package"; fi
  done < <(sort -u "$ours/$purpose.packages")
  if [ $# -gt 0 ]; then apt_get purge "$@"; fi
  rm "$ours/$purpose.packages"
  rmdir --ignore-fail-on-non-empty "$ours"
}
`}`;
