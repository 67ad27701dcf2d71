import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { MailResponse } from '../../lib/mail/mails.responses.ts'
import { MailQuery } from '../../lib/mail/mails.schemas.ts'
import { act, list, managersOnly, WORKSPACE } from '../operations.ts'

export const mails: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/mails`]: { get: managersOnly(list('List mails', MailResponse, MailQuery)) },
  [`${WORKSPACE}/mails/{id}/retry`]: {
    post: {
      ...act('Retry a failed mail', MailResponse),
      description: 'Returns a mail that is still queued unchanged. A mail that was sent is a conflict.',
    },
  },
}
