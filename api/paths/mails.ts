import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { MailResponse } from '../../lib/mail/mails.responses.ts'
import { MailQuery } from '../../lib/mail/mails.schemas.ts'
import {
  bySession,
  errors,
  id,
  json,
  list,
  MANAGER_ERRORS,
  managersOnly,
  path,
  WORKSPACE,
} from '../operations.ts'

export const mails: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/mails`]: { get: managersOnly(list('List mails', MailResponse, MailQuery)) },
  [`${WORKSPACE}/mails/{id}/retry`]: {
    post: {
      summary: 'Retry a failed mail',
      description: 'Returns a mail that is still queued unchanged. A mail that was sent is a conflict.',
      security: bySession,
      requestParams: path(id),
      responses: {
        200: { description: 'The updated resource.', ...json(MailResponse) },
        ...errors(...MANAGER_ERRORS, 'conflict'),
      },
    },
  },
}
