// Parts of the scripts of scripts.ts: who exports, and what. Tables are those of tables.ts.

/** What is kept for the next step: the table of exports, and which server exports them. */
export const KEPT = String.raw`
kept=/var/lib/windlass-storage
ganesha_exports=/etc/ganesha/windlass.conf
`;

/** Our own files beside those of the NFS servers. */
export const EXPORT_FILES = String.raw`
kernel_exports=/etc/exports.d/windlass.exports
ganesha_unit=/etc/systemd/system/nfs-ganesha.service.d/windlass.conf
`;

/** The exports, as the running server says: a line for each directory and client, separated by a tab. Needs {@link KEPT}. */
export const EXPORTED = `${KEPT}${String.raw`
# The unit of the server $1.
unit_of() {
  case $1 in
    none) say - ;;
    kernel) say nfs-server.service ;;
    *) say nfs-ganesha.service ;;
  esac
}
exported_now() {
  if [ "$(cat "$kept/server")" = none ]; then return 0; fi
  if [ "$(cat "$kept/server")" = kernel ]; then
    exportfs -s | awk '{ sub(/\(.*/, "", $2); print $1 "\t" $2 }'
  else
    # By D-Bus: over the network it shows each client only what that one may have.
    sed -n 's/^ *Export_Id = \([0-9]*\);.*/\1/p' "$ganesha_exports" | while read -r id; do
      busctl call org.ganesha.nfsd /org/ganesha/nfsd/ExportMgr org.ganesha.nfsd.exportmgr DisplayExport q "$id" |
        awk '{ gsub(/"/, ""); print $3 "\t" $7 }'
    done
  fi
}
# Those of the table $1 that nobody exports.
not_exported() {
  local now directory to
  now=$(exported_now) || return 1
  while IFS=$'\t' read -r directory to _; do
    if ! grep -qxF "$directory"$'\t'"$to" <<< "$now"; then say "$directory to $to"; fi
  done < "$1"
}
`}`;

/** Removes the exports, and what was installed for them. Needs PACKAGES and {@link EXPORT_FILES}. */
export const UNEXPORT = String.raw`
unexport() {
  local folder
  rm -f "$kernel_exports"
  if command -v exportfs > /dev/null; then
    exportfs -ra
    exportfs -f
  fi
  if [ -e "$ganesha_exports" ] || [ -e "$ganesha_unit" ]; then
    rm -f "$ganesha_exports" "$ganesha_unit"
    if [ -e /etc/ganesha/ganesha.conf ]; then sed -i '\#^%include "/etc/ganesha/windlass.conf"$#d' /etc/ganesha/ganesha.conf; fi
    for folder in /etc/ganesha "$(dirname "$ganesha_unit")"; do
      if [ -d "$folder" ]; then rmdir --ignore-fail-on-non-empty "$folder"; fi
    done
    systemctl daemon-reload
    if systemctl is-active --quiet nfs-ganesha; then systemctl restart nfs-ganesha; fi
  fi
  remove_packages server
}
`;

/** Installs the server, and has it export. Needs APT, PACKAGES, {@link EXPORTED} and the variable server. */
export const EXPORTS = `${EXPORT_FILES}${UNEXPORT}${String.raw`
# The folders of the table $1: theirs to write to, who is squashed.
make_directories() {
  local directory
  while IFS=$'\t' read -r directory _; do
    mkdir -p "$directory"
    chown nobody:nogroup "$directory"
  done < "$1"
}
for_kernel() {
  local directory to under
  while IFS=$'\t' read -r directory to under; do
    # Without its volume a directory is one of the machine's own disk, and not exported.
    if [ "$under" = - ]; then under=''; else under=,mp=$under; fi
    say "$directory $to(rw,sync,no_subtree_check,insecure,all_squash$under)"
  done < "$1"
}
for_ganesha() {
  local directory to id=20000
  while IFS=$'\t' read -r directory to _; do
    id=$((id + 1))
    say "EXPORT {
  Export_Id = $id; Path = \"$directory\"; Pseudo = \"$directory\"; Tag = \"windlass-$id\";
  Protocols = 3, 4; Transports = TCP; SecType = sys; PrivilegedPort = false;
  Access_Type = None; Squash = All_Squash; Anonymous_Uid = $(id -u nobody); Anonymous_Gid = $(id -g nobody);
  FSAL { Name = VFS; }
  CLIENT { Clients = $to; Access_Type = RW; Squash = All_Squash; }
}"
  done < "$1"
}
# The file $1 becomes $2, unless it is the same; says whether it was another.
put() {
  cmp -s "$1" "$2" && return 1
  mkdir -p "$(dirname "$2")"
  install -m 0644 "$1" "$2.new"
  mv "$2.new" "$2"
}
export_by_kernel() {
  local wanted
  wanted=$(mktemp)
  install_packages server "$2" nfs-kernel-server
  for_kernel "$1" > "$wanted"
  put "$wanted" "$kernel_exports" || true
  rm "$wanted"
  systemctl enable --now nfs-server
  exportfs -ra
}
export_by_ganesha() {
  local wanted changed=no
  wanted=$(mktemp)
  install_packages server "$2" nfs-ganesha nfs-ganesha-vfs rpcbind
  for_ganesha "$1" > "$wanted"
  if put "$wanted" "$ganesha_exports"; then changed=yes; fi
  if ! grep -qxF "%include \"$ganesha_exports\"" /etc/ganesha/ganesha.conf; then
    say "%include \"$ganesha_exports\"" >> /etc/ganesha/ganesha.conf
    changed=yes
  fi
  # It knows no export that depends on a mount, so it waits for all of them.
  say "[Unit]
RequiresMountsFor=$(cut -f 3 "$1" | grep -vx -e - | sort -u | tr '\n' ' ' || true)" > "$wanted"
  if put "$wanted" "$ganesha_unit"; then
    systemctl daemon-reload
    changed=yes
  fi
  rm "$wanted"
  systemctl enable nfs-ganesha
  if [ "$changed" = yes ] || ! systemctl is-active --quiet nfs-ganesha; then systemctl restart nfs-ganesha; fi
}
# Waits until the server says so of all that the table $1 has.
see_exported() {
  local missing left=20
  while :; do
    missing=$(not_exported "$1") || missing='anything: it does not answer'
    [ -n "$missing" ] || return 0
    left=$((left - 1))
    [ "$left" -gt 0 ] || break
    sleep 0.5
  done
  say "the NFS server ($server_unit) does not export $(tr '\n' ';' <<< "$missing"): journalctl -u $server_unit on $(hostname) says why" >&2
  exit 75
}
`}`;
