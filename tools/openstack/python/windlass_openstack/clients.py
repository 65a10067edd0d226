"""Connections of the SDK for the users that settings.sh wrote down."""
import json
import sys

import openstack


def settings():
    with open(sys.argv[1], encoding='utf-8') as file:
        return json.load(file)


def connect(known, who):
    return openstack.connect(
        auth={'auth_url': known['authUrl'], 'username': who['user'], 'password': who['password'],
              'project_name': who['project'], 'user_domain_name': 'Default', 'project_domain_name': 'Default'},
        region_name=known['region'], identity_api_version='3', load_yaml_config=False)
