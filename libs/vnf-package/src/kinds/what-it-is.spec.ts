import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openCsar } from '../archive/csar.js';
import { bufferCsarSource } from '../source/csar-source.js';
import { readVnfPackage } from '../read-vnf-package.js';
import { csarOf, smallestPackage, type PackageFiles } from '../testing/package-factory.js';

const read = async (files: PackageFiles) => readVnfPackage(await csarOf(files));
const withTop = (text: string) => read(smallestPackage({ 'Definitions/top.yaml': text }));
const node = (type: string, version = 'tosca_simple_yaml_1_2', rest = '') =>
  `tosca_definitions_version: ${version}\n${rest}topology_template:\n  node_templates:\n    it: { type: ${type} }\n`;

describe('what is no VNF package is told what it is', () => {
  test.each([
    [
      'a network service',
      node('tosca.nodes.nfv.NS', undefined, 'imports: [ etsi_nfv_sol001_nsd_types.yaml ]\n'),
      /network service/,
    ],
    [
      'a network service of a type of its own, with VNFs',
      `${node('acme.NS', undefined, 'node_types: { acme.NS: { derived_from: tosca.nodes.nfv.NS } }\n')}    vnf: { type: tosca.nodes.nfv.VNF }\n`,
      /network service descriptor \(NSD\).*NFVO/,
    ],
    ['a physical function', node('tosca.nodes.nfv.PNF', undefined, 'imports: [ pnfd_types.yaml ]\n'), /\(PNFD\)/],
    ['a MEC application', node('tosca.nodes.mec.AppD'), /MEC application/],
    ['a MEC application in plain YAML', 'appDId: a\nappName: b\n', /MEC application/],
    ['a MEC application without its id', 'appName: b\nappSoftVersion: "1"\nvirtualComputeDescriptor: {}\n', /MEC application/],
    ['SOL006 in JSON, under a short name of its module', '{ "nfv:nfv": { "vnfd": [] } }', /SOL006 \(YANG\)/],
    ['SOL006 without its top', 'id: a\nproduct-name: b\nint-virtual-link-desc: []\ndf: []\n', /SOL006 \(YANG\)/],
    [
      'SOL006 in XML',
      '<?xml version="1.0"?>\n<nfv xmlns="urn:etsi:nfv:yang:etsi-nfv-descriptors"><vnfd/></nfv>',
      /SOL006 \(YANG\)/,
    ],
    ['SOL006 in JSON', '{ "etsi-nfv-descriptors:nfv": { "vnfd": [] } }', /SOL006 \(YANG\)/],
    ['SOL006 of OSM', 'vnfd:\n  id: a\n  df: []\n', /SOL006 \(YANG\)/],
    ['OSM before SOL006', 'vnfd:vnfd-catalog:\n  vnfd: []\n', /OSM package/],
    ['Tacker before SOL001', node('tosca.nodes.nfv.VDU.Tacker', 'tosca_simple_profile_for_nfv_1_0_0'), /earlier kind/],
    ['a Heat template', 'heat_template_version: 2018-08-31\nresources: {}\n', /Heat template.*BaseHOT/],
    ['a Helm chart', 'apiVersion: v2\nname: a\nappVersion: "1"\n', /Helm chart/],
    ['a manifest of Kubernetes', 'apiVersion: v1\nkind: Pod\n', /manifest of Kubernetes/],
    ['an application in TOSCA', node('tosca.nodes.Compute'), /TOSCA template of applications/],
  ])('by its top file: %s', async (_, text, message) => {
    await expect(withTop(text)).rejects.toMatchObject({ code: 'package.other-kind', member: 'Definitions/top.yaml', message });
  });

  /** The first block of a tar with one empty file. */
  const tar = (name: string): Buffer => {
    const block = Buffer.alloc(1_024);
    block.write(name, 0);
    block.write('00000000000', 124);
    block.write('ustar', 257);
    return block;
  };

  test.each<[string, Buffer, RegExp]>([
    ['a chart', gzipSync(tar('chart/Chart.yaml')), /Helm chart \(\.tar\.gz\); a VNF package is a zip/],
    ['an OSM package', gzipSync(tar('hackfest_vnf/hackfest_vnfd.yaml')), /OSM package \(\.tar\.gz\)/],
    ['any .tar.gz', gzipSync(tar('a/b')), /archive of tar \(\.tar\.gz\)/],
    ['a .tar', tar('a/b'), /archive of tar \(tar\)/],
    ['a gzip that is cut', gzipSync(tar('a/b')).subarray(0, 12), /compressed by gzip/],
    ['a bomb of gzip', gzipSync(Buffer.alloc(64 * 1_024 * 1_024)), /compressed by gzip/],
    ['a Heat template', Buffer.from('# mine\nheat_template_version: 2018-08-31\n'), /plain Heat template/],
    ['a VNFD by itself', Buffer.from('tosca_definitions_version: tosca_simple_yaml_1_2\n'), /TOSCA file by itself/],
    ['a MEC application by itself', Buffer.from('{\n "appName": "a",\n "appDId": "b" }'), /MEC application .*, in JSON; a VNF/],
    ['SOL006 by itself, in JSON', Buffer.from('{ "etsi-nfv-descriptors:nfv": {} }'), /SOL006 .*, in JSON/],
    ['SOL006 by itself, in XML', Buffer.from('<nfv xmlns="urn:etsi:nfv:yang:etsi-nfv-descriptors"/>'), /SOL006 .*, in XML/],
    ['SOL006 by itself, in YAML', Buffer.from('# mine\nvnfd:\n  - id: a\n'), /SOL006 .*, in YAML/],
    ['other JSON', Buffer.from('{"a": "appDId"}'), /this is JSON/],
    ['a login page', Buffer.from('<!DOCTYPE html><html>'), /web page/],
    ['an image', Buffer.from('QFI\xfb\0\0', 'latin1'), /qcow2/],
    ['a signature', Buffer.from('-----BEGIN CMS-----\n'), /signature/],
  ])('by its first bytes: %s', async (_, bytes, message) => {
    await expect(openCsar(bufferCsarSource(bytes))).rejects.toMatchObject({ code: 'package.other-kind', message });
  });

  test('nor does an empty file go without a word', async () => {
    await expect(openCsar(bufferCsarSource(Buffer.alloc(0)))).rejects.toThrow(/empty/);
  });

  test.each<[string, PackageFiles, RegExp]>([
    ['a chart in a zip', { 'chart/Chart.yaml': 'a: 1', 'chart/values.yaml': 'b: 1' }, /Helm chart/],
    ['an OSM package in a zip', { 'x/x_vnfd.yaml': 'a: 1', 'x/checksums.txt': '' }, /OSM package/],
    [
      'a MEC application in JSON',
      { 'AppD.json': '{"appDId":"a"}', 'a.mf': 'metadata:\n' },
      /^AppD\.json: this is a MEC application/,
    ],
    ['SOL006 in JSON', { 'vnfd.json': '{"nfv:nfv":{"vnfd":[]}}' }, /^vnfd\.json: this is a descriptor by SOL006/],
    ['SOL006 in XML', { 'vnfd.xml': '<nfv xmlns="urn:etsi:nfv:yang:etsi-nfv-descriptors"/>' }, /this is a descriptor by SOL006/],
    ['other JSON', { 'package.json': '{"name":"a"}' }, /has no TOSCA-Metadata/],
    ['broken JSON', { 'package.json': '{"name' }, /has no TOSCA-Metadata/],
    [
      'TOSCA.meta in lower case',
      { 'tosca-metadata/tosca.meta': '', 'a.txt': '' },
      /call tosca-metadata\/tosca\.meta TOSCA-Metadata/,
    ],
    ['a zip in a zip', { 'inner.zip': 'PK', 'readme.txt': '' }, /if inner\.zip in it is the package, upload that/],
  ])('by the names in it: %s', async (_, files, message) => {
    await expect(read(files)).rejects.toThrow(message);
  });
});
