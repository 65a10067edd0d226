"""What classes of the second version are derived from, and what they ask: older scripts find the questions here."""

import abc

from tacker.sol_refactored.common.common_script_utils import *  # noqa: F401,F403
from tacker.sol_refactored.common.common_script_utils import _get_fixed_ips_from_extcp  # noqa: F401


class AbstractUserData(abc.ABC):
    """Each method gets (req, inst, grant_req, grant, tmp_csar_dir) and gives the fields of Heat's request."""

    @staticmethod
    @abc.abstractmethod
    def instantiate(req, inst, grant_req, grant, tmp_csar_dir):
        """The stack."""

    @staticmethod
    @abc.abstractmethod
    def scale(req, inst, grant_req, grant, tmp_csar_dir):
        """What changes."""

    @staticmethod
    @abc.abstractmethod
    def scale_rollback(req, inst, grant_req, grant, tmp_csar_dir):
        """What changes back; what was before is asked for without it."""

    @staticmethod
    @abc.abstractmethod
    def change_ext_conn(req, inst, grant_req, grant, tmp_csar_dir):
        """What changes."""

    @staticmethod
    @abc.abstractmethod
    def change_ext_conn_rollback(req, inst, grant_req, grant, tmp_csar_dir):
        """What changes back."""

    @staticmethod
    @abc.abstractmethod
    def heal(req, inst, grant_req, grant, tmp_csar_dir):
        """What changes."""

    @staticmethod
    @abc.abstractmethod
    def change_vnfpkg(req, inst, grant_req, grant, tmp_csar_dir):
        """What changes."""

    @staticmethod
    @abc.abstractmethod
    def change_vnfpkg_rollback(req, inst, grant_req, grant, tmp_csar_dir):
        """What changes back."""
