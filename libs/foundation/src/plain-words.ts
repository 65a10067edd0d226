/**
 * Whether ordinary messages have this word, in any case: those of Windlass, its guides and samples, and of what it drives (`ubuntu`, `ansible`,
 * `failed`, `6443`). Masked there as a secret, it would be told by the mask. Three digits
 * are a port or a status. The list is made by `node tools/plain-words.mjs`.
 */
export function isPlainWord(text: string): boolean {
  plain ??= new Set(WORDS.split(/\s+/));
  return /^\d{3}$/.test(text) || plain.has(text.toLowerCase());
}

let plain: Set<string> | undefined;

const WORDS = `
0000 0015 0016 0029 0030 0033 0037 0038 0040 0042 0052 0053 0054 0055 0057 0058 0059 0060 0062 0063 0064 0065 0066 0068 0072 0084 0123 0440 0444 0600 0644 0660 0700 0755 1000 10000 1024 10248 10250
10255 10257 10259 10395 1123 12420 12492 1450 16384 16443 1700 1777 1970 2000 2002 2011 2013 2014 2015 2016 2017 2018 2020 2021 2022 2025 2026 2027 2048 2222 23505 2379 2380 2381 30000 30080 3072
3128 32767 3339 3986 4000 4083 4096 4222 4547 4552 4562 4789 5000 50000 5646 5717 5850 6443 65534 65535 65536 6749 7239 7256 7291 7396 7469 7552 7602 7610 7807 8000 8004 8080 8192 8222 8383 8472
86400 8925 9153 9326 9890 9999 99999 aaa aaaa aaaac aaba aarch aba abandon abandoned abcdefabcdef abe able abort aborted abortsignal about above abs absence absent absolute abstract aca accel
acceleration accept acceptable accepted acceptedat accepts access accesses accessinfo accessing accessipv accesslabel accessmodes according account accounted accountname accounts ace acfa ack
acknowledged acknowledgment acl acquire acquired act action actioninprogress actions activate activated active activeentertimestamp activestate actor actual adapted adapter adcb add added addgroup
adding addition additional additionalartifacts additionalparams additionalproperties additions addon addonfailure addons addr addresources address addressat addressdata addressed addresses
addressgroup addressinfo addressinformation addressing addressof addressrange addressrules addrtype adds adj adjacency adjustment admin admindir administering administration administrative
administrator administrators adminpassword adminrequired admins admission admit admits admitted adopt adr advert advertise advertiseaddress adverts advice advisories advisory aead aeae aes afa
affect affected affectedvirtuallink affectedvirtuallinks affectedvnfc affectedvnfccpids affectedvnfcs affinity affinityrule after afterfail afterrollback afterward afterwards again against age
agent agents agg aggregate aggregateerror aggregation aggregator ago agree agreement ahead ahttp air ajv aki alarm alg algo algorithm algorithmname algorithms alias aliases aligned aligning alike
alive all allocate allocated allocating allocation allof allow allowance allowed allowedms allows allowwatchbookmarks alone along aloud alpha alphanumeric already alreadyexists also alter
alternative alternatively alternatives although altname always alwaysallow ambientcapabilities amd ami among amount amounts amp analyze anarray anchor anchors and anew anna annex annotation
annotations announce announced announcedat announcedby announcement announcer announces anobject anonymous another ansible ansibles answer answered answering answers answersdoorbells answerswakeups
anti antiaffinityrule anumber any anybody anyof anyone anything anywhere apache apart api apiclient apiendpoint apiextensions apigroup apigrouplist apigroups apihostof apikey apimajorversion
apiname apiresourcelist apiroot apiroute apis apiserver apiserverendpoint apiversion apiversions app apparmor appear append applicable application applied applies apply applying approval approve
approved approving apps apt apturl arbitrary arch architecture architectures archive archived archivedsize archives are areas arg args argument arguments argus argv ari aris arithmetic arm arming
armor armored arn around arpa arptables array arrays arrival arrive arrows articulated artifact artifactpath artifacts asauthority asc ascii asfingerprint aside ask askagainevery asked askedby
asker askers asking asks asn aspect aspectid aspects aspublicurl assembly assertlease assets assign assigned assignment associate associated associatedvnfccpid associates association assumed
assumes assuming astring asymmetrickeytype async asyncio asystem atmost atonce atroot attach attached attaches attachesto attachment attachments attempt attempted attempting attempts
attemptsallowed attr attribute attributeerror attributenode attributes aud audience audiences audit auditchain audits audittrail auth authenticate authenticated authentication authentications
authenticator author authorities authority authorization authorized authorizedkey authorizer authors auths authtype authurl auto autoapprove autoapproved autodetection autoheal automated automatic
automatically autoscale autoscaler autoscaling autoscalinggroup avail availability availabilityzoneinfo available availablereplicas average await awaited awaiting away awk axios back backend
backends background backoffseconds backslash backslashes backtick backup backwards bad badhash badmethod badrequest baf balance balanced balancer balancers balances band bandwidth bare baremetal
base based basedon basehot basename bash bashrc basic basicconstraints batch batches battery bavail bbn bcdc bcdfghjklmnpqrstvwxz bcrypt bde bear bearer bearers bearertoken because become becomes
becoming beddc been bef before beforehand began begin begininternal beginning beginrefresh begins begun begunat behalf behavior behind being belong belongs below bench beof beside besides
besteffort beta better between beyond bfd bfe bff bgp bidirectional big bigint bin binaries binary binarydata bind bindaddress binder binding bindings bindport binds bit bitrate bits blacklist
blank blanks blkid blob blobdescriptor blobs block blocked blocks bna boarded boarding bodies body bodytoolarge bookmark bookworm bool boolean booleans boot bootable bootdata bootidfile boots
bootstrap bootstrapkubeconfig bootstrapper bootstrappers bootstrapping bootstrapsigner bootstraptoken bootstraptokens both bound boundaries bounds boundto boundvolumes box bpf bracketed brainpoolp
branch branches brd break breaks bridge bridged bring bringing brings broke broken brought browser bsd bsize btrfs bubblewrap budget budgets buf buffer buffering build building buildvcs
buildversion buildx built builtin bullseye bundle bus busy busybox but bwrap byhand bypass byref bystack byte bytea bytelength bytes cac cacert cacerthashes cacertpath cache cached cad caf cafile
cahash cakey calico calicomanifest call callback callbackbase callbackmodule callbacks callbackuri called calledfrom caller calls came can cancel canceled cancellation cancelled cancelling
cancelmode cancels candidate cannot canonical canonicaljson cap capabilities capability capable capacity capitals captures card cardinality carried carriergradenat carries carry carrying cascade
case cases cat catalog catalogs catch caught cause caused causes cbe cbr cbt cce cdll cdrom ceil cell cells censored cer cert certain certfile certificate certificatedir certificatekey
certificaterequest certificates certificatesdir certificatesend certs certsans cfbbcb cfcb cfg cfntools cftp cgroup cgroupdriver cgroupfs cgrouproot cgroups cgroupsperqos chain chained chainer
chains challenge change changed changedinfo changeextconn changeflavour changes changesnothing changestateto changetype changevnfflavor changevnfflavour changing channel chaos char character
characteristics characters charat charcodeat charset chdir cheap check checkafterdrivers checkbeforedrivers checkcontinue checked checking checkout checks checkshape checksum checksumdata child
children chmod choice chomp choose chooses chose chosen chown chpasswd chrony chroot chunk chunked cidr cidrnotavailable cidrs cifs cilium cinder cinderv cipher circular circulardependency cirros
cis cjs claim claimed claimedat claimedby claimname claimref claims class classes classless classname clause clean cleaned cleaning cleanup cleanuptmpdir clear cleared clearenv clearparameters
clearsign cleartimeout cli client clientauth clientcafile clientcredentials clienterror clientexception clientid clientpassword clients clitcpka clock clockdifference clocks clone close closed
closely closing cloud cloudconfig cloudimg clouds cluster clusterconfiguration clusterdomain clusterfirst clusterinfo clusterip clusterips clustername clusterregistration clusterrole
clusterrolebinding clusterrolebindings clusterroles clusters clustersnapshots clusterurl cmd cmp cms cmtp cnf cni cniversion cnt coalesce code codename codepointat codes cognisant col collate
collect collection collector colon colons column columns com combination come comes coming comma commadelimitedlist command commander commands commas comment comments commit commits committed
common commonname community comp compact compacted compaq compare compared compares comparetext comparing compass compat compatible compgen compile compiler compileroptions complaint complements
complete completed completedat completely completes complex complies comply component components composition compressed compressedsize compression compressionmethod compute computed computefault
computeflavourid computereservationid computeresource computes concat concepts concern conclude concurrent condition conditional conditioncapability conditions conductor conf conffiles config
configmap configmapkeyref configmaps configs configurable configuration configurations configure configured configuring confinement confirmation confirmed confirms conflict conflictingrequest
conflicts conflist conformance conn connect connected connecting connection connectionerror connectionid connections connectivity connectivitytype connects connectwithin conntrack consider
considered consist consistent consists console const constants constraint constraints construct constructor consume consumer consumers consumes cont contain contained container containercreating
containerd containerdfolder containerformat containerid containerlogmaxfiles containerlogmaxsize containernetworking containerport containers containersnotready containersready containerstatuses
containing contains content contents contenttype context contexts continue contract contracts contradicted contrary contributes contribution control controller controllermanager controllers
controlmaster controlpath controlpersist controlplane controlplaneendpoint convert converted converting convey coordination coordinator coordinators copied copies coproc copy copying cordon cordons
core coredns corefile coreos cores correct corrections correctly corresponding corresponds corrupt cost costly costs could couldn count counted counters countrunning counts countsafter couples
covered cpconfig cpconfigid cpd cpdid cphb cpinstanceid cpinstancetype cpnx cpprotocoldata cpprotocolinfo cprole cps cpu cpuacct cpucfsquota cpucfsquotaperiod cpumanagerpolicy cpus cpuset cpvdu
crash crashed crashloopbackoff crashsuite crc crd crds create createconnection createcontainer createcontainererror created createdat createdby createhash creates createstack creating creation
creationtimestamp cred credential credentialof credentials creds cri crictl crisocket criteria critical criticaladdonsonly critools cronjob cross crt crtp crudp cruiser crv crypt crypto csar csi
csr csrapprover csrapproving csrs csrsigning css csv ctid ctier ctr ctrl ctx ctypes cumulative curl current currently curve custom customers customize cut cwd cycles daemon daemonset daemonsets daf
daily damaged dark dashed dashes data database databasename databaseurl datadir dataloss dataset datasource datatypes date dates datname day days dbe dbpass dbus dccp dcdb dcf dcn dcontrol dda ddfa
ddp ddx dea deactivated dead deadline deadlineexceeded deaf dear death deb debian debootstrap debs debug decide decided decides decimal decision decisions declaration declare declared declares
decode decoder decoding decorators deep deeper deepest deeplinking def default defaultdependencies defaultlevelid defaultoutboundrules defaultpolicy defaultruntimename defaults define defineaction
defined defineoperation definer defines definition definitions deflate deflated defragment defs del delay delayms delegate delegated delegator delete deletecollection deleted deletedfirst
deleteoptions deletes deleting deletion deletions deletiontimestamp delimited delimiter deliver delivered deliveries delivery delta deltas demo denied deny dep depcruise depend dependencies
dependency dependent dependents dependentschemas depending depends dependson deploy deployed deploying deployment deploymentid deployments deploymenttag deploys deprecated deps depth der
dereferenced deregister derived derives deriving desc describe describeasked describebytes described describedby describeduration describefiletype describeflags describeidentity describelistsize
describeplace describes describevalue describing description descriptions descriptor descriptors descriptorversion design desirable desired desiredcapacity desiredcounts desiredstate destroy
destroyed detach detached detail details detcd determined determines dev devdependencies device devicepath devices dfb dgp dgst dhcp dhcpv diagnostics dial dialing dict did didn die died dies diff
differ difference differences different differently differs diffie digest digestof digests digit digital digitalsignature digits dir diravailable direct direction directive directly directories
directory directoryorcreate dirname disable disabled disablerollback disagree disassociated disc disconnect disconnected discovery discriminator disk diskconfig diskformat diskgib diskpressure
disks dispatch displaced display disposition disruption disruptionbudget dist distinct distinguished distrib distribution distributions div division dlopen dnro dns dnsdomain dnsnames dnspolicy doc
docker dockerd dockerfolder docs doctype document documentation documenterror documents does doesn doesnotexist doing dollar domain domains domnode don done donkey dontlognull door doorbell dot
dots double down downinter download downloaded downloader downloading downloads dphys dpkg draft drain drained drains drawn draws drive driver driverbench driverbounds drivercontractsuite drivers
driverservice driverserviceconfig drop dropin dropped drops dry dryrun dsr dst dstport due dummy dump dumps duplex duplicate durable durables duration durations durationtext during dynamic
dynamically dynamicref eabfe eacces each eaddrinuse eaddrnotavail eagain eai earlier earlierresourceids earliest earliestend early easily eba ebb ebfcd ebusy ecc ecdh ecdsa echo echoed econnrefused
econnreset edb eddefa eddsa edge edit edited edits eeab eexist effect effects egp egress ehostunreach eight eigrp eisdir either elapsed elastic elect election element elements elif else elsewhere
embedded embeddings emcon emitted empties empty emptydir emulator enable enabled enableserver enableservicelinks enablesystemlogquery enabling encap encode encoded encodeuricomponent encoding
encodings encompass encompasses encountered encouraged encrypt encrypted encryption encryptionalgorithm end ended endedat endedby ending endingof endless endpoint endpointof endpoints endpointslice
ends endsat enetunreach enforce enforces engine enhanced enoent enotdir enotfound enough enrol enrolled enrolledat enrolment enrolments enrolmenttokenfiles enrolmenttokensfile enrols ens ensure
enter entered entering enters entities entity entitynotfound entries entry entrycount entryids entrypoint enum enumeration enumerations env envelope environ environment environmentfile environments
eperm ephemeral epipe epk epoch epochs eproto equal equals equivalent err errcode erred errimageneverpull errimagepull errno errnoexception error errors esac esbuild escalate escape escaped
escapeliteral escapepattern eslint esp esrch essential established establishing estimate etag etc etcd etcdctl etcderror etcdserver etcdutl eth ether etherip ethernet ethertype etimedout etm etsi
etsinfv etsivnfm euo eval evaluate evaluated even event eventburst eventmessage eventrecordqps events ever every everybody everyone everything everywhere evict eviction evidence exact exactly
example examples exceeded exceeds except exception exclude excluded excludedbydefault exclusive exe exec execing execstart executable execute executed execution executions exist existing exists
exit exitcode exited exiterror exp expak expand expanded expands expansion expect expected expectedgot expecting expects experimental expiration expirationseconds expire expired expires expiresat
expiring expiry explanation explicit explicitly export exported exportfs exporting exports exportsdigest expose exposed express expression expressions ext extcpinfo extcps extend extended extending
extends extensibility extension extensions external externalip externallb externally externalname extfile extldflags extlinkportid extlinkports extnid extra extraargs extract extras extrasealed
extvirtuallinkinfo extvirtuallinks facilitate facilitating facilities facts fail failcgroupv failed failedprecondition fails failsafe failswapon failure failures failuresshown fake fakehosts
faketime fall falling fallthrough false family fan far faster fastinter fata fatal fault faults fcgi fcntl fdf feature featuregates features fell fence fenced fernet fetch fetched fetches fetching
few fewer fffd ffff field fieldmanager fieldpath fields fieldselector fieldvalueinvalid figure figures file fileavailable filecheckfrequency filecontent fileexisting filename filenameraw
fileorcreate files filesreport filesystem filesystems fill filled fillfactor filling fills filter filtered filteredones filterexpression filtering filters final finalize finalizers find findindex
finding findings findmnt finds fingerprint fingerprints finish finite fip fire firewall firewalld first firstboot firstbootwithinms firstline fit fitness fits fitting five fix fixed fixedaddresses
fixedin fixes flag flags flaky flannel flannelcni flanneld flannelimage flannelpluginimage flat flatmap flavor flavors flavour flavourid flavourof flavours flaws fleet flight float floating
floatingip floatingips flock floor flow flows flush flv focal folded folder folders follow followed following follows for forbidden forbids force forcecommand forceful foreground foreign foreseen
foresees forever forget forgetkinds forgotten fork forky form format formatcidr formatipv formats formatted formatting formed formencoded forms forward forwarded forwarder forwarding forwards found
foundation four fourth fpr frag fragment framed framework free freeze frequency fresh friendly from fromcharcode fromentries fromv front frontend frontends frozen fsize fsname fstab fstype fsys
fulfil fulfilled fulfilling full fullid function functionality functionerror functions further fuse future fyfetx gaaaaa galaxy ganesha gapped garbage garp gate gates gateway gather gathered gauge
gauges gave gcc gcm gen general generate generated generatename generates generating generation generator generic genericcloud get getattr getconsoleoutput getelementbyid getent getproxyenvvars
gets getserver gettime getting getvnflcmv ggp ghcr gib gid gigabytes git github githubusercontent gitignore gitsha give given gives glance global globally globoff glue gmt gmtp gmu gnu goaway
gocache goes going golden gomodcache gone good google got goversion gpg gpgconf gpt grace graceful gracefully gracefulstoptimeout graceperiodseconds graceuntil grafted grant granted grantedzone
grantid granting grantrequest grants granturl grantwithin graph gre greater greatest green grep groundoptions group groupid groupmember groups groupsizes groupstack groupvdu groupversion
groupversionkind groupversionof groupwords grow growth grpc grpcerror gsub gte guess guessed guest guid guide guides gzip had hairpinmode half hand handed handle handled handler handlers handling
hands handshake hang hangs happened happens haproxy hard harddisk hardware harm has hash hashalgorithm hashed hashes hashsize hashtextextended have having hazards head header headers heading heal
healed healing heals health healthcheck healthurl healthy healthz healthzbindaddress healthzport healvnf healvnfrequest healvnfrequestbody heapmib hear hears heat heatclient heatparameters heeds
heir held hellman hello helm help helper hence here hex hexadecimal hiccup hidden hides hierarchy higher highest highlyavailable hint hints hip hmac hmp hockey hold holder holderidentity holders
holding holds home homedir honoured hook hookcontext hookedoperation hookid hooks hookscalled hopopt horizontal horse host hostconfig hostid hostile hostility hostip hostkey hostkeyalias hostkeys
hostkeysofinstances hostname hostnetwork hostpath hostport hosts hot hotkey hotplug hour hours how however href html htpasswd http httpbadrequest httpcheckfrequency httpchk httpclienterror httpcode
httpd httpexception httpfailure httpforbidden httpget httpmethodnotallowed httpnotfound httpregistries https hub human hypervisor hyphen hyphens iana iatp icmp icmpv ident identified identifier
identifierinvim identifiers identifies identify identity idle idlepersecond idlewithin idof idp idpr idrp ids ietf ifa iface ifmatch ifmp ifnotpresent ifs igmp ignore ignored igp illegal illustrate
image imagefs imageid imagemaximumgcage imageminimumgcage imagename imagepath imagepull imagepullbackoff imagepullpolicy imagepullsecrets imageref imagerepository images imageservice
imageserviceendpoint imagesize imagetools img immediate immutable impersonate impersonation impl implementaction implementation implementations implicitly implies import imported importing imports
inbox inboxprefixof incapable include included includeobject includes includesstorage including inclusive incoming incomplete incontainerd incorrect incorrectly ind indent index indexes indexof
indicated indicates indication indicator indicators individual indocker indouble infinity inflate inflated inflates inflight info inform information informed informer informs infra ingress
ingressclass inherit ini init initconfiguration initcontainers initdb initial initialized initializing inkey inline inmemory inmib innamespace inner ino inodes inp input inputlevels inputs
inputschema inrelease ins inseconds insecure insert inserted inside insingle insists inspect inspected inspection inst install installation installed installing installs instance instancegroup
instancenames instanceof instancepath instances instant instantiate instantiated instantiatedvnfinfo instantiateparams instantiates instantiatestate instantiatevnf instantiating instantiation
instantiationlevel instantiationlevelid instantiationlevels instantiations instantiationstate instead instructions insufficient int integer integers intended intention inter interacting interactive
interface interfacedetails interfaceinfo interfaces intermediate internal internalerror internalip internalservererror internalvl internet interpreter interpreters interrupted interval inthis into
introduce intruders inturn intvirtuallinkdesc intvl inunits inuse invalid invalidargument invalidimagename invalidinput invalidipfornetwork invalidipforsubnet invalidparams invalidschemaerror
invariant inventories inventory invert invocation invoked invoking involvedobject ipaddr ipaddress ipaddresses ipaddressinuse ipaddressrange ipallocationpool ipam ipc ipcv ipip iplt ipmasq
ipnetwork ipoverethernet ippc iproute ips iptable iptables iptablesdropbit iptm iputils ipv ipversion ipvlan ipvs ipx irtp isarray isbound isby iscancelpending iscsi isdeprecated isdynamic isfinite
isinstance isis ismarker isn iso isolation ison isoptional isprivilegeduser iss issecretname issue issuecertificate issued issuer issuers issues istemplatename istty item itemnotfound items
iterable its itself jammy javascript jetstream jitter job jobs jobsfolder jobtemplate jockey join joincommand joinconfiguration joined joining joins jose journal journalctl journald journaled
journals journalversion json jsonable jsonb jsonfile jsonl jsonobject jsonpath jsonutils judge jump just jwk jwks jws jwt jwts keep keepalived keeper keeping keeps keepvolumes kept kernel
kernelversion key keyalgorithm keyalias keyboard keycertsign keyencipherment keyfault keyfile keygen keyid keyname keypair keypairname keypairs keypem keyring keyrings keys keysof keystone
keystoneurl keyusage keyvalue keyword kib kid kill killall killed killing killmode kills kind kindof kinds kit kmod kmsg know known knownroutes knows krb kryptolan kty kube kubeadm kubeadmversion
kubeapiburst kubeapiqps kubeconfig kubeconfigerror kubeconfigpath kubeconfigs kubectl kubelet kubeletarguments kubeletcgroups kubeletconfiguration kubeletextraargs kubelethealthcheck
kubeletnotready kubeletready kubelets kubeletversion kubeproxy kubereservedcgroup kubernetes kubernetesapturl kubernetescluster kubernetesversion kubespray kubespraycluster kubesprays kwargs lab
label labelled labels labelselector lack lackey lacking lackinginv lacks lag lambda lameduck lan lands lang language languages large larger largest larp last lasted lasterrors lastfailure
lastfailureat lastindexof lasting lastline lastlines lastlinkage lasts lastseen laststatus lastsuccessat lasttimestamp lastwords late latency later lateral latest latin latter launch launched lay
layer layerprotocol layers layout layoutof lccnsubscription lccnsubscriptions lcm lcmapi lcmbindings ldd ldflags ldm lead leader leading leads leaf leak leaked learner lease leased
leasedurationseconds leasefor leases least leastconn leastcontainerd leave leaver leavers leaves leavesfirst leaving led left leftout leftover leftovers legacy legacyproblem legend len length less
let lets letter letters lettersdigits letting level levelid levels lib libbpf libbsd libc libcap libcom libdb libelf libgssapi libip libk libkeyutils libkmod libkrb liblzma libmd libmnl
libnetfilter libnfnetlink libnfs libnftnl libpcre libraries library libs libselinux libssh libssl libtirpc libxtables libzstd license licenses lie lies life lifecycle lifetime lifetimes like likely
likes limit limited limitkeys limitnofile limitrange limits line linear linearpattern lines link linkable linked linking linkport linkportid linkprefix links lint lintian linux list listed
listedwithinms listen listenaddress listened listener listeners listens listento listimages listing lists lite literal little live lives livez living load loadavg loadbalance loadbalancer
loadbefore loaded loading loads loadstate local localapiendpoint locale localendpoint localhost localization localizationlanguage location locationconstraints lock locked lockf locks locksheld
locktype log logfile logged logger logging logic logical logicalnodedata login loginpatience logins logs logtime long longer longest longestchainseconds look looked lookedat looking looks lookup
lookups loop loopback lose losetup loss losses lost lower lowercase lowerdir lru lsb lsblk lsmod lte ltnp lts lzdi mac macaddress macaddressinuse machine machineinput machineof machinereference
machines macros macvlan macvtap made madeat madeby madename mail mailers main mainpid maintained maintenance major majority make maker makers makes makespan makespanseconds making malarkey
malformed malformedrequestbody malfunctional man manage managed managedfields management manager managing mandated mandatory manet mangle manifest manifestname manifests manifestsignature manual
manually many map mapped mapping mappings maps maptext mark marked marker marking markold marks mask masked masker masking masks masksecrets masksize maskurluser masq masquerade master
masterarguments masterinput masternode masters mastersof match matched matches matchexpressions matching matchlabels materialized math matter matters max maxaddress maxage maxbackup maxbytes
maxconn maxcontentlength maxdepth maximum maxitems maxkeys maxlength maxopenfiles maxpayload maxpods maxrounds maxscalelevel maxservergroups maxsize maxstorage maxtotalcores maxtotalinstances
maxtotalramsize maxtotalvolumes maxunavailable maxuses maxworkers may maystart mcast mean meaning means meant meanwhile meas measure measured measurement measurements mebibytes media median medians
mediatypes medium meets megabytes mem member memberbytes membername members memfd memlock memory memorymanagerpolicy memorymib memorypressure mems memtotal mend mended merge merged merit mesh
message messages messaging meta metaclass metadata meth method methodnotallowed methods metric metrics mfe mgmt mgr mib micp microservices middle middleware might migrate migrating migrations
milestone milestones millis milliseconds mime min minaddress minavailable minbase mindepth mindisk mine minimal minimum minitems minor minors minproperties minram mins minsize mint minute minutes
mirror mirrors misbehaving misconfiguration mismatch missed missing missingparameter missingproperty misspelled mistake mistral mix mixed mjs mkdir mkdtemp mkfs mknod mktemp mobile mobility mod
mode model modes modifiable modification modifications modified modify modifying modifyvnfinfo modprobe module modules moduluslength moment moments mon monitor monitored monitoring
monitoringparameters monitoringport monitoringurl monkey more most mostbytes mostly mostunderway motd mount mountable mounted mountinfo mounting mountoptions mountpath mountpoint mounts mountto
mountvolume move moved moves moving mpls msg msgqueue msgs mtime mtimems mtimens mtp mtu mtus much multi multiattach multicast multiline multiple multiplies multiport must mustcarry mutable
mutating mutual mutually mux mysql myuserdata naccuracysec nak name namebytes named namedcurve nameless nameof nameopt names namesaccepted nameserver nameservers namespace namespaced namespaces
nand napt narp nat native nats natsauthorization natscafile natscertfile natskeyfile natsserver natsserviceconfig natsurl navailable nbr nbsrv nclause ncommands ncommit nconnection ncont ncontent
nctrl ndata ndepmod ndistinguished ndistrib nearest nearly necessary necho need needed neededby needs negative negotiation neither nenvironmentfile neq nest nested nesteddepth nesting nestjs net
netbase netblt netfilter netns network networkaddon networkid networking networkinuse networkname networknotfound networkof networkpolicies networkpolicy networkready networkreservationid
networkresource networks neutron neutronerror never new newauthority newcomer newcomers newer newermt newest newline newprivatekey newselfsigned newserial newsigningrequest nexec nexecstartpre
nexit next nextpage nextpagelink nextval nflags nflannel nfor nfrontend nfs nfsd nft nfv nfvi nfvo nfvocafile nfvocertfile nfvokeyfile nfvopassword nfvos nfvotokenurl nfvouser nginx nhealthz nhttps
nhunter nic nice nil nin nistp nits nkeyringmode nld nlsp nmanage nnetwork nneutron noble nobody nocerts nocloud noconflicts node nodeaffinity nodeclient nodeid nodeinfo nodeip nodejs
nodelocalcrisocket nodename nodenext nodeport nodeports nodeprefix noderegistration noderestriction nodes nodestatusmaximages nodestatusunknown nodev noexec noexecute nofail nofile nogroup
noheadings nolocking nologin nominated non nonactivesec nonblock nonboarded noncalendar nonce none nonempty nonetype noninteractive nonresourceurls noout nopasswd nopreempt noproxy nor normal
normalised noroot north noschedule nosniff nosuid not notacceptable notation note noted noteleftovers notes notfound nothing notice noticing notification notifications notificationstatus
notificationtype notificationtypes notified notifier notify notin notready notserved notsupported nova now nowhere npackaged npath npm nproc npx nrandomizeddelaysec nrestarts nrun nsenter nset
nsfnet nsha nsize nsp nspname nspowner nstorage nsystemmaxuse nte nth ntp ntype nul null nullif nulls num numa number numberat numberavailable numbered numberofsteps numberready numbers numcpu
numdynamicaddresses numeric numscalingsteps nunfortunately nusage nuser nvp nwants nwhat nxt nyou nzac oauth object objectmark objects objectswithin observability observed observedgeneration obtain
obtained occ occs occurred occurrence occurrences oci octet octets odd odu off offer offered offers offset ofproject often oid oidc okp old older oldest oldestage oldestfirst omit onanswer onboard
onboarded onboarding onboardingstate onboards once ondefault ondelete one oneline oneof oneprocess ones oneshot onfailure ongoing onkeys online only onmessage onprogress ons onstdout ontrouble
onwards oom oomscoreadj oops opaque open openapi opencontainers opend opened openid opening openpgp openrc opens openssh openssl opensslerror openstack openstackclient openstacks operate operated
operatevnf operating operation operational operationalstate operationid operationparameters operationparams operations operationsaga operationspersecond operationstate operationstates
operationtypes operator operatorproject operators operatorsservers opocc opoccpath opoccs opt optical optimal option optional options opts orchestration order ordinality org organizations origin
original originated orphan orphandependents orphans oserror osid osimage oslo ospf ospfigp osversion other otherfield others otherwise otherx our ours out outage outbound outboundclient outbox
outcome outcomeof outcomes outdated outdir outer outeraddresses outerpid outform outgoing outlives outlook outofrange output outputfile outputs outs outside outstanding ova over overcommit overdue
overflow overhead overlap overlapping overlaps overlay overlayfs overlimit overloaded overpass overquota overridden override overrides overridinglogin overridinglogins overrules oversubscription
overwrite overwrites ovf own owned owner ownerreferences owners ownership owns ownselector owntime owntimebystep pack package packagebytes packagechangetype packagecontent packaged packagefileref
packagefiles packagepath packages packagesize packagesource packed packet packetincoming packetoutgoing packets packing packs padend padstart page pager pages paging pair pairs panic parallel param
parameter parameters params paramsbasic paramsoauth parent parentcpconfigid parentid parentport parentresource park parse parsebool parsecidr parsed parsefilter parsefiltersyntax parseint parsekey
parser parseyaml parsing part parted partial particicular particular parties partition partitions parts partsof party pass passcode passcodes passed passes passing passive passphrase passphrases
passw passwd passwds passwithnotests password passwordafter passwordfile passwordhash passwordless passwordof passwords passwordvariable past paste pastpivot patch patches patchoptions path
pathname pathof paths patience pattern patternproperties patterns pause pausebeforeagain pauseimage pausetag pausing payload payloads pdb pdeathsig peak peer peercertsans peers peerurl peerwords
pem pend pending people per percent percentile perf perform performance performancemetric performed performing period periodic periodicity periodseconds perl permission permissiondenied permissions
permits permitted perms persecond persistence persistent persistentvolume persistentvolumes persisting person pessimistic pgauditchain pgdata pglcmstore pgm pgp phase phases physical physicalid
pick pid pidpressure pids pim pinentry ping pinned pinnedat pinning pino pins pip pipe pipefail pipeline pivot pkcs pkey pkg pkgm pkgmsubscription pkgmsubscriptions pkgs pki pkijs place
placedresource placeholder placeholders placement placementattr placementconstraints placementgroup placementgroups places placetext plain plaintext plan plane planes planned plannedat plans
platform play playbook playbooks plays please ploop plpgsql plu plug plugged plugin plugins plural pnni pod podaffinity podantiaffinity podcidr podcidrs poddisruptionbudget poddisruptionbudgets
podinitializing podip podlogsdir podname podnetwork podpidslimit pods podscheduled podsecuritypolicy podsof podspercore podsubnet point pointed pointer pointers pointertoken pointofnoreturn points
poison policies policy pool pools pop populate populated populating port portbindings portid portinuse portmap portnotfound ports position positional positive positiveinteger possible post
postamble postgres postgresql postgresserver posting postinst postmaster postmessage posttocompleted power powered powering poweroff powerserveraction prctl pre preamble precommit precondition
preconditions preemptionpolicy preemptlowerpriority preferably preferences preferencesparts prefernoschedule preferred prefix prefixes prefixlength preflight premature prepare prepared prepares
presence present presented preserve preset pressure pretend pretended prettier prettierignore prettierrc pretty prevent preview previous previously primary prime print printable printablename
printed printedbytes printf printing prints prior priority priorityclass priorityclasses priorityclassname private privatekey privatekeyfault privateregistry privateregistrydata privateregistryvdu
privilege privileged privileges privs prlimit prm proactive probe probes problem problemdetails problems proc procedure procedures proceed process processed processes processing processingtries
processof processor procps procs produced producer product productname products profile profiles program programs progress progressing project projectcalico projectdomain projectdomainid
projectdomainname projectid projectname projects prolongs prom prometheus promise promises promote prompt prompting proof proowner propagation propagationpolicy properties property propertyname
protected protection proto protobuf protocol protocoldata protocols proven provenbytes proves provide provided provider providerid providernet providers provides providing provision provisioned
provisioner provisions proxier proxies proxy pseudo psk pss pswd ptp pttype pub pubin pubkey public publicaddress publication publicize publickey publickeyhash publickeysecdsa publicname publicurl
publish published publisher publishes publishing pull pulled puller pullimage pullimageretry pulling pulls pup pure purge purged purgedthrough purger purging purpose purposes push pushed pushes put
puts pvc pvp pwauth pwd pwds pwfile pypi python pythonjson pythonrepr pythonstr pythontype qcow qemu qeritfbuwfxgzghschr qie qnx qos qsx qualified quality quantile quantities quantity quarantine
quarantined quay queries query queryable queryof querytext question questions queue queued quick quiet quietly quit quorum quot quota quotable quotas quote quoted quotes quoteword quoting race
raise ram ramdisk rammib ran random randombytes randomness randomstring randomsuffix randomuuid range ranges ranging rank rate ratelimit rates ratio ratiofloorbytes ratios raw rawfile rbac rcc rdma
rdp reach reachable reached reaches reaching read readable readbasehot readdress reader readers readifthere readiness readinessprobe reading readinventory readline readlink readme readonly
readonlymany readonlypaths readonlyport reads readsigningrequest readvnfpackage readwritemany readwriteonce readwriteoncepod ready readyat readyreplicas readyz real realising realizing really realm
realms reap reason reasonof reasons reboot rebooted rebooting reboots rebuild receipt receive received receiver recheck recipe recipient reclaim reclaimpolicy recognize recommended recommends
reconciler reconnect reconnected record recorded recorder records recordset recoveries recovery recreate recreates recursion recursive recursiveref red redacted redirect redirected redirects redirs
redispatch reduce ref refactored refer reference referenced references referencing referrer refers reflect refresh refreshes refreshing refs reftext refusal refusalpause refusals refuse refused
refuses regarding regclass regexp regid region regionone regions register registered registeredcluster registeredvim registering registernode registers registerwithtaints registration registrations
registries registry registryburst registrypullqps regprocedure regular rejected rejection rel related relation relationship relationships relative relay relayed release released releases relevant
reload reloads relowner remain remainafterexit remains remark remedy remedyof remembered remote remoteaddress remoteerror remotegroup remount removable removal remove removed removeresources
removes removestack rename renamed render rendering renew renewal renewalof renewals renewed renewing renews renewtime repeat repeatable repeated repeats repetitions replace replaceall replaced
replacement replacements replaces replacevolumes replacing replica replicas replicaset replicasets replicasetupdated replicated reply repo report reported reporter reporterror reportingcomponent
reports reporttext repositories repository repr representation representations represented representing represents reproduced req request requestcheck requested requesterror requestheader requestid
requestlimitexceeded requestor requestparams requests requestsubject requestuntilanswered requesturl require required requiredtext requirement requirements requirenamed requires requiresmountsfor
res reservationid reserve reserved reservedsystemcpus reset resetconfiguration resets resetting resident resize resolv resolvconf resolve resolved resolvers resolves resort resource
resourceattributes resourcechanges resourcedefinition resourcedefinitionid resourceexhausted resourcefailure resourcegroup resourcegroupid resourcehandle resourceid resourceinerror resourcename
resourcenotfound resourceof resourcepath resourceproviderid resourcequota resources resourcetable resourcetemplateid resourcetypes resourceversion respective respects responders response responses
responsibility ressource rest restart restarted restarting restartpolicy restarts restartsec restfactor resting restorable restoration restore restored restoring restrict restricted restriction
rests result resultbytes results resume resumed resumes retain retainkeys retirementdate retried retries retry retryafter retryat return returned returning returns reuid reusedsocket reveal reverse
reviews revision revisionhistorylimit revisions revoke revoked revokedat revokes rewrite rfc rid right rights ring rings rise rlength rmdir rno rohc role rolebinding rolebindings roleref roles roll
rollback rolled rolling rollingupdate rollout rolname rolsuper rom room root rootdir rootdirectory rootfs rootlesscontrolplane rootof rootpath rotatable rotate rotatecertificates rotation round
rounded rounds route routeof router routereflectors routerid routerinuse routers routes routing row rowexclusivelock rows rox rpc rpcinfo rsa rsaencryption rsrc rstart rstatus rsvp rule rules run
runbook runbooks runc rung runinline runnable runner runners runnerscript running runningnats runningpostgres runonce runplaybook runs runservice runtime runtimeclass runtimedefault runtimeerror
runtimes runtimeservice rvd rwo rwop rwx rxjs sacred safe safeguard safemembername saga sagas said salt same sample sampled samples san sandbox sanity sans sat save saved saving saw say says sbin
sbr scalable scalar scale scaleaspect scaled scaleinfo scalelevel scalelevels scales scalestatus scaletolevel scalevnf scalevnftolevel scaling scalingaspect scalingaspects scalingdeltaid
scalingpolicy scalings scanner scc scene scenes schedule scheduleanyway scheduler schedulername scheduling schedulingdisabled schema schemaerrors schemas scheme scope scoped score scps scram
scratch script scripts scriptwithin scrub scrypt scsi sctp sdrp seal sealed sealedoutcome sealing seals sealto search seat sec seccomp seccompdefault secgroup secgroups second seconds secondsleft
secondsof secp secret secretkey secretname secrets secretsat secs section sections secure secureconnect securely security securitycontext securitygroup securitygroupinuse securitygrouprule
securitygrouprules securitygroups sed see seed seeds seen sees segment segments segsize seldom select selected selection selector selectors self selflink selfnodeclient selfsubjectreview
selfsubjectreviews semantic send sender senders sending sends sensitive sent sentence sentences sep separate separated separatetrail separation separationstatements seq sequence serial
serialization serializeimagepulls serialnumber serials series serve served server serverauth servercertsans servergroup servergroupmembers servergroups serverid servername servers servertask
servertlsbootstrap serves service serviceaccount serviceaccountname serviceaccounts servicecidr services servicesresidentmib servicesubnet serviceunavailable serving session sessionaffinity
sessionoptions sessions set setelementorder setenv setgid setpriv sets settimeout setting settings settle settled settles setuid setup setusers seven several severe sftp sha shall shape shapes
share shared sharedcps sharedports shares shell shellcheck shift shifted shim shmget short shortened shorter shorthand should show showformat showmount shown shownsteps shownword shows shrink
shrinking shrinks shut shutdowngraceperiod shutoff siblings sid side sides sig sighup sigint sigkill sign signal signaled signals signature signatures signed signedby signer signerinfos signername
signers significant signing signingfault signrequest signs sigpending sigs sigterm silence silenceseconds silent similar simple simpler simplevm simultaneous since sing single singleprocessoomkill
singlestack singleton singly sinks site sits situation size sizebytes sizes skew skip skipcertificate skiplibcheck skiplocked skipped skipphases skipping skiptokenprint slaac slash sleep slice slot
slow slowconsumer slowest small smaller smallest smart smgmtconfig smp smt snap snapshot snapshotid snapshots snapshotsofclusters snapshotter snooping snp socat sock socket socketpath sockets soft
software softwareconfig softwareimages softwareversion sol some somebody someone something somewhere soon sort sorted source sourced sourcelist sourceparts sources space spaces span spanid spare
sparse spawn spawning speaker speaks spec special specific specification specifications specificresource specified specifies specify specs speed spell spelled spelling spellings spki split spoken
sport spread spreads sprite sps sql squash src srp srv srvgroup srvtcpka sscopmce ssh sshcp sshd sshlogin sshpass sshprivatekey ssl sso stable stack stackaction stacked stackexists stackinput
stacklayout stackname stackpath stackphase stackref stackresource stacks stackstatus stackstext stacktakes stackurl stage stageserver stale stalled stamp stand standard standin standing standins
standinversion stands stanza start started starting startlimitinterval starts startservices startsin startswith starttime stat state stateenteredtime stateful statefulset statefulsets stateless
statement statements states stateswith static staticpodpath staticpodurl statistic statistics stats status statuscode statuserror statuses statusreason stay stayed staying stays stderr stderrtail
stdin stdout stdouttail steady step stepdurations stepid stepof steprevisions steps stepstream still stood stop stopped stopping stopreason stops stoptype storage storageclass storageclasses
storageclassname storagereservationid storageresource storageresourceids store stored storedir stores storing story stp str strange stranger strangers strategic strategies strategy strays strconv
stream streams streamsperproject strict string stringat stringdata stringify strings strip struct structure structures sts stylesheet sub subdomain subj subject subjectaccessreview
subjectaccessreviews subjectaltname subjectkeyidentifier subjects subnet subnetid subnetinuse subnetpool subnets subresource subresources subsc subscribe subscribed subscribedat subscriber
subscribers subscription subscriptionid subscriptions substate substitution substr substring subtree subtype succeed succeeded succeeds success successful successfully such sudo sudoers sufficient
suit suite suites suits sum summary sums sun super superuser supervised supervision supervisor supplementary supplied supply support supported supporting supports sure surface surpass surrogate
surrogates surroundings survey survives suspects suspend suspended svc swagger swaggeruibundle swallowedline swap swapfile swapoff swaps sweep sweeper sweeps swimage swimagedata swipe switch
switched symbol symbolic symlink symlinks sync synced syncfrequency synchronised syncs syntax sys sysctl syslog system systemcgroups systemctl systemd systemdcgroup systemderror
systemreservedcgroup systems sysv table tables tacker tackerclient tackererror tag tagged tags tagstold tail taint taints take taken takenat takes taking talk talking talks tampered tap tar tarfile
target targetof targetport targets task tasks tcf tcp team tell tells temp template templated templates temporarily temporary tempresources ten tenant tenantclaim tenants term terminal
terminalerror terminals terminate terminated terminatevnf terminating termination terminationtype terms test tested testing tests text textat textof texts textual tgz than that thawed the their
theirs them themselves then there these they thing things thingsof third this those though thread threading threads three threshold threw through throughlink throughput throw thrown throws tigera
time timed timedatectl timeline timeof timeout timeouterror timeoutmins timeouts timeoutseconds timeoutstopsec timer timers times timestamp timestamptz timesync timesyncd tiny title tls
tlsbootstraptoken tlscertfile tlsminversion tlsp tlsprivatekeyfile tlsv tmkdir tmp tmpfs tocome todo tofixed together toglance togo toisostring token tokencleaner tokenfile tokenid tokenpart
tokenrequest tokenreview tokenreviews tokens tokensecret tokensecretname tokenvalue told tolerates toleration tolerations tolowercase toml too took tool tools toomanyrequests toomuch top topic
topologies topology topologykey topologymanagerscope tops tosca tostring total totalbytes totalcoresused totalgigabytesused totalinstancesused totalmem totalramused totalvolumesused touch touched
touppercase toutcstring towards trace traceid traceparent traces tracing track traffic trail trailed trailers trailline trait traits transaction transactions transfer transferring transient
transienterror transition transitions translatable translate translated translation transmission transparency transparent transport trap traversal tree trespass trial tried triedline tries trigger
triggered triggers trim trimend trimpath trixie trouble troubleshoot true truncate truncated trunk trunkmode trunks trust trusted trustedcertificates trusts try trying tsbuildinfo tsbuildinfofile
tsc tsconfig tst tsudo ttl ttp tty tuning turkey turn turns twice twin two txn txt type typed typeof typeorm types typescript typically ubuntu ubuntus udev udevadm udp udplite ufffd uid ulong umask
umount unable uname unanswered unasked unattended unauthenticated unauthorized unavailable unbound unbounded uncaughtexception unchanged unclaimed uncompressed uncordon uncovered undecided
undecodable undef undefined under underlay underlying underpass underscores understand understanding understood undo undoable undoes undone undosuite unexpected unexpectedly unexport unfinished
unfit ungraceful ungrouped unhandledrejection unhealthy unicast unicode unified uniform unimplemented union unique uniqueitems uniquelocal unit units unix unknown unknownnames unknownuserparameter
unless unlisted unlock unmapped unmarshal unmarshaling unmask unmatched unmodified unmount unmounted unmounting unnamed unnest unowned unpack unpacked unpaired unprepare unprivileged unproven
unreachable unreached unreadable unready unrecognized unregister unregistered unreleased unsafe unschedulable unscoped unseen unsent unset unshare unsigned unsound unstructured unsupported
unsupportedmediatype until untolerated untrusted unusable unused unusual unverified update updated updatedreplicas updateresources updates updatestrategy updating upgrade upgrades upload
uploadbytes uploaded uploadepoch uploading uploads upon upper upperdir ups uptime urandom uri uriauthority uricomponents uriprefix uris url urlencode urlencoded urlpath urls urlsearchparams urn
usage usageerror usages usagestate use used usedup user useradd userdata userdefineddata userdomain userdomainid userdomainname userid userknownhostsfile userlines userlist usermetadata username
userns userparametermissing userpwd users userxattr uses usg ushort using usr ustar usual utc utf uti util utility utils uts uuid uuids uuidv vacuum valid validate validatebody validated validating
validation validator validatorurl validforseconds validity value valueerror valuefrom values var variable variables variant variation varint various vars varz vault vce vcimageid vcpu vcpus vda vdb
vdi vdu vducp vduhascpd vduid vduids vduinitialdelta vdulevel vduprofile vdus venv verb verbose verbosity verbs verdict verification verificationimage verified verifies verify verifyhostname
verifytls version versionof versions very veth vfs vhd vhdx via view viewer views vim vimaccess vimassets vimconnection vimconnectionid vimconnectioninfo vimconnections vimextra vimflavourid vimid
vimkindof vimlevelresourcetype vimnames vimneeds vimneedsschema vimproject vimregistration vims vimsoftwareimageid vimtype vines violation vip vipcp vips virtio virtual virtualbindable
virtualbindsto virtualblockstorage virtualcompute virtualcpu virtualcpupinning virtualfilestorage virtualisation virtualised virtualization virtualized virtuallink virtuallinkable virtuallinkdescid
virtuallinkid virtuallinksto virtualmemory virtualobjectstorage virtualstorage virtualstoragedescid virtualtransaction visa visibility visible visited vitest vlan vlans vlprofile vls vmdk vmhwm
vmrss vms vmtp vnd vnf vnfc vnfccpinfo vnfcid vnfcids vnfcinfo vnfcinstanceid vnfcresourceinfo vnfcresourceinfoid vnfcs vnfcstate vnfd vnfdfiles vnfdid vnfdids vnfds vnfdsoftwareimageid vnfdversion
vnfdversions vnfextcp vnfextcpid vnfextcps vnfinfo vnfinstance vnfinstanceid vnfinstanceids vnfinstancename vnfinstancenames vnfinstances vnfinstancesid vnflcm vnflcmopocc vnflcmopoccid
vnflcmopoccs vnflcmv vnflinkportid vnflinkportinfo vnflinkports vnfm vnfmpasswordfile vnfnodes vnfpackage vnfpackagemanagement vnfpackages vnfpkg vnfpkgid vnfpkginfo vnfpkgm vnfpkgsinfo
vnfproductname vnfproducts vnfprofile vnfproperties vnfprovider vnfs vnfsoftwareversion vnfstate vnftag vnfvirtuallink vnfvirtuallinkdesc vnfvirtuallinkdescid vnic void vol volid volume
volumeattachment volumebindingmode volumeclaimtemplates volumeid volumemode volumemounts volumename volumeplugindir volumes volumestatsaggperiod volumev vote voters votes voting vouches vrf vrrp
vstrict vxlan wait waited waitforstack waiting waits waitsfor wake wakeupagainafter wal walk walks want wanted wantedby wants warm warming warn warned warning warnings warns was wasn watch watched
watchedof watches watching way ways wchan web webcnf webhook weeks well went were wesp wget what whatever when whenever whenparentdies where wherever whether which while whiskey who whoever whole
wholeof whom whose why whynotready whyof wide width widths wildcards will windlass windlasscertificates windlasserror windlasssnapshots windlassv windlasswarnings wins wipefs wire wired wireless
wish with withauthentication withdraw withheld within withinms withinseconds without withoutend withoutslash won word words work workbench workdir worked worker workerarguments workerdata
workernode workeroutcome workers workflows workload workloads works world would wpi wrap writable write writeable writeonly writer writers writes writing written wrong wrongly wrote wrr wsn wwn www
xact xdg xeu xfs xgq xid xmax xmin xml xnet xns xtables xtp xxxxxx xxxxxxxx xzf yaml yamlfiles yaql yauzl yazl years yes yet yield yml you younger youngest your yours yourself yum yyyy zero zgzip
zip zipfile zipped zlib zone zonegroup zonegroups zoneid zoneinfo zonename zones zonestate zram zramswap
`;
