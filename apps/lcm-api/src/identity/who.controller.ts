import { Controller, Get, Req } from '@nestjs/common';
import { ROLES } from '@windlass/service-kit';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { ApiRoute } from '../routes/route.js';

/** Whom the API takes a client for: what the dashboard shows after a sign-in, and anybody may ask. */
@Controller('windlass/v1/identity')
export class WhoController {
  @Get()
  @ApiRoute({
    summary: 'who asks: user, project and roles',
    role: 'reader',
    answers: {
      200: {
        schema: {
          type: 'object',
          required: ['user', 'project', 'roles'],
          properties: {
            user: { type: 'string' },
            project: { type: 'string' },
            roles: { type: 'array', items: { type: 'string', enum: [...ROLES] } },
          },
        },
      },
    },
  })
  who(@Req() request: IdentifiedRequest): object {
    const { user, tenant: project, roles } = identityOf(request);
    return { user, project, roles };
  }
}
