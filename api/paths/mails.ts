import * as z from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { MailResponse } from '../../lib/mail/mails.responses.ts'
import { MailQuery } from '../../lib/mail/mails.schemas.ts'
import { EDITABLE_KINDS } from '../../lib/mail/mails.ts'
import { MailTextResponse, MailTextsResponse } from '../../lib/mail/texts.responses.ts'
import { MailTextChange } from '../../lib/mail/texts.schemas.ts'
import {
  act,
  BODY_ERRORS,
  bySession,
  errors,
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
      ...act('Retry a failed mail', MailResponse),
      description: 'Returns a mail that is still queued unchanged. A mail that was sent is a conflict.',
    },
  },
  [`${WORKSPACE}/mail-texts`]: {
    get: {
      summary: 'List the texts of mails to partners',
      description: 'The subject and the first words of each mail that you may change. null is the default.',
      security: bySession,
      requestParams: path(),
      responses: {
        200: { description: 'The texts.', ...json(MailTextsResponse) },
        ...errors(...MANAGER_ERRORS),
      },
    },
  },
  [`${WORKSPACE}/mail-texts/{kind}`]: {
    put: {
      summary: 'Change the text of a mail to partners',
      description:
        'A placeholder is one of `placeholders` in braces, such as `{partnerName}`. Mails that were not sent yet get the new text.',
      security: bySession,
      requestParams: path({ kind: z.enum(EDITABLE_KINDS) }),
      requestBody: { required: true, ...json(MailTextChange) },
      responses: {
        200: { description: 'The text.', ...json(MailTextResponse) },
        ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, 'conflict'),
      },
    },
  },
}
