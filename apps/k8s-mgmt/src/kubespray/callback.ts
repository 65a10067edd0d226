/** The name of the plugin's file, without `.py`. */
export const CALLBACK = 'windlass_progress';

/**
 * A callback plugin for ansible-playbook. It prints a JSON line for each task's result on a host, and a last line with the hosts that failed and
 * their errors. Of a result it prints only the message of a failure. For Ansible 2.9 and newer, Python 2.7 and 3.
 */
export const CALLBACK_PLUGIN = String.raw`# Prints what a playbook does as JSON lines, for the VNF manager that runs it.
from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = """
    name: windlass_progress
    callback: windlass_progress
    type: stdout
    short_description: JSON lines for a VNF manager
    description:
      - One line for each result, and one at the end.
"""

import json
import sys

from ansible.plugins.callback import CallbackBase

LONGEST = 4000
MOST = 20


def message_of(result):
    """The first words that a result has of its own; of facts that could not be gathered, why."""
    for inner in (result.get("failed_modules") or {}).values():
        return message_of({name: inner[name] for name in inner if name != "failed_modules"})
    for name in ("censored", "msg", "stderr", "module_stderr", "reason", "stdout"):
        text = result.get(name)
        if text:
            return str(text).strip().replace("\n", " ")[:LONGEST]
    return "no message"


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "windlass_progress"

    def __init__(self, *args, **kwargs):
        super(CallbackModule, self).__init__(*args, **kwargs)
        self.failures = {}
        self.items = {}

    def say(self, **line):
        text = json.dumps(line, ensure_ascii=False) + "\n"
        out = getattr(sys.stdout, "buffer", None)
        if out is None:
            sys.stdout.write(text.encode("utf-8") if not isinstance(text, str) else text)
        else:
            out.write(text.encode("utf-8", "replace"))
        sys.stdout.flush()

    def told(self, result, status, **more):
        self.say(event="result", status=status, host=result._host.get_name(), task=result._task.get_name().strip(), **more)

    def failed(self, result, status):
        host = result._host.get_name()
        task = result._task.get_name().strip()
        message = self.items.pop((host, result._task._uuid), None) or message_of(result._result)
        self.failures[host] = {"host": host, "task": task, "status": status, "message": message}
        self.told(result, status, message=message)

    def v2_playbook_on_task_start(self, task, is_conditional):
        self.say(event="task", task=task.get_name().strip())

    def v2_runner_on_ok(self, result, **kwargs):
        self.told(result, "changed" if result._result.get("changed") else "ok")

    def v2_runner_item_on_failed(self, result):
        if not result._result.get("_ansible_no_log"):
            self.items[(result._host.get_name(), result._task._uuid)] = message_of(result._result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        if ignore_errors:
            self.told(result, "ignored")
        else:
            self.failed(result, "failed")

    def v2_runner_on_unreachable(self, result):
        self.failed(result, "unreachable")

    def v2_playbook_on_stats(self, stats):
        lost = [host for host in sorted(stats.processed) if stats.failures.get(host) or stats.dark.get(host)]
        failures = [self.failures[host] for host in lost if host in self.failures]
        failures.sort(key=lambda failure: failure["status"] != "failed")
        self.say(event="end", failed=failures[:MOST], more=max(0, len(lost) - MOST))
`;
