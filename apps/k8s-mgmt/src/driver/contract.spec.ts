import { driverContractSuite } from '@windlass/driver-kit/testing';
import { k8sParts } from '../service.js';
import { defaultSettings } from '../settings.js';
import { guideParams, hookContext, validateRequest } from '../testing/requests.js';

driverContractSuite('the driver of Kubernetes clusters', {
  parts: k8sParts(defaultSettings),
  params: guideParams(),
  // Users and passwords of proxies are found by what URLs are, the rest by the schema.
  secrets: ['"password":"ubuntu"', 'password1', 'password2'],
  request: validateRequest(guideParams()),
  hooks: (['instantiate_start', 'instantiate_end', 'terminate_start', 'terminate_end'] as const).map((hook) =>
    hookContext(guideParams(), 2, { hook }),
  ),
});
