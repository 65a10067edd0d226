import { Controller, Get, Post } from '@nestjs/common';
import { OPERATIONS } from '@windlass/lifecycle';
import { describe, expect, it } from 'vitest';
import { CONTROLLERS, routesOf } from '../controllers.js';
import { ApiRoute } from './route.js';
import { Routes } from './routes.js';

const routes = routesOf();

@Controller('things')
class Undescribed {
  @Get(':id')
  show(): string {
    return 'no one says what this is';
  }
}

@Controller('things')
class Described {
  @Get(':id')
  @ApiRoute({ summary: 'a thing', role: 'reader', answers: { 200: {} } })
  show(): string {
    return 'a thing';
  }

  @Get(':id/parts/*path')
  @ApiRoute({ summary: 'a part', role: 'reader', answers: { 200: {} } })
  part(): string {
    return 'a part';
  }
}

@Controller('things')
class Again {
  @Get(':name')
  @ApiRoute({ summary: 'a thing by its name', role: 'reader', answers: { 200: {} } })
  show(): string {
    return 'a thing';
  }
}

@Controller('things')
class Changing {
  @Post(':name')
  @ApiRoute({ summary: 'change a thing', role: 'operator', answers: { 200: {} } })
  change(): string {
    return 'changed';
  }
}

describe('the routes of the controllers', () => {
  it('are all described: one that is not is an error at the start', () => {
    expect(() => new Routes([Undescribed], OPERATIONS)).toThrow(/Undescribed\.show .* @ApiRoute/);
    // Each handler with a method is a route, so that none is forgotten by how it is written.
    expect(routes.all.length).toBeGreaterThan(40);
    expect(routes.all.filter(({ summary }) => summary === '')).toEqual([]);
    // Tasks that no VNF here has are always 404; everything else can succeed.
    const refusing = routes.all.filter(({ answers }) => Object.keys(answers).length === 0);
    expect(refusing.map(({ pattern }) => pattern)).toEqual(['/vnflcm/v1/vnf_instances/:id/change_flavour']);
  });

  it('are there once, whatever their parameters are called', () => {
    expect(() => new Routes([Described, Again], OPERATIONS)).toThrow('two routes GET /things/:name');
  });

  it('of one resource are told together, even when they come from two controllers', () => {
    const both = new Routes([Changing, Described], OPERATIONS);
    expect(both.methodsOf('/things/a')).toEqual(['GET', 'POST']);
    expect(both.methodsOf('/things/a/parts/b/c.sh')).toEqual(['GET']);
    expect(both.methodsOf('/things/a/parts/')).toBeUndefined();
    expect(both.methodsOf('/things')).toBeUndefined();
  });

  it.each(OPERATIONS.all)('have one for $operation, with its body', ({ operation, route, body }) => {
    const path = `/vnflcm/v1/vnf_instances/x${route.method === 'POST' ? `/${route.task}` : ''}`;
    const found = routes.find(route.method, path);
    expect(found).toMatchObject({ operation, role: 'operator', body: { of: body } });
  });

  it.each([
    ['/', ['GET']],
    ['/vnflcm/api_versions', ['GET']],
    ['/vnflcm/v1/vnf_instances', ['GET', 'POST']],
    ['/vnflcm/v1/vnf_instances/', ['GET', 'POST']],
    ['/vnflcm/v1/vnf_instances/x', ['GET', 'PATCH', 'DELETE']],
    ['/vnflcm/v1/vnf_instances/x/scale', ['POST']],
    ['/v1.0/vims', ['GET', 'POST']],
    ['/v1.0/vims.json', ['GET', 'POST']],
    ['/v1.0/vims/x.json', ['GET', 'PUT', 'DELETE']],
    ['/windlass/v1/audit_trail/check', ['GET']],
    ['/vnflcm/v1/vnf_instances/x/fly', undefined],
    ['/vnflcm/v1/vnf_instances/x/y/z', undefined],
    ['/v1x0/vims', undefined],
    ['/vnflcm/v1/vnf_instances.json', undefined],
    ['//vnflcm/v1/vnf_instances', undefined],
  ])('say what %s can do', (path, methods) => expect(routes.methodsOf(path)).toEqual(methods));

  it('are those of controllers alone: messages are none', () => {
    expect(CONTROLLERS.map(({ name }) => name)).toContain('MessagesController');
    expect(routes.all.map(({ pattern }) => pattern).filter((pattern) => pattern.includes('announce'))).toEqual([]);
  });
});
