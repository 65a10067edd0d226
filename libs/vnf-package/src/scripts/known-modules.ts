/** Python's own library, of 3.9 to 3.13: what a version lacks of it is found when the script is run. */
export const PYTHON_LIBRARY: ReadonlySet<string> = new Set(
  `
  __future__ _thread abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb
  binascii binhex bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections
  colorsys compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses
  dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno
  faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext
  glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress
  itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap
  modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator
  optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath
  pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline
  reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd
  smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string
  stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios
  textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle
  turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg
  winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
`
    .trim()
    .split(/\s+/),
);

const COMMON = [
  ...[
    'apply_ext_managed_vls',
    'apply_ext_managed_vls_from_inst',
    'get_current_capacity',
    'get_param_capacity',
    'get_param_fixed_ips',
  ],
  ...['get_param_fixed_ips_from_inst', 'get_param_flavor', 'get_param_image', 'get_param_network', 'get_param_network_from_inst'],
  ...['get_param_zone', 'get_param_zone_by_vnfc', 'get_vnfd', 'init_nfv_dict', '_get_fixed_ips_from_extcp'],
];

/**
 * Modules that Windlass brings for scripts by the names that they have elsewhere, with what each has; null: all that PyYAML has. Held against the
 * files of the infra driver by a test there.
 */
export const BROUGHT: Readonly<Record<string, readonly string[] | null>> = {
  yaml: null,
  oslo_log: ['log'],
  'oslo_log.log': ['getLogger'],
  oslo_serialization: ['jsonutils'],
  'oslo_serialization.jsonutils': ['dumps', 'dump_as_bytes', 'loads'],
  tacker: ['sol_refactored', 'vnfm'],
  'tacker.vnfm': ['lcm_user_data'],
  'tacker.vnfm.lcm_user_data': ['abstract_user_data', 'constants', 'utils'],
  'tacker.vnfm.lcm_user_data.abstract_user_data': ['AbstractUserData'],
  'tacker.vnfm.lcm_user_data.constants': ['USER_DATA_TIMEOUT'],
  'tacker.vnfm.lcm_user_data.utils': [
    ...['create_cpd_vl_dict', 'create_desired_capacity_dict', 'create_final_param_dict', 'create_initial_param_dict'],
    ...[
      'create_initial_param_server_port_dict',
      'create_network_dict',
      'create_sw_image_dict',
      'create_vdu_flavor_capability_name_dict',
    ],
    ...['create_vdu_flavor_dict', 'create_vdu_image_dict', 'get_desired_capacity_dict', 'get_diff_base_hot_param_from_api'],
  ],
  'tacker.sol_refactored': ['common', 'infra_drivers'],
  'tacker.sol_refactored.common': ['common_script_utils', 'exceptions', 'vnf_instance_utils', 'vnfd_utils'],
  'tacker.sol_refactored.common.common_script_utils': COMMON,
  'tacker.sol_refactored.common.exceptions': [
    ...['SolException', 'SolHttpError400', 'SolHttpError403', 'SolHttpError404', 'SolHttpError409', 'SolHttpError412'],
    ...['SolHttpError422', 'SolHttpError503', 'SolValidationError', 'UserDataClassNotImplemented', 'UserdataExecutionFailed'],
    ...['InvalidVnfdFormat', 'DeltaMissingInVnfd'],
  ],
  'tacker.sol_refactored.common.vnf_instance_utils': ['inst_href', 'json_merge_patch', 'select_vim_info'],
  'tacker.sol_refactored.common.vnfd_utils': ['Vnfd'],
  'tacker.sol_refactored.infra_drivers': ['openstack'],
  'tacker.sol_refactored.infra_drivers.openstack': ['userdata_default', 'userdata_standard', 'userdata_utils'],
  'tacker.sol_refactored.infra_drivers.openstack.userdata_default': ['DefaultUserData'],
  'tacker.sol_refactored.infra_drivers.openstack.userdata_standard': [
    'StandardUserData',
    'add_idx',
    'add_idx_to_vdu_template',
    'rm_idx',
  ],
  'tacker.sol_refactored.infra_drivers.openstack.userdata_utils': ['AbstractUserData', ...COMMON],
};
