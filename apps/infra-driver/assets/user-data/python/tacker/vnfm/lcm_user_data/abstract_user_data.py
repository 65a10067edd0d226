"""What classes of the first version are derived from."""

import abc


class AbstractUserData(abc.ABC):
    @staticmethod
    @abc.abstractmethod
    def instantiate(base_hot_dict=None, vnfd_dict=None, inst_req_info=None, grant_info=None):
        """The parameters of the stack."""
