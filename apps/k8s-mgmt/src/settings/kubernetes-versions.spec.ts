import { describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';
import { guideParams, validateRequest } from '../testing/requests.js';
import { checkInstantiation } from '../kubeadm/checks/check-instantiation.js';
import { K8sMgmtConfig } from '../config.js';
import { settingsOf } from '../service.js';
import { KNOWN_MINORS, KNOWN_VERSION } from './kubernetes-versions.js';

/** The configuration of a service that is told so much, and nothing else. */
const told = (environment: Partial<K8sMgmtConfig>) => {
  const nothing = ['kubernetesAptUrl', 'containerdAptSource', 'containerdAptKeyUrl', 'containerdPackage', 'verificationImage'];
  const images = ['kubernetesImageRepository', 'flannelImage', 'flannelPluginImage'];
  const unset = Object.fromEntries([...nothing, ...images].map((name) => [name, undefined]));
  return settingsOf(Object.assign(new K8sMgmtConfig(), unset, environment));
};

describe('a version of Kubernetes', () => {
  it.each(KNOWN_MINORS)('%s brings its package source and its sandbox image along', (minor) => {
    const settings = told({ kubernetesVersion: `${minor}.2` });
    const aptUrl = `https://pkgs.k8s.io/core:/stable:/v${minor}/deb/`;
    const { plan } = bench({ settings });
    expect(plan.common).toMatchObject({
      kubernetes: { version: `${minor}.2`, aptUrl, fingerprint: settings.kubernetesFingerprint },
      runtime: { pauseImage: expect.stringMatching(/^registry\.k8s\.io\/pause:3\.10/) as string },
    });
  });

  it('that is not known is refused with the configuration', () => {
    for (const version of ['1.34.1', '1.31.0']) expect(version).toMatch(KNOWN_VERSION);
    for (const version of ['1.30.4', '1.99.0', '1.3.41', '1.34', 'v1.34.1', '1.34.1-rc.1'])
      expect(version).not.toMatch(KNOWN_VERSION);
  });

  it.each([
    ['1.34.1', undefined, undefined],
    ['1.35.0', undefined, 'is the last that works with containerd 1.x'],
    ['1.36.0', undefined, 'works with containerd 2.0 or newer alone'],
    ['1.36.0', 'https://download.docker.com/linux/{id} {codename} stable', undefined],
  ])(
    '%s with containerd of %s is warned of, where the distribution’s may be too old: %s',
    (kubernetesVersion, containerdAptSource, says) => {
      const { warnings } = checkInstantiation(validateRequest(guideParams()), told({ kubernetesVersion, containerdAptSource }));
      expect(warnings.filter((line) => line.includes('containerd')).map((line) => line.includes(says ?? 'nothing'))).toEqual(
        says === undefined ? [] : [true],
      );
    },
  );

  it('has its containerd from another source when the service is told one, with the key that is expected there', () => {
    const settings = told({ containerdAptSource: 'https://download.docker.com/linux/{id} {codename} stable' });
    expect(settings.containerdPackage).toBe('containerd.io');
    expect(bench({ settings }).plan.common).toMatchObject({
      runtime: {
        package: 'containerd.io',
        source: {
          line: 'https://download.docker.com/linux/{id} {codename} stable',
          keyUrl: 'https://download.docker.com/linux/{id}/gpg',
          fingerprint: '9DC858229FC7DD38854AE2D88D81803C0EBFCD88',
        },
      },
    });
  });
});
