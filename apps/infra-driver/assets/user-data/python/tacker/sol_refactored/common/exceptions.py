"""What scripts of the second version raise to say why they can't go on. The operation's error has their words."""


class SolException(Exception):
    """Keyword arguments fill the places of `message`; `sol_detail` takes its place."""

    message = "An unknown exception occurred."

    def __init__(self, message=None, **kwargs):
        self.detail = kwargs.get("sol_detail")
        said = message or self.detail
        if said is None:
            try:
                said = self.message % kwargs
            except KeyError:
                said = self.message
        super().__init__(said)


class SolHttpError400(SolException):
    title, status = "Bad Request", 400


class SolHttpError403(SolException):
    title, status = "Forbidden", 403


class SolHttpError404(SolException):
    title, status = "Not Found", 404


class SolHttpError409(SolException):
    title, status = "Conflict", 409


class SolHttpError412(SolException):
    title, status = "Precondition Failed", 412


class SolHttpError422(SolException):
    title, status = "Unprocessable Entity", 422


class SolHttpError503(SolException):
    title, status = "Service Unavailable", 503


class SolValidationError(SolHttpError400):
    message = "%(detail)s"


class UserDataClassNotImplemented(SolException):
    message = "Userdata class not implemented."


class UserdataExecutionFailed(SolException):
    message = "Userdata execution failed."


class InvalidVnfdFormat(SolHttpError400):
    message = "Vnfd is unexpected format."


class DeltaMissingInVnfd(SolHttpError400):
    message = "Delta '%(delta)s' is not defined in VduScalingAspectDeltas."
